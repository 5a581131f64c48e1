package run

import (
	"strings"

	"github.com/sweetspot-go/sweetspot/control"
)

// lawFlag is the value of --law: by which law the number of jobs is found. ""
// is the default.
type lawFlag string

// Set takes a name that [control.ByName] knows.
func (l *lawFlag) Set(s string) error {
	if _, err := control.ByName(s); err != nil {
		return err
	}
	*l = lawFlag(s)
	return nil
}

func (l lawFlag) controller() control.Controller {
	if l == "" {
		return control.NewOverload(control.NewSearch())
	}
	c, err := control.ByName(string(l))
	if err != nil {
		panic(err) // Set has tried it
	}
	return c
}

// LawNames returns the names of the laws, without the number that some take.
func LawNames() []string {
	names := control.Names()
	for i, n := range names {
		names[i], _, _ = strings.Cut(n, "[")
	}
	return names
}
