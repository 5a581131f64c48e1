package diagnose

import "context"

// Kept is what is kept of the output of a process.
func Kept(ctx context.Context, mute bool, name string, args ...string) (string, error) {
	p, err := job{name: name, args: args, mute: mute}.run(ctx)
	return string(p.stdout), err
}

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
