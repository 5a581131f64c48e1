package lab

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// a9 is what the first part of the article is about.
func a9() *experiment {
	const label, first, later, streamed = "Do", "Map, first call", "Map, eighth call", "MapSeq, eighth call"
	size := size{300, 3000, 3000, "waiting units"}
	return &experiment{
		id: "A9", size: size,
		axis: figures.Axis{Name: workersAxis.Name, Log2: true},
		points: func(s scale) []point {
			wait := waitOf(s)
			next := func(v uint64) (uint64, error) { return v + 1, nil }
			units := kind[uint64, uint64]{inputs: numbers, result: next, do: func(v uint64) (uint64, error) {
				time.Sleep(wait)
				return next(v)
			}}
			ps := each(waitingWorkers(s, size.at(s)), func(workers int) point { return once(doPoint(label, units, workers, wholeBuffer), 0) })
			if s == full {
				ps[0].rounds = 2 // 15 s on two CPUs, and the same to 1 % each time
			}
			return append(ps,
				once(mapPoint(first, units), 0),
				once(mapPoint(later, units), 7),
				once(streamPoint(streamed, units), 7))
		},
		judge: func(r *results) verdict {
			pools := r.of(label)
			all, most := r.at(label, float64(size.at(r.scale))), pools[len(pools)-1]
			rest := r.bestOf(func(p *figures.Point) bool { return p.Label == label && p.X < all.X })
			gain := ratio(rest, all)
			cpus := r.at(label, min(float64(r.cpus), all.X))
			a1, seq := r.answerTo(all, r.at(first, 0)), r.answerTo(all, r.at(streamed, 0))
			return verdict{
				words: fmt.Sprintf("a worker for each unit takes %s: %v as fast as %s, the best of fewer, and %v as fast as %d, the CPU count",
					humanize.Format(all.Y, all.Unit), gain, humanize.Count(int(rest.X), "workers"), ratio(cpus, all), int(cpus.X)),
				effect: gain.sees(1, slower),
				ours:   r.answerOf(isVariant, r.at(later, 0)),
				notes: []string{
					fmt.Sprintf("%s, more than there are units, take %v the time.", humanize.Count(int(most.X), "workers"), ratio(most, all)),
					fmt.Sprintf("The first Map takes %s, %v as fast as Do with %s and %s times as good as Do with one for each unit: it has to find the number by measuring, step by step.",
						humanize.Format(r.at(first, 0).Y, "ms"), ratio(cpus, r.at(first, 0)), humanize.Count(int(cpus.X), "workers"), humanize.Number(a1.Ratio)),
					fmt.Sprintf("MapSeq, which cannot know how many units will come, takes %s on its eighth call: %s times as good as a worker for each unit.",
						humanize.Format(r.at(streamed, 0).Y, "ms"), humanize.Number(seq.Ratio)),
				},
			}
		},
		short: func(r *results) string {
			times, turns := r.at(later, 0).Samples, 0
			for _, took := range times {
				if took > milliseconds(3*waitOf(r.scale)) {
					turns++
				}
			}
			return fmt.Sprintf("The eighth call takes %s ms. A call as short as these begins with the number of the last one, or with twice that number if the last one was faster. So it takes from the CPU count until about the fifth call to have a goroutine for each unit. "+
				"If something else slows a call down, the number may fall back, for example to 1,024 of 3,000. Then units wait in three turns of %s, as in %d of %s.", from(times), humanize.Format(milliseconds(waitOf(r.scale)), "ms"), turns, humanize.Count(len(times), "rounds"))
		},
	}
}

func waitOf(s scale) time.Duration { return time.Millisecond * by[time.Duration](s, 5, 10, 10) }

// waitingWorkers returns the numbers of workers of A9, up to n, one for each unit, and 2n
// and 4n. Only the article's size begins at 1, which takes as long as all others
// together.
func waitingWorkers(s scale, n int) []int {
	var ns []int
	cpus := min(runtime.GOMAXPROCS(0), n)
	for workers := by(s, cpus, cpus, 1); workers < n/2; workers *= by(s, 8, 4, 2) {
		ns = append(ns, workers)
	}
	ns = append(ns, cpus, n/2, n, 2*n, 4*n)
	slices.Sort(ns)
	return slices.Compact(ns)
}

// streamPoint measures MapSeq on units that come one by one.
func streamPoint[I, O comparable](label string, k kind[I, O]) point {
	return directPoint(label, k, func(units []I) ([]O, error) {
		var outs []O
		for out, err := range sweetspot.MapSeq(context.Background(), slices.Values(units), k.withContext()) {
			if err != nil {
				return nil, err
			}
			outs = append(outs, out)
		}
		return outs, nil
	}).asOurs()
}

// once is p with a single run, after some others that are not measured.
func once(p point, others int) point {
	set := p.set
	p.set = func(n int) (task, error) {
		t, err := set(n)
		t.once = true
		for range others {
			if err == nil {
				_, err = t.single()
			}
		}
		return t, err
	}
	return p
}
