package simcmd

import (
	"fmt"
	"strings"

	"github.com/sweetspot-go/sweetspot/control"
)

// An entry is a controller under judgement.
type entry struct {
	name string
	make func() control.Controller
}

func entriesOf(names []string) ([]entry, error) {
	var all []entry
	seen := map[string]bool{}
	for _, n := range names {
		es, err := entryOf(strings.TrimSpace(n))
		if err != nil {
			return nil, err
		}
		for _, e := range es {
			if seen[e.name] {
				return nil, fmt.Errorf("controller %q is given twice", e.name)
			}
			seen[e.name] = true
		}
		all = append(all, es...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no controller: want some of %s", strings.Join(control.Names(), ", "))
	}
	return all, nil
}

// entryOf returns the controllers that one name stands for: that of a law, as
// control.ByName knows it, but for two names that mean more here.
func entryOf(name string) ([]entry, error) {
	switch name {
	case "dynamictarget":
		return entriesOf([]string{"dynamictarget:0.1", "dynamictarget:0.2", "dynamictarget:0.3"})
	case "fixed":
		return []entry{{"fixed(P)", func() control.Controller { return unmoved{} }}}, nil
	}
	if _, err := control.ByName(name); err != nil {
		return nil, err
	}
	shown := name
	if n, ok := strings.CutPrefix(name, "fixed:"); ok {
		shown = "fixed(" + n + ")"
	}
	return []entry{{shown, func() control.Controller {
		c, err := control.ByName(name)
		if err != nil {
			panic(err) // it was known above
		}
		return c
	}}}, nil
}

// unmoved leaves the limit where every run begins: at the number of CPUs.
type unmoved struct{}

func (unmoved) Next(r control.Reading) control.Decision { return control.Decision{Limit: r.Limit} }
