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
	r := &result{Scenarios: all, Seeds: []uint64{1}}
	if err := r.judge(entries, io.Discard); err != nil {
		return "", err
	}
	var b strings.Builder
	err = r.writeHTML(&b)
	return b.String(), err
}
