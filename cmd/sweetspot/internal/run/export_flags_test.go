package run

// FlagSummaries returns what completion says of each flag of the table.
func FlagSummaries() map[string]string {
	m := make(map[string]string, len(flags))
	for i := range flags {
		m[flags[i].name] = flags[i].summary()
	}
	return m
}
