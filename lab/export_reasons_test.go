package lab

import "fmt"

var (
	ExplainAll     = explainAll
	RoundsToTell   = roundsToTell
	RoundsToDecide = roundsToDecide
	RoundsToDiffer = roundsToDiffer
)

// Reasons are what an experiment says of why it cannot be told and of why ours falls
// short, whether that is so or not, of figures that are all near 1.
func Reasons(id, scale string) (why [2]string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	e := find(id)
	if e.untold == nil && e.short == nil {
		return why, nil
	}
	r, _ := madeUp(e, scale, int(allCPUs()), nil)
	for i, f := range []func(*results) string{e.untold, e.short} {
		if f != nil {
			why[i] = f(r)
		}
	}
	return why, nil
}
