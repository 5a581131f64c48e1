package sim

import (
	"fmt"
	"io"
	"strings"
)

// defaultTick is the step of a process's own CPU time, s: CONFIG_HZ is 250 in
// the kernels of most distributions. A refusal takes defaultRefusal, s.
const (
	defaultTick    = 0.004
	defaultRefusal = 0.001
)

// ParseCompanies reads companies in the format that the package documentation
// describes, as strictly as [Parse] reads scenarios.
func ParseCompanies(r io.Reader) ([]Company, error) {
	return (&fileReader[Company]{
		word: "company", words: "company, server, process, limiters",
		blank: func(name string) Company {
			return Company{Name: name, Noise: defaultNoise, NoiseTime: defaultNoiseTime, Tick: defaultTick}
		},
		first: func(c *Company) settings {
			return settings{
				"cpus": &c.CPUs, "seconds": &c.Seconds, "noise": noiseSetting(&c.Noise, &c.NoiseTime),
				"tick": (*seconds)(&c.Tick), "others": &c.Others,
			}
		},
		open: (*Company).open,
	}).read(r)
}

func (c *Company) open(key, value string) (settings, error) {
	switch key {
	case "server":
		if value == "" || strings.Contains(value, " ") || len(c.Processes) > 0 {
			return nil, fmt.Errorf("server %q: want one word, above the first process", value)
		}
		c.Servers = append(c.Servers, CompanyServer{Name: value, Refusal: Dist{Kind: Constant, A: defaultRefusal}})
		s := &c.Servers[len(c.Servers)-1]
		return settings{
			"places": &s.Places, "service": &s.Service, "slow": &s.Slow, "most": &s.Most, "refusal": &s.Refusal, "outage": s.Outage.parse,
		}, nil
	case "process":
		if value != "" {
			return nil, fmt.Errorf("process %q: want nothing after process", value)
		}
		c.Processes = append(c.Processes, CompanyProcess{})
		p := &c.Processes[len(c.Processes)-1]
		return settings{"share": &p.Share, "background": &p.Background}, nil
	case "limiters":
		var l CompanyLimiter
		if err := (settings{key: &l.Count}).set(key, value); err != nil {
			return nil, err
		}
		if len(c.Processes) == 0 {
			return nil, fmt.Errorf("limiters above the first `process`")
		}
		p := &c.Processes[len(c.Processes)-1]
		p.Limiters = append(p.Limiters, l)
		return p.Limiters[len(p.Limiters)-1].settings(), nil
	}
	return nil, nil
}

func (l *CompanyLimiter) settings() settings {
	return settings{
		"start": (*seconds)(&l.Start), "callers": &l.Callers, "wait": &l.Wait, "calls": &l.Calls, "cpu": &l.CPU, "slow": &l.Slow,
		"refuse": func(value string) (err error) {
			share, ok := strings.CutSuffix(value, "%")
			if l.Refuse, err = parseNumber("refuse", share); err != nil || !ok {
				err = fmt.Errorf("refuse %q: want a share in percent, such as 5%%", value)
			}
			l.Refuse /= 100
			return err
		},
	}
}

func (o *Outage) parse(value string) (err error) {
	f := strings.Fields(value)
	if len(f) != 3 || f[2] != "overloaded" && f[2] != "ignored" {
		return fmt.Errorf("outage %q: want a beginning, an end, and overloaded or ignored, such as 20s 23s ignored", value)
	}
	o.Overload = f[2] == "overloaded"
	times := settings{"outage": (*seconds)(&o.From)}
	if err = times.set("outage", f[0]); err == nil {
		times["outage"] = (*seconds)(&o.To)
		err = times.set("outage", f[1])
	}
	return err
}
