package sim

import (
	"fmt"
	"io"
	"maps"
	"strings"
)

// Parse reads scenarios in the format that the package documentation
// describes. It is strict: an unknown key, a key given twice, a value out of
// range or a scenario that makes no sense is an error that names the line and
// says what would be right.
func Parse(r io.Reader) ([]Scenario, error) {
	return (&fileReader[Scenario]{
		word: "scenario", words: "scenario, at",
		blank: func(name string) Scenario {
			return Scenario{Name: name, Noise: defaultNoise, NoiseTime: defaultNoiseTime, Phases: make([]Phase, 1)}
		},
		first: func(s *Scenario) settings {
			all := s.Phases[0].settings()
			maps.Copy(all, s.settings())
			return all
		},
		open: (*Scenario).openPhase,
	}).read(r)
}

// settings are those that cannot change while the scenario runs.
func (s *Scenario) settings() settings {
	return settings{
		"cpus": &s.P, "seconds": &s.Seconds, "theirs": &s.Theirs, "tick": (*seconds)(&s.Tick),
		"noise": noiseSetting(&s.Noise, &s.NoiseTime),
		"patches": func(value string) (err error) {
			f := strings.Fields(value)
			if len(f) != 2 {
				return fmt.Errorf("patches %q: want a standard deviation and a number of units, such as 0.5 2000", value)
			}
			if s.Patches, err = parseNumber("patches", f[0]); err == nil {
				s.PatchSize, err = parseNumber("patches", f[1])
			}
			return err
		},
	}
}

func (p *Phase) settings() settings {
	return settings{
		"wait": &p.Wait, "service": &p.Service, "cpu": &p.CPU, "servers": &p.Servers, "slow": &p.Slow,
		"load": &p.Load, "arrivals": &p.Arrivals,
	}
}

// openPhase begins a phase as a copy of the one before.
func (s *Scenario) openPhase(key, value string) (settings, error) {
	if key != "at" {
		return nil, nil
	}
	t, err := parseSeconds(value)
	if err != nil {
		return nil, fmt.Errorf("at: %w", err)
	}
	p := s.Phases[len(s.Phases)-1]
	if t <= p.From {
		return nil, fmt.Errorf("at %s: want a time after the phase before", value)
	}
	p.From = t
	s.Phases = append(s.Phases, p)
	all := s.Phases[len(s.Phases)-1].settings()
	for key := range s.settings() {
		all[key] = func(string) error {
			return fmt.Errorf("%q holds for the whole scenario: give it above the first `at`", key)
		}
	}
	return all, nil
}
