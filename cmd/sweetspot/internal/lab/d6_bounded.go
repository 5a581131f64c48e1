package lab

import "fmt"

func d6() *experiment {
	const (
		loop      = "one by one"
		atOnce    = "all at once"
		semaphore = "semaphore"
		forEach   = "ForEach"
		inTime    = ", done in time"
	)
	ways := []struct {
		label string
		all   runAll
		ours  bool
	}{{atOnce, allAtOnce, false}, {semaphore, bySemaphore, false}, {forEach, byForEach, true}}
	return &experiment{
		id: "D6", title: "All runs at once, and as many as there are CPUs", article: articleGoroutines,
		about: "All runs of fib(27) by the plain recursion, each in a goroutine: all at once, and no more at a time than a semaphore of GOMAXPROCS lets. " +
			"The same within half the time that the semaphore has just needed for all runs, counting those done; the others fail, for a run looks at the time every few microseconds.",
		claim:  "none: announced as the second part of the article",
		size:   size{30, 1000, 1000, "runs"},
		better: lower,
		points: func(scale) []point {
			ps := []point{runsPoint(loop, false, oneByOne)}
			for _, w := range ways {
				ps = append(ps, runsPoint(w.label, w.ours, w.all))
			}
			for _, w := range ways {
				ps = append(ps, limitedPoint(w.label+inTime, w.ours, w.all))
			}
			return ps
		},
		judge: func(r *results) verdict {
			bounded := ratio(r.at(semaphore, 0), r.at(atOnce, 0))
			v := verdict{
				words: fmt.Sprintf("all at once is %v as fast as one by one, with %s; with a semaphore the runs take %v the time of that",
					r.speedup(r.at(atOnce, 0), r.at(loop, 0)), cpus(r.cpus), bounded),
				// What an article that calls goroutines not free may be expected to show: that
				// more of them than CPUs gain nothing, not even a tenth.
				holds: bounded.high <= 1.1,
				ours:  r.answer(),
			}
			ended := func(label string) string {
				done := r.at(label+inTime, 0).Y
				return fmt.Sprintf("%s runs and failed %s", three(done), three(float64(r.e.size.at(r.scale))-done))
			}
			v.words += fmt.Sprintf(". In half the time needed, all at once has done %s, and the semaphore done %s", ended(atOnce), ended(semaphore))
			v.notes = []string{fmt.Sprintf("in that time ForEach has done %s", ended(forEach))}
			return v
		},
	}
}
