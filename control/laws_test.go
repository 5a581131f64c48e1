package control_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
)

func ExampleByName() {
	c, err := control.ByName("step:75")
	fmt.Printf("%T %v\n", c, err)
	_, err = control.ByName("vega")
	fmt.Println(err)
	// Output:
	// *control.Step <nil>
	// unknown law "vega": want one of search, dynamictarget[:GAIN], step[:PERCENT], fixedtarget[:PERCENT], aimd[:SLOW], vegas, gradient2[:TOLERANCE], hillclimbing, fixed:N
}

func ExampleNames() {
	fmt.Println(control.Names()[0])
	// Output: search
}

func TestByName(t *testing.T) {
	for name, want := range map[string]string{
		"search":            "*control.Overload",
		"dynamictarget":     "*control.DynamicTarget",
		"dynamictarget:0.3": "*control.DynamicTarget",
		"step":              "*control.Step",
		"step:100":          "*control.Step",
		"fixedtarget":       "*control.FixedTarget",
		"fixedtarget:12.5":  "*control.FixedTarget",
		"aimd":              "*control.AIMD",
		"aimd:2":            "*control.AIMD",
		"vegas":             "*control.Vegas",
		"gradient2":         "*control.Gradient2",
		"gradient2:1":       "*control.Gradient2",
		"hillclimbing":      "*control.HillClimbing",
		"fixed:7":           "*control.Fixed",
	} {
		c, err := control.ByName(name)
		if got := fmt.Sprintf("%T", c); err != nil || got != want {
			t.Errorf("%q: %s, %v; want %s", name, got, err, want)
			continue
		}
		r := control.Reading{Limit: 3, CPUs: 2}
		if d := c.Next(r); d.Limit < 1 || d.Reason.Kind != control.Start {
			t.Errorf("%q: first decision %+v", name, d)
		}
	}
}

// The argument arrives.
func TestByNameArgument(t *testing.T) {
	if c, _ := control.ByName("aimd:2.5"); c.(*control.AIMD).Slow != 2.5 {
		t.Errorf("aimd:2.5 has Slow %v", c.(*control.AIMD).Slow)
	}
	if c, _ := control.ByName("aimd"); c.(*control.AIMD).Slow != 0 {
		t.Errorf("aimd has Slow %v, want none as published", c.(*control.AIMD).Slow)
	}
	if c, _ := control.ByName("fixed:12"); c.Next(control.Reading{Limit: 1}).Limit != 12 {
		t.Error("fixed:12 decides another number")
	}
	for name, usage := range map[string]string{"step:60": "target 60 %", "step": "target 90 %", "fixedtarget:55": "target 55 %"} {
		c, _ := control.ByName(name)
		plant := cpuBound(64)
		seen := ""
		r := control.Reading{Limit: 1, CPUs: plant.cpus, Waiting: 1}
		for range 30 {
			d := c.Next(r)
			seen += d.Reason.Note
			r.Limit = d.Limit
			r.At += d.After
			r.OwnCPU += float64(r.Limit) * d.After.Seconds()
		}
		if !strings.Contains(seen, usage) {
			t.Errorf("%s: %q, want %q", name, seen, usage)
		}
	}
}

func TestByNameRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"":                  `unknown law "": want one of search, `,
		"pid":               `unknown law "pid"`,
		"Search":            `unknown law "Search"`,
		"search:1":          `law "search:1": takes no argument`,
		"vegas:2":           "takes no argument",
		"hillclimbing:":     "want a number after the colon",
		"dynamictarget:":    "want a number after the colon",
		"dynamictarget:0":   "want a gain above 0 and at most 1000",
		"dynamictarget:1e9": "want a gain above 0 and at most 1000",
		"step:101":          "above 0 and at most 100",
		"step:NaN":          "want a number after the colon",
		"fixedtarget:0":     "above 0 and at most 100",
		"aimd:1":            "want a factor above 1",
		"aimd:-2":           "want a factor above 1",
		"gradient2:0.5":     "at least 1",
		"gradient2:Inf":     "want a number after the colon",
		"fixed":             "a whole number of at least 1",
		"fixed:0":           "a whole number of at least 1",
		"fixed:1.5":         "a whole number of at least 1",
		"fixed:1e12":        "a whole number of at least 1",
	} {
		c, err := control.ByName(name)
		if c != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want an error with %q", name, c, err, want)
		}
	}
}

// Whoever shows the names shows all that can be asked for, and each only once.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, form := range control.Names() {
		name, _, _ := strings.Cut(strings.TrimSuffix(form, "]"), "[")
		name, argument, needed := strings.Cut(name, ":")
		if needed && argument != "" {
			name += ":7"
		}
		if _, err := control.ByName(name); err != nil || seen[name] {
			t.Errorf("%q: %v, seen before: %v", form, err, seen[name])
		}
		seen[name] = true
	}
	if len(seen) < 9 {
		t.Errorf("%d names, want 9 at least", len(seen))
	}
}
