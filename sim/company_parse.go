package sim

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ParseCompanies reads companies in the format that the package documentation
// describes, as strictly as [Parse] reads scenarios.
func ParseCompanies(r io.Reader) ([]Company, error) {
	p := &companyParser{}
	if err := eachSetting(r, &p.line, p.setting); err != nil {
		return nil, err
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	if len(p.companies) == 0 {
		return nil, fmt.Errorf("no company: want a line `company NAME` and its settings below")
	}
	return p.companies, nil
}

// companyParser holds what has been read of a file.
type companyParser struct {
	companies []Company
	line      int
	begun     int             // line of the company at hand
	block     string          // the line that began the block at hand: its first word
	seen      map[string]bool // keys given in it
}

// blockKeys are the keys of each block, for the error of an unknown one.
var blockKeys = map[string]string{
	"company":  "cpus, seconds, noise, tick, others, server, process",
	"server":   "places, service, slow, most, refusal, outage, server, process",
	"process":  "share, background, limiters, process",
	"limiters": "start, callers, wait, calls, cpu, slow, refuse, limiters, process",
}

// defaultTick is the step of a process's own CPU time, s: CONFIG_HZ is 250 in
// the kernels of most distributions. A refusal takes defaultRefusal, s.
const (
	defaultTick    = 0.004
	defaultRefusal = 0.001
)

// setting handles one line.
func (p *companyParser) setting(key, value string) error {
	switch key {
	case "company":
		return p.begin(value)
	case "server", "process", "limiters":
		return p.open(key, value)
	}
	if p.block == "" {
		return fmt.Errorf("%q before the first `company NAME`", key)
	}
	if p.seen[key] {
		return fmt.Errorf("%q is given twice", key)
	}
	p.seen[key] = true
	if value == "" {
		return fmt.Errorf("%q has no value", key)
	}
	var known bool
	var err error
	c := &p.companies[len(p.companies)-1]
	switch p.block {
	case "company":
		known, err = c.set(key, value)
	case "server":
		known, err = c.Servers[len(c.Servers)-1].set(key, value)
	case "process":
		known, err = c.Processes[len(c.Processes)-1].set(key, value)
	case "limiters":
		ls := c.Processes[len(c.Processes)-1].Limiters
		known, err = ls[len(ls)-1].set(key, value)
	}
	if !known {
		return fmt.Errorf("unknown key %q below %s: want company, %s", key, p.block, blockKeys[p.block])
	}
	return err
}

// begin opens a new company.
func (p *companyParser) begin(name string) error {
	if err := p.finish(); err != nil {
		return err
	}
	if name == "" || strings.ContainsAny(name, " ,") {
		return fmt.Errorf("company name %q: want one word without a comma", name)
	}
	for _, c := range p.companies {
		if c.Name == name {
			return fmt.Errorf("a second company is called %q", name)
		}
	}
	p.companies = append(p.companies, Company{Name: name, Noise: defaultNoise, NoiseTime: defaultNoiseTime, Tick: defaultTick})
	p.block, p.seen, p.begun = "company", map[string]bool{}, p.line
	return nil
}

// open begins a block of the company at hand.
func (p *companyParser) open(block, value string) error {
	if p.block == "" {
		return fmt.Errorf("%q before the first `company NAME`", block)
	}
	c := &p.companies[len(p.companies)-1]
	switch block {
	case "server":
		if value == "" || strings.Contains(value, " ") || len(c.Processes) > 0 {
			return fmt.Errorf("server %q: want one word, above the first process", value)
		}
		c.Servers = append(c.Servers, CompanyServer{Name: value, Refusal: Dist{Kind: Constant, A: defaultRefusal}})
	case "process":
		if value != "" {
			return fmt.Errorf("process %q: want nothing after process", value)
		}
		c.Processes = append(c.Processes, CompanyProcess{})
	case "limiters":
		n, err := parseWhole(block, value)
		if err != nil {
			return err
		}
		if len(c.Processes) == 0 {
			return fmt.Errorf("limiters above the first `process`")
		}
		ps := &c.Processes[len(c.Processes)-1]
		ps.Limiters = append(ps.Limiters, CompanyLimiter{Count: n})
	}
	p.block, p.seen = block, map[string]bool{}
	return nil
}

// finish checks the company at hand.
func (p *companyParser) finish() error {
	if len(p.companies) == 0 {
		return nil
	}
	if err := p.companies[len(p.companies)-1].Validate(); err != nil {
		return fmt.Errorf("line %d: %w", p.begun, err)
	}
	return nil
}

func (c *Company) set(key, value string) (known bool, err error) {
	switch key {
	case "cpus":
		c.CPUs, err = parseWhole(key, value)
	case "seconds":
		c.Seconds, err = parseNumber(key, value)
	case "noise":
		c.Noise, c.NoiseTime, err = parseNoise(value, c.NoiseTime)
	case "tick":
		c.Tick, err = parseTime(key, value)
	case "others":
		c.Others, err = parseWhole(key, value)
	default:
		return false, nil
	}
	return true, err
}

func (p *CompanyProcess) set(key, value string) (known bool, err error) {
	switch key {
	case "share":
		p.Share = value
	case "background":
		p.Background, err = parseWhole(key, value)
	default:
		return false, nil
	}
	return true, err
}

func (s *CompanyServer) set(key, value string) (known bool, err error) {
	switch key {
	case "places":
		s.Places, err = parseWhole(key, value)
	case "service":
		s.Service, err = ParseDist(value)
	case "slow":
		s.Slow, err = ParseCurve(value)
	case "most":
		s.Most, err = parseWhole(key, value)
	case "refusal":
		s.Refusal, err = ParseDist(value)
	case "outage":
		err = s.Outage.parse(value)
	default:
		return false, nil
	}
	return true, err
}

func (o *Outage) parse(value string) (err error) {
	f := strings.Fields(value)
	if len(f) != 3 || f[2] != "overloaded" && f[2] != "ignored" {
		return fmt.Errorf("outage %q: want a beginning, an end, and overloaded or ignored, such as 20s 23s ignored", value)
	}
	o.Overload = f[2] == "overloaded"
	if o.From, err = parseTime("outage", f[0]); err == nil {
		o.To, err = parseTime("outage", f[1])
	}
	return err
}

func (l *CompanyLimiter) set(key, value string) (known bool, err error) {
	switch key {
	case "start":
		l.Start, err = parseTime(key, value)
	case "callers":
		l.Callers, err = parseWhole(key, value)
	case "wait":
		l.Wait, err = ParseDist(value)
	case "calls":
		l.Calls = value
	case "cpu":
		l.CPU, err = ParseDist(value)
	case "slow":
		l.Slow, err = ParseCurve(value)
	case "refuse":
		share, ok := strings.CutSuffix(value, "%")
		if l.Refuse, err = parseNumber(key, share); err != nil || !ok {
			err = fmt.Errorf("refuse %q: want a share in percent, such as 5%%", value)
		}
		l.Refuse /= 100
	default:
		return false, nil
	}
	return true, err
}

func parseWhole(key, value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0, fmt.Errorf("%s %q: want a whole number", key, value)
	}
	return n, nil
}

func parseTime(key, value string) (float64, error) {
	t, err := parseSeconds(value)
	if err != nil {
		err = fmt.Errorf("%s: %w", key, err)
	}
	return t, err
}
