package simcmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sweetspot-go/sweetspot/control"
)

// An entry is a controller under judgement.
type entry struct {
	name string
	make func() control.Controller
}

// changeRate is how large a relative change of CPU usage moves the article's
// target: that of its published implementation's example.
const changeRate = 0.1

// stepTarget is the CPU usage, in percent, that step strives for.
const stepTarget = 90

const entryUsage = "want search, dynamictarget[:GAIN], step[:PERCENT] or fixed[:N]"

// entriesOf returns the controllers of the given names.
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
		return nil, fmt.Errorf("no controller: %s", entryUsage)
	}
	return all, nil
}

// entryOf returns the controllers that one name stands for.
func entryOf(name string) ([]entry, error) {
	kind, arg, has := strings.Cut(name, ":")
	x, err := strconv.ParseFloat(arg, 64)
	if has && (err != nil || !(x > 0 && x <= 1e6)) {
		return nil, fmt.Errorf("controller %q: want a number above 0 after the colon", name)
	}
	switch {
	case name == "search":
		return []entry{{name, func() control.Controller { return control.NewSearch() }}}, nil
	case name == "dynamictarget":
		return entriesOf([]string{"dynamictarget:0.1", "dynamictarget:0.2", "dynamictarget:0.3"})
	case kind == "dynamictarget":
		return []entry{{name, func() control.Controller { return control.NewDynamicTarget(x, changeRate) }}}, nil
	case kind == "step":
		target := float64(stepTarget)
		if has {
			target = x
		}
		if target > 100 {
			return nil, fmt.Errorf("controller %q: the target is in percent, at most 100", name)
		}
		return []entry{{name, func() control.Controller { return control.NewStep(target) }}}, nil
	case name == "fixed":
		return []entry{{"fixed(P)", func() control.Controller { return unmoved{} }}}, nil
	case kind == "fixed":
		n := int(x)
		if float64(n) != x {
			return nil, fmt.Errorf("controller %q: want a whole number", name)
		}
		return []entry{{fmt.Sprintf("fixed(%d)", n), func() control.Controller { return control.NewFixed(n) }}}, nil
	}
	return nil, fmt.Errorf("unknown controller %q: %s", name, entryUsage)
}

// unmoved leaves the limit where every run begins: at the number of CPUs.
type unmoved struct{}

func (unmoved) Next(r control.Reading) control.Decision { return control.Decision{Limit: r.Limit} }
