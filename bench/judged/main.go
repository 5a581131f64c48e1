package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/seeds"
)

// options say how the suites are run.
type options struct {
	law   func() control.Controller
	name  string // of the law
	seeds []uint64
	md    bool
}

// page is where the tables are published, seen from the module's directory.
const page = "../docs/judged.md"

// A suite is the work of one other project.
type suite struct {
	name, about string
	run         func(options) []program.Table
	bubble      bool // it must run in a bubble of testing/synctest, and last
}

var suites = []suite{
	{"vector", "the tests of Vector's adaptive request concurrency", judgeVector, false},
	{"xet", "the uploads of Hugging Face's xet-core over 24 networks", judgeXet, false},
	{"dialogue", "the clients and servers of Palantir's dialogue", judgeDialogue, false},
	{"tripwire", "the overloads of Tripwire, beside failsafe-go", judgeTripwire, true},
}

func main() {
	chosen, o, err := parse(os.Args[1:], os.Stderr)
	if err != nil {
		program.Exit("judged", err)
	}
	for _, s := range chosen {
		judge := func() error { return s.judge(o, os.Stdout) }
		if s.bubble {
			inBubble(judge)
		}
		if err := judge(); err != nil {
			program.Exit("judged", err)
		}
	}
}

func (s suite) judge(o options, stdout io.Writer) error {
	for _, t := range s.run(o) {
		if err := program.Show(stdout, o.md, page, t.Name, t.String()); err != nil {
			return err
		}
	}
	return nil
}

func parse(args []string, out io.Writer) (chosen []suite, o options, err error) {
	f := program.NewFlags("judged", "Judges a law by the workloads of other projects.", "suite", suites,
		func(s suite) (name, about string) { return s.name, s.about }, out)
	seedList := f.String("seeds", "1-3", "`seeds`, as 1-3 or 1,5,9")
	f.StringVar(&o.name, "law", "search", "`law`, by its name in package control")
	f.BoolVar(&o.md, "md", false, "write the tables into "+page+" instead of printing them")
	if chosen, err = f.Parse(args); err != nil {
		return nil, o, err
	}
	if _, err := control.ByName(o.name); err != nil {
		return nil, o, err
	}
	o.law = func() control.Controller {
		law, _ := control.ByName(o.name) // it was fine above
		return law
	}
	if o.seeds, err = seeds.Parse(*seedList); err != nil {
		err = fmt.Errorf("-seeds: %w", err)
	}
	return chosen, o, err
}

// met is put before a result that meets its bar.
const met = "✓ "

// countMarks adds a row with the number of rows that have met their bars, for each column
// after those that are given.
func countMarks(t *program.Table, what string, given int) {
	count := make([]string, len(t.Head))
	count[0] = what
	for i := given; i < len(count); i++ {
		n := 0
		for _, r := range t.Rows {
			if strings.HasPrefix(r[i], met) {
				n++
			}
		}
		count[i] = fmt.Sprintf("%d of %d", n, len(t.Rows))
	}
	t.Add(count...)
}

//go:embed *.json
var files embed.FS

// read returns the scenarios in a file.
func read[T any](name string) (all []T) {
	data, err := files.ReadFile(name)
	if err == nil {
		in := json.NewDecoder(bytes.NewReader(data))
		in.DisallowUnknownFields()
		err = in.Decode(&all)
	}
	if err != nil {
		panic(fmt.Errorf("%s: %w", name, err)) // it is part of the program
	}
	return all
}

// figure formats a number with three digits.
func figure(x float64) string {
	switch {
	case x >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 9.995:
		return fmt.Sprintf("%.1f", x)
	case x == float64(int(x)):
		return fmt.Sprint(int(x))
	}
	return fmt.Sprintf("%.2f", x)
}
