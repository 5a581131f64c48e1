package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/sim"
)

func TestParseCompaniesReadsEverything(t *testing.T) {
	c := parsed(t, `
# a comment
company full   # another
	cpus 4
	seconds 90
	noise 0.05 2s
	tick 1ms
	others 3
	server db
		places 24
		service ln(20ms, 0.3)
		slow 1 up to 160; n/160
		most 200
		refusal exp(2ms)
		outage 20s 23s overloaded
	server api
		places 1
		service const(1s)
	process
		background 2
		limiters 10
			start 10s
			callers 256
			wait exp(3ms)
			calls db
			cpu exp(100us)
			slow 1 + n/100
			refuse 2.5%
		limiters 1
			calls api
	process
		limiters 2
			cpu exp(1ms)
`)
	if c.Name != "full" || c.CPUs != 4 || c.Seconds != 90 || c.Noise != 0.05 || c.NoiseTime != 2 || c.Tick != 0.001 || c.Others != 3 {
		t.Errorf("%+v", c)
	}
	if len(c.Servers) != 2 || len(c.Processes) != 2 || len(c.Processes[0].Limiters) != 2 || len(c.Processes[1].Limiters) != 1 {
		t.Fatalf("%+v", c)
	}
	s := c.Servers[0]
	if s.Name != "db" || s.Places != 24 || s.Service.String() != "ln(20ms, 0.3)" || s.Slow.At(320) != 2 || s.Most != 200 ||
		s.Refusal.String() != "exp(2ms)" || s.Outage != (sim.Outage{From: 20, To: 23, Overload: true}) {
		t.Errorf("%+v", s)
	}
	if s := c.Servers[1]; s.Refusal.String() != "const(1ms)" || s.Most != 0 || s.Outage != (sim.Outage{}) {
		t.Errorf("%+v", s)
	}
	l := c.Processes[0].Limiters[0]
	if c.Processes[0].Background != 2 || l.Count != 10 || l.Start != 10 || l.Callers != 256 || l.Wait.String() != "exp(3ms)" ||
		l.Calls != "db" || l.CPU.String() != "exp(100µs)" || l.Slow.At(100) != 2 || l.Refuse != 0.025 {
		t.Errorf("%+v", l)
	}
	if c := parsed(t, "company bare\ncpus 1\nseconds 1\nprocess\nlimiters 1\ncpu exp(1ms)"); c.Noise != 0.03 || c.NoiseTime != 1 || c.Tick != 0.004 {
		t.Errorf("%+v", c)
	}
}

