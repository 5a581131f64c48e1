package figures_test

import (
	"fmt"
	"strings"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

func ExampleRead() {
	f, err := figures.Read(strings.NewReader(`{"version": 1, "machine": {"cpus": 8},
		"experiments": [{"id": "A3", "title": "Counting", "verdict": "each costs 2 µs"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range f.Experiments {
		fmt.Printf("%s on %d CPUs: %s\n", e.Title, f.Machine.CPUs, e.Verdict)
	}
	// Output: Counting on 8 CPUs: each costs 2 µs
}

// A file that is written can be read again, and others can read its JSON.
func ExampleFile_Write() {
	f := &figures.File{Version: figures.Version, Run: figures.Run{Scale: "quick"}}
	var b strings.Builder
	if err := f.Write(&b); err != nil {
		fmt.Println(err)
		return
	}
	again, err := figures.Read(strings.NewReader(b.String()))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Run.Scale)
	// Output: quick
}

func ExampleFile_Count() {
	f := &figures.File{Experiments: []figures.Experiment{
		{ID: "A3", Effect: figures.Shows, Ours: &figures.Ours{Ratio: 2.1, Low: 1.9, High: 2.3}},
		{ID: "B1", Effect: figures.Shows, Ours: &figures.Ours{Ratio: 1.01, Low: 0.9, High: 1.1}},
		{ID: "C2", Error: "no sockets"},
	}}
	c := f.Count()
	fmt.Println("effects that show:", c.Shown)
	fmt.Println("better:", c.Ahead, "level:", c.Level)
	fmt.Println("not measured:", c.Failed)
	// Output:
	// effects that show: 2
	// better: 1 level: 1
	// not measured: [C2]
}

func ExampleEffect_Words() {
	for _, e := range []figures.Effect{figures.Shows, figures.Absent, figures.Untold, figures.Baseline} {
		fmt.Println(e.Words())
	}
	// Output:
	// shows here
	// does not show here
	// undecided at this size
	// a baseline
}

// The interval decides, not the ratio alone.
func ExampleOurs_Standing() {
	sure := figures.Ours{Ratio: 1.05, Low: 1.03, High: 1.07}
	unsure := figures.Ours{Ratio: 1.2, Low: 0.8, High: 1.6}
	fmt.Println(sure.Standing())
	fmt.Println(unsure.Standing())
	// Output:
	// better
	// no difference beyond the noise
}

// Ours is to do at least 97 % of the best variant of an article.
func ExampleOurs_Short() {
	for _, ratio := range []float64{1.2, 0.98, 0.9} {
		o := figures.Ours{Ratio: ratio}
		fmt.Println(ratio, o.Short())
	}
	// Output:
	// 1.2 false
	// 0.98 false
	// 0.9 true
}

func ExampleThisMachine() {
	m := figures.ThisMachine()
	fmt.Println("CPUs:", m.CPUs > 0, "version of Go:", strings.Contains(m.Go, "go"))
	// Output: CPUs: true version of Go: true
}
