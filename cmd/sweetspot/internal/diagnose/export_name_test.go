package diagnose

// FileName is the name of the directory of a benchmark's recordings.
var FileName = fileName

// ControlOf is what is seen of a loop in registers after so many rounds.
func ControlOf(procs []int, rounds int) []float64 {
	r, o := &recorder{Options: Options{Procs: procs}}, &Observation{}
	for range rounds {
		r.control(o)
	}
	return o.Control
}

// Quoted is a flag among those that the go command splits at spaces.
var Quoted = quoted
