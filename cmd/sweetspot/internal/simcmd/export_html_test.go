package simcmd

import (
	"io"
	"strings"

	"github.com/sweetspot-go/sweetspot/sim"
)

// PageOf returns the page about scenarios in the format of files and one law.
func PageOf(scenarios, law string) (string, error) {
	all, err := sim.Parse(strings.NewReader(scenarios))
	if err != nil {
		return "", err
	}
	entries, err := entriesOf([]string{law})
	if err != nil {
		return "", err
	}
	r := &result{scenarios: all, seeds: []uint64{1}}
	if err := r.judge(entries, io.Discard); err != nil {
		return "", err
	}
	var b strings.Builder
	err = r.writeHTML(&b)
	return b.String(), err
}

// LinePath returns the path of values, of which so many fall into a column,
// with as many columns as that takes spread over a panel.
func LinePath(values []int, per int) string {
	columns := len(values) / per
	a := panelAxes{seconds: float64(columns)}
	var trace []sim.Point
	for i, v := range values {
		trace = append(trace, sim.Point{At: float64(i / per), Limit: v})
	}
	line := a.line("x", trace, func(p sim.Point) int { return p.Limit })
	_, d, _ := strings.Cut(line, ` d="`)
	return strings.TrimSuffix(d, `"/>`)
}
