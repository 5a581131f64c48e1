//go:build !linux

package load

// A Load is not known on this system.
type Load struct{}

// Now returns what is known: nothing.
func Now() Load { return Load{} }

// OthersSince reports that nothing is known.
func (Load) OthersSince(Load) (cpus float64, known bool) { return 0, false }