func TestParseCompaniesErrors(t *testing.T) {
	const (
		head = "company x\ncpus 2\nseconds 10\n"
		tail = "process\nlimiters 1\ncpu exp(1ms)\n"
	)
	for _, c := range []struct{ text, want string }{
		{"", "no company: want a line `company NAME`"},
		{"cpus 2", "line 1: \"cpus\" before the first `company NAME`"},
		{"process", "line 1: \"process\" before the first `company NAME`"},
		{"company a b", "line 1: company name \"a b\": want one word"},
		{head + tail + head, "line 7: a second company is called \"x\""},
		{"\n" + head, "line 2: company \"x\": it has 0 Limiters: want 1 to 10000"},
		{head + "cpus 3", "line 4: \"cpus\" is given twice"},
		{head + "wait exp(1ms)", "line 4: unknown key \"wait\": want one of cpus, noise, others, seconds, tick, or company, server"},
		{head + "process\nwait exp(1ms)", "line 5: unknown key \"wait\": want one of background, share, or company"},
		{head + "process\nbackground few", "line 5: background \"few\": want a whole number"},
		{head + "process two", "line 4: process \"two\": want nothing after process"},
		{head + "others", "line 4: \"others\" has no value"},
		{head + "noise 1 2 3", "line 4: noise \"1 2 3\": want a standard deviation"},
		{head + "tick 4", "line 4: tick: \"4\" is not a time with a unit"},
		{head + "limiters 1", "line 4: limiters above the first `process`"},
		{head + "process\nlimiters many", "line 5: limiters \"many\": want a whole number"},
		{head + "process\nlimiters 0\ncpu exp(1ms)", "there are 0 Limiters of a kind"},
		{head + "process\nlimiters 1", "the units do nothing: want at least one of wait, calls, cpu"},
		{head + "process\nserver db", "line 5: server \"db\": want one word, above the first process"},
		{head + "server\n" + tail, "line 4: server \"\": want one word"},
		{head + "server db\nplaces 2\n" + tail, "server db: want a service and 1 to 100000 places, got service none, places 2"},
		{head + "server db\nservice exp(1ms)\nplaces 2\nserver db\n" + tail, "a server is called \"db\": want a name of its own"},
		{head + "server db\nservice exp(1ms)\nplaces 2\nmost -1\n" + tail, "most is -1: want 1 or more"},
		{head + "server db\nservice exp(1ms)\nplaces 2\nmost 1\nrefusal none\n" + tail, "it refuses units in no time"},
		{head + "server db\noutage 2s 3s", "line 5: outage \"2s 3s\": want a beginning, an end, and overloaded or ignored"},
		{head + "server db\noutage 2s 3 ignored", "line 5: outage: \"3\" is not a time"},
		{head + "server db\nservice exp(1ms)\nplaces 2\noutage 3s 2s ignored\n" + tail, "the outage lasts from 3 to 2 s"},
		{head + tail + "calls db", "a Limiter calls \"db\": no server has that name"},
		{head + tail + "refuse 5", "line 7: refuse \"5\": want a share in percent, such as 5%"},
		{head + tail + "refuse 100%", "refuse is 100 %: want 0 to less than 100"},
		{head + tail + "start 10s", "a Limiter starts at 10 s: want 0 to less than 10"},
		{head + tail + "callers -1", "callers is -1"},
		{head + tail + "wait ln(1ms)", "line 7: distribution \"ln(1ms)\""},
		{head + tail + "slow n n", "line 7: curve \"n n\""},
		{head + "process\nlimiters 1\nwait exp(1ms)\nslow n", "slow is a curve of computing, and the units do not compute"},
		{"company x\ncpus 0\nseconds 10\n" + tail, "cpus is 0: want 1 to 4096"},
		{"company x\ncpus 2\nseconds 1.01\n" + tail, "seconds is 1.01: want 1 to 86400, a multiple of 0.02"},
		{head + "noise 2\n" + tail, "noise is 2: want 0 to 1"},
		{head + "noise 0.1 0s\n" + tail, "the noise's time constant is 0 s"},
		{head + "tick 11ms\n" + tail, "tick is 0.011 s: want up to 0.01"},
		{head + "others -1\n" + tail, "others is -1"},
		{head + "process\nbackground -1\nlimiters 1\ncpu exp(1ms)", "background is -1"},
	} {
		if _, err := sim.ParseCompanies(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want %q", c.text, err, c.want)
		}
	}
}

func ExampleParseCompanies() {
	companies, err := sim.ParseCompanies(strings.NewReader(`
company shop
	cpus 4
	seconds 60
	server db
		places 24
		service ln(20ms, 0.3)
	process       # the shop
		limiters 3
			calls db
	process       # the report of the night
		limiters 1
			start 30s
			calls db
			cpu exp(2ms)
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range companies[0].Processes {
		for _, l := range p.Limiters {
			fmt.Println(l.Count, "from", l.Start, "s on")
		}
	}
	// Output:
	// 3 from 0 s on
	// 1 from 30 s on
}

func ExampleCompanies() {
	c := sim.Companies()[0]
	fmt.Println(c.Name, c.CPUs, c.Seconds, c.Processes[0].Background, c.Processes[0].Limiters[0].Wait)
	// Output: computing 2 30 2 ln(50ms, 0.3)
}
