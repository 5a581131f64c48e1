package sim_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/sim"
)

func TestParseEverything(t *testing.T) {
	const file = `
# a comment
scenario full   # another
	cpus 4
	seconds 90
	noise 0.05 2s
	patches 0.5 2000
	theirs 0.7
	tick 4ms
	wait ln(2ms, 1)
	service const(30ms)
	servers 16
	cpu exp(100us)
	slow 1 + n/100
	load 1.5
	arrivals 250
	at 30s
		servers 128
		slow 1
	at 60s
		service none
		servers 0
		arrivals 0
scenario bare
	cpus 1
	seconds 1
	noise 0
	cpu const(1ms)
`
	got, err := sim.Parse(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || len(got[0].Phases) != 3 || len(got[1].Phases) != 1 {
		t.Fatalf("got %+v", got)
	}
	s := got[0]
	if s.Name != "full" || s.P != 4 || s.Seconds != 90 || s.Noise != 0.05 || s.NoiseTime != 2 || s.Tick != 0.004 ||
		s.Patches != 0.5 || s.PatchSize != 2000 || s.Theirs != 0.7 {
		t.Errorf("got %+v", s)
	}
	a, b, c := s.Phases[0], s.Phases[1], s.Phases[2]
	if a.Wait.String() != "ln(2ms, 1)" || a.Service.String() != "const(30ms)" || a.CPU.String() != "exp(100µs)" ||
		a.Servers != 16 || a.Slow.At(100) != 2 || a.Load != 1.5 || a.Arrivals != 250 {
		t.Errorf("first phase: %+v", a)
	}
	if b.From != 30 || b.Servers != 128 || b.Slow.At(100) != 1 || b.Load != 1.5 || b.Wait != a.Wait {
		t.Errorf("second phase: %+v", b)
	}
	if c.From != 60 || c.Service.Kind != sim.Absent || c.Arrivals != 0 || c.CPU != a.CPU {
		t.Errorf("third phase: %+v", c)
	}
	if got[1].Noise != 0 || got[1].Tick != 0 || got[1].Patches != 0 || got[1].Theirs != 0 {
		t.Errorf("%+v: want no noise, tick, patches and others", got[1])
	}
}

func TestParseErrors(t *testing.T) {
	const ok = "scenario a\ncpus 4\nseconds 10\ncpu exp(1ms)\n"
	for file, want := range map[string]string{
		"":                                 "no scenario: want a line `scenario NAME`",
		"# only a comment":                 "no scenario",
		"cpus 4":                           `line 1: "cpus" before the first`,
		"scenario":                         "line 1: scenario name",
		"scenario a b":                     "line 1: scenario name",
		"scenario a,b":                     "line 1: scenario name",
		ok + ok:                            `line 5: a second scenario is called "a"`,
		ok + "cpus 2":                      `line 5: "cpus" is given twice`,
		ok + "wat exp(1ms)":                `line 5: unknown key "wat": want one of arrivals, cpu, cpus, load`,
		ok + "wait":                        `line 5: "wait" has no value`,
		ok + "wait 1ms":                    "line 5: distribution",
		ok + "slow n-1":                    "line 5: curve",
		ok + "load x":                      "line 5: load \"x\": want a number",
		ok + "load 4":                      "less than the 4 CPUs",
		ok + "load NaN":                    "less than the 4 CPUs",
		ok + "arrivals -1":                 "arrivals is -1",
		ok + "servers 1.5":                 "line 5: servers \"1.5\": want a whole number",
		ok + "servers 2":                   "service and servers belong together",
		ok + "service exp(1s)":             "service and servers belong together",
		ok + "service exp(1s)\nservers -1": "servers is -1",
		"scenario a\ncpus 4\nseconds 9\ncpu const(1ms)\nwait const(9ms)": "such as uniform(900µs, 1.1ms) for const(1ms)",
		ok + "noise 0.1 1s 3":                           "line 5: noise",
		ok + "noise 0.1 1":                              "not a time with a unit",
		ok + "noise 2":                                  "noise is 2: want 0 to 1",
		ok + "noise 0.1 0s":                             "want one above 0",
		ok + "patches 0.5":                              "line 5: patches \"0.5\": want a standard deviation and a number of units, such as 0.5 2000",
		ok + "patches x 5":                              "line 5: patches \"x\": want a number",
		ok + "patches 0.5 x":                            "line 5: patches \"x\": want a number",
		ok + "patches -1 5":                             "patches is -1: want 0 to 2",
		ok + "patches 0.5 0":                            "a patch has 0 units: want 1 or more",
		ok + "theirs 1.5":                               "theirs is 1.5: want 0 to 1",
		ok + "at 5s\ntheirs 0.5":                        `line 6: "theirs" holds for the whole scenario`,
		ok + "tick 4":                                   "line 5: tick: \"4\" is not a time with a unit",
		ok + "tick 20ms":                                "tick is 0.02 s: want up to 0.01",
		ok + "at 5s\ntick 1ms":                          `line 6: "tick" holds for the whole scenario`,
		ok + "at x":                                     "line 5: at: \"x\" is not a time",
		ok + "at 0s":                                    "line 5: at 0s: want a time after",
		ok + "at 20s":                                   "a phase begins at 20 s",
		ok + "at 1.005s":                                "multiples of 0.01",
		ok + "at 5s\nseconds 20":                        `line 6: "seconds" holds for the whole scenario`,
		ok + "at 5s\nload 1\nload 2":                    `line 7: "load" is given twice`,
		ok + "at 5s\nat 4s":                             "line 6: at 4s: want a time after",
		"scenario a\nseconds 10\ncpu exp(1ms)":          "line 1: scenario \"a\": cpus is 0",
		"scenario a\ncpus x":                            "line 2: cpus \"x\": want a whole number",
		"scenario a\ncpus 4\ncpu exp(1ms)":              "seconds is 0",
		"scenario a\ncpus 4\nseconds 0.5\ncpu exp(1ms)": "seconds is 0.5",
		"scenario a\ncpus 4\nseconds 1.005\ncpu exp(1ms)": "seconds is 1.005",
		"scenario a\ncpus 4\nseconds 10":                  "the units do nothing",
		"scenario a\n" + strings.Repeat("x", 1<<17):       "line 2: ",
	} {
		if _, err := sim.Parse(strings.NewReader(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%.60q): %v; want an error with %q", file, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("scenario a\ncpus 4\nseconds 10\ncpu exp(1ms)\nat 5s\nload 2\n")
	b, err := os.ReadFile("scenarios.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(b))
	f.Fuzz(func(t *testing.T, file string) {
		got, err := sim.Parse(strings.NewReader(file))
		if err != nil {
			return
		}
		for _, s := range got {
			if err := s.Validate(); err != nil {
				t.Error(err)
			}
		}
	})
}

func ExampleParse() {
	scenarios, err := sim.Parse(strings.NewReader(`
scenario disk
	cpus 4
	seconds 60
	cpu ln(100us, 1)
	service ln(8ms, 0.5)
	servers 1
	slow 1 + 0.3*(n-1)
	at 30s
		load 2   # a neighbour
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(scenarios[0].Name, scenarios[0].Phases[1].Load, sim.SweetSpot(scenarios[0], 0))
	_, err = sim.Parse(strings.NewReader("scenario a\n\tcpu 5ms"))
	fmt.Println(err)
	// Output:
	// disk 2 1
	// line 2: distribution "5ms": want const(mean), exp(mean), ln(mean, cv), pareto(mean, alpha), uniform(low, high) or none
}
