package simcmd

// These are for tests.
var (
	DefaultControllers = defaultControllers
	WriteCompanies     = writeCompanies
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
