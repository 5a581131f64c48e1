package sim

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Parse reads scenarios in the format that the package documentation
// describes. It is strict: an unknown key, a key given twice, a value out of
// range or a scenario that makes no sense is an error that names the line and
// says what would be right.
func Parse(r io.Reader) ([]Scenario, error) {
	p := &fileParser{}
	if err := eachSetting(r, &p.line, p.setting); err != nil {
		return nil, err
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	if len(p.scenarios) == 0 {
		return nil, fmt.Errorf("no scenario: want a line `scenario NAME` and its settings below")
	}
	return p.scenarios, nil
}

// eachSetting calls f with the key and the value of each line, which it counts,
// and returns f's error with the line's number.
func eachSetting(r io.Reader, line *int, f func(key, value string) error) error {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		*line++
		text, _, _ := strings.Cut(lines.Text(), "#")
		key, value, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(text, "\t", " ")), " ")
		if key == "" {
			continue
		}
		if err := f(key, strings.TrimSpace(value)); err != nil {
			return fmt.Errorf("line %d: %w", *line, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", *line+1, err)
	}
	return nil
}

// fileParser holds what has been read of a scenario file.
type fileParser struct {
	scenarios []Scenario
	line      int
	begun     int             // line of the scenario at hand
	seen      map[string]bool // keys given in the block at hand
}

// Defaults of every scenario: the study's noise.
const (
	defaultNoise     = 0.03
	defaultNoiseTime = 1
)

// setting handles one line.
func (p *fileParser) setting(key, value string) error {
	if key == "scenario" {
		return p.begin(value)
	}
	if len(p.scenarios) == 0 {
		return fmt.Errorf("%q before the first `scenario NAME`", key)
	}
	s := &p.scenarios[len(p.scenarios)-1]
	if key == "at" {
		return p.at(s, value)
	}
	if p.seen[key] {
		return fmt.Errorf("%q is given twice", key)
	}
	p.seen[key] = true
	if value == "" {
		return fmt.Errorf("%q has no value", key)
	}
	ph := &s.Phases[len(s.Phases)-1]
	var err error
	switch key {
	case "cpus", "seconds", "noise", "patches", "theirs", "tick":
		if len(s.Phases) > 1 {
			return fmt.Errorf("%q holds for the whole scenario: give it above the first `at`", key)
		}
		return wholeScenario(s, key, value)
	case "wait":
		ph.Wait, err = ParseDist(value)
	case "service":
		ph.Service, err = ParseDist(value)
	case "cpu":
		ph.CPU, err = ParseDist(value)
	case "servers":
		ph.Servers, err = strconv.Atoi(value)
		if err != nil {
			err = fmt.Errorf("servers %q: want a whole number", value)
		}
	case "slow":
		ph.Slow, err = ParseCurve(value)
	case "load":
		ph.Load, err = parseNumber(key, value)
	case "arrivals":
		ph.Arrivals, err = parseNumber(key, value)
	default:
		err = fmt.Errorf("unknown key %q: want scenario, cpus, seconds, noise, patches, theirs, tick, at, wait, service, servers, cpu, slow, load or arrivals", key)
	}
	return err
}

// begin opens a new scenario.
func (p *fileParser) begin(name string) error {
	if err := p.finish(); err != nil {
		return err
	}
	if name == "" || strings.ContainsAny(name, " ,") {
		return fmt.Errorf("scenario name %q: want one word without a comma", name)
	}
	for _, s := range p.scenarios {
		if s.Name == name {
			return fmt.Errorf("a second scenario is called %q", name)
		}
	}
	p.scenarios = append(p.scenarios, Scenario{Name: name, Noise: defaultNoise, NoiseTime: defaultNoiseTime, Phases: make([]Phase, 1)})
	p.seen, p.begun = map[string]bool{}, p.line
	return nil
}

// at opens a new phase, which begins as a copy of the one before.
func (p *fileParser) at(s *Scenario, value string) error {
	t, err := parseSeconds(value)
	if err != nil {
		return fmt.Errorf("at: %w", err)
	}
	ph := s.Phases[len(s.Phases)-1]
	if t <= ph.From {
		return fmt.Errorf("at %s: want a time after the phase before", value)
	}
	ph.From = t
	s.Phases = append(s.Phases, ph)
	p.seen = map[string]bool{}
	return nil
}

// finish checks the scenario at hand.
func (p *fileParser) finish() error {
	if len(p.scenarios) == 0 {
		return nil
	}
	if err := p.scenarios[len(p.scenarios)-1].Validate(); err != nil {
		return fmt.Errorf("line %d: %w", p.begun, err)
	}
	return nil
}

// wholeScenario sets what cannot change while the scenario runs.
func wholeScenario(s *Scenario, key, value string) (err error) {
	switch key {
	case "cpus":
		if s.P, err = strconv.Atoi(value); err != nil {
			return fmt.Errorf("cpus %q: want a whole number", value)
		}
	case "seconds":
		s.Seconds, err = parseNumber(key, value)
	case "tick":
		s.Tick, err = parseSeconds(value)
		if err != nil {
			err = fmt.Errorf("tick: %w", err)
		}
	case "theirs":
		s.Theirs, err = parseNumber(key, value)
	case "patches":
		f := strings.Fields(value)
		if len(f) != 2 {
			return fmt.Errorf("patches %q: want a standard deviation and a number of units, such as 0.5 2000", value)
		}
		if s.Patches, err = parseNumber(key, f[0]); err == nil {
			s.PatchSize, err = parseNumber(key, f[1])
		}
	case "noise":
		s.Noise, s.NoiseTime, err = parseNoise(value, s.NoiseTime)
	}
	return err
}

// parseNoise reads a standard deviation and, unless the usual one will do, a time
// constant.
func parseNoise(value string, usual float64) (sd, seconds float64, err error) {
	f := strings.Fields(value)
	if len(f) > 2 {
		return 0, 0, fmt.Errorf("noise %q: want a standard deviation and a time constant, such as 0.03 1s", value)
	}
	seconds = usual
	if sd, err = parseNumber("noise", f[0]); err == nil && len(f) == 2 {
		seconds, err = parseSeconds(f[1])
	}
	return sd, seconds, err
}

func parseNumber(key, value string) (float64, error) {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0, fmt.Errorf("%s %q: want a number", key, value)
	}
	return x, nil
}
