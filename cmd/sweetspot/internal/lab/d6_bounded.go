package lab

import "fmt"

func d6() *experiment {
	const (
		loop      = "one by one"
		atOnce    = "all at once"
		semaphore = "semaphore"
		forEach   = "ForEach"
		inTime    = ", done in time"
		late      = ", failed"
	)
	ways := []struct {
		label string
		all   runAll
		ours  bool
	}{{atOnce, allAtOnce, false}, {semaphore, bySemaphore, false}, {forEach, byForEach, true}}
	return &experiment{
		id: "D6", title: "All runs at once, and as many as there are CPUs", article: articleGoroutines,
		about: "All runs of fib(27) by the plain recursion, each in a goroutine: all at once, and no more at a time than a semaphore of GOMAXPROCS lets. " +
			"The same within half the time that all CPUs need for all runs, counting those done and those that failed; a run looks at the time every few microseconds.",
		claim:  "none: announced as the second part of the article",
		size:   size{30, 1000, 1000, "runs"},
		better: lower,
		points: func(scale) []point {
			ps := []point{runsPoint(loop, false, oneByOne)}
			for _, w := range ways {
				ps = append(ps, runsPoint(w.label, w.ours, w.all))
			}
			for _, w := range ways {
				ps = append(ps, limitedPoint(w.label+inTime, w.ours, w.all, false), limitedPoint(w.label+late, w.ours, w.all, true))
			}
			return ps
		},
		judge: func(r *results) verdict {
			bounded := ratio(r.at(semaphore, 0), r.at(atOnce, 0))
			v := verdict{
				words: fmt.Sprintf("all at once is %v as fast as one by one, with %s; with a semaphore the runs take %v the time of that",
					r.speedup(r.at(atOnce, 0), r.at(loop, 0)), cpus(r.cpus), bounded),
				// What an article that calls goroutines not free may be expected to show: that
				// more of them than CPUs gain nothing.
				holds: bounded.low <= 1,
				ours:  r.answer(),
			}
			v.words += fmt.Sprintf(". In half the time needed, all at once has done %s runs, and the semaphore %s; the others failed",
				three(r.at(atOnce+inTime, 0).Y), three(r.at(semaphore+inTime, 0).Y))
			v.notes = []string{fmt.Sprintf("in that time ForEach has done %s runs", three(r.at(forEach+inTime, 0).Y))}
			return v
		},
	}
}
