package loop

// An Outcome says what became of a unit of work, see sweetspot.Outcome.
type Outcome uint8

const (
	Done Outcome = iota
	Ignored
	Overloaded
)

func doneIfNil(err error) Outcome {
	if err == nil {
		return Done
	}
	return Ignored
}
