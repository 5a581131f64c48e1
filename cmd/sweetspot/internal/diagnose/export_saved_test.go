package diagnose

// InspectSource returns what sweetspot vet says of packages.
var InspectSource = inspectSource

// Compare sets a report beside an earlier one.
func Compare(base, r *Report) *Comparison { return compare(base, r) }
