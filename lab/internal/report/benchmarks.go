package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// Benchmarks writes all samples in the format of Go benchmarks, a line for each,
// so that benchstat compares runs of the lab:
//
//	BenchmarkA6/variant=Do/workers=12-2 1 1.2e+07 ns/run
//
// Config lines name the machine and the scale of the work; only figures with
// the same lines can be compared. Everything else is a comment, because
// benchstat would separate, for example, figures of different versions of Go.
// Failed experiments are left out.
func Benchmarks(f *figures.File, w io.Writer) error {
	m := f.Machine
	var b bytes.Buffer // which takes everything
	fmt.Fprintf(&b, "# sweetspot lab: %s, kernel %s, %s, %s, %s\n",
		m.Go, cmp.Or(m.Kernel, "unknown"), cmp.Or(memory(m.Memory), "memory unknown"), f.Run.Began.UTC().Format("2006-01-02 15:04 MST"), humanize.Count(f.Run.Rounds, "rounds"))
	out := benchfmt.NewWriter(&b)
	config := []benchfmt.Config{}
	for _, c := range []struct{ key, value string }{
		{"goos", m.OS}, {"goarch", m.Arch}, {"cpu", m.Model}, {"scale", f.Run.Scale},
	} {
		if c.value != "" { // an empty one would delete the key
			config = append(config, benchfmt.Config{Key: c.key, Value: []byte(strings.Join(strings.Fields(c.value), " ")), File: true})
		}
	}
	said := map[string]bool{}
	for _, e := range f.Experiments {
		if e.Error != "" {
			continue
		}
		for _, p := range e.Points {
			unit, factor := benchmarkUnit(p.Unit)
			if !said[unit] && !p.Aside {
				said[unit] = true
				out.Write(&benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}, OrigUnit: unit, Value: e.Better})
			}
			for _, v := range p.Samples {
				out.Write(&benchfmt.Result{
					Config: config,
					Name:   benchmarkName(&e, &p),
					Iters:  1,
					Values: []benchfmt.Value{{Value: v * factor, Unit: unit}},
				})
			}
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func benchmarkName(e *figures.Experiment, p *figures.Point) benchfmt.Name {
	part := func(s string) string { return strings.ReplaceAll(word(s), "/", "_") }
	name := part(e.ID) + "/variant=" + part(p.Label)
	if e.Axis.Name != "" {
		name += fmt.Sprintf("/%s=%g", part(e.Axis.Name), p.X)
	}
	// Go leaves out a GOMAXPROCS of 1; here a label might end in a number.
	return benchfmt.Name(fmt.Sprintf("%s-%d", name, p.CPUs))
}

// benchmarkUnit returns the unit as benchstat knows it, and the factor to it.
// For times it knows nanoseconds and seconds.
func benchmarkUnit(unit string) (string, float64) {
	if seconds, rest := humanize.Seconds(unit); seconds == 1e-9 {
		return "ns" + word(rest), 1
	} else if seconds != 0 {
		return "sec" + word(rest), seconds
	}
	return cmp.Or(word(unit), "figure"), 1
}

// word makes one word of a text, without characters that have a meaning in
// names.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r == '=':
			return '-'
		case r == ',' || r == '"':
			return -1
		}
		return r
	}, s)
}

// memory prints bytes, or nothing if they are not known.
func memory(n int64) string {
	if n == 0 {
		return ""
	}
	return humanize.Format(float64(n), "B")
}
