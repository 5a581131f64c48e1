package simcmd

import "github.com/sweetspot-go/sweetspot/sim"

var (
	ParseSeeds         = parseSeeds
	DefaultControllers = defaultControllers
)

// EntryNames returns the names of the controllers that names stand for.
func EntryNames(names ...string) ([]string, error) {
	es, err := entriesOf(names)
	var got []string
	for _, e := range es {
		if e.make() == nil {
			panic("no controller")
		}
		got = append(got, e.name)
	}
	return got, err
}

// BarScenarios returns the scenarios that have bars.
func BarScenarios() []string {
	var names []string
	for _, b := range allBars {
		names = append(names, b.scenario)
	}
	return names
}

// Verdicts returns all and the missed bars as text.
func Verdicts(rows []sim.Row) (all, miss []string, text string) {
	vs := verdicts(rows)
	for _, v := range vs {
		all = append(all, v.String())
	}
	for _, v := range missed(vs) {
		miss = append(miss, v.String())
	}
	return all, miss, describeBars(vs)
}
