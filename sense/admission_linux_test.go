package sense

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A simulated job grows evenly to its size over the first part of its time.
type simulatedJob struct {
	size, lasts float64 // bytes, s
	grows       float64 // part of its time
}

// A simulatedRun is one that runs.
type simulatedRun struct {
	simulatedJob
	pid       int
	began     time.Duration
	ran       float64 // s
	suspended bool
}

func (r *simulatedRun) held() float64 { return r.size * min(1, max(0.005, r.ran/(r.grows*r.lasts))) }

// A way to run simulated jobs: n at a time or, if that is 0, as the family admits them, on credit or not.
type way struct {
	n      int
	credit bool
}

// simulateJobs runs jobs in so much memory. It returns how long that takes, s, how many were killed, the
// largest first, and for how long one was suspended at most, s.
func simulateJobs(jobs []simulatedJob, memory float64, w way) (took float64, kills int, waited float64) {
	const step, look = 2 * time.Millisecond, 20 * time.Millisecond
	f := &family{jobs: map[int]*job{}}
	var running []simulatedRun
	var now time.Duration
	var lent credit
	again := false
	used := func() (sum float64) {
		for i := range running {
			sum += running[i].held()
		}
		return sum
	}
	see := func() {
		for i := range running {
			r := &running[i]
			f.seen(r.pid, r.began, sight{cpu: r.ran, held: r.held()}, now)
		}
	}
	admits := func() bool {
		see()
		free := roomOf(memory-used(), memory, true).free
		if most, _, _ := f.fits(now, free, 1); most > 0 {
			return true
		}
		again = w.credit
		return w.credit && f.lends(now, free, 0)
	}
	end := func(at int, killed bool) {
		r := running[at]
		waited = max(waited, (now-r.began).Seconds()-r.ran)
		cpu, most := r.lasts, r.size
		if killed {
			cpu, most = 0, r.held()
			kills++
		}
		f.reaped(r.pid, cpu, int64(most), now)
		running = slices.Delete(running, at, at+1)
	}
	for pid := 0; pid < len(jobs) || len(running) > 0; now += step {
		before := len(running)
		for i := len(running) - 1; i >= 0; i-- {
			r := &running[i]
			if !r.suspended {
				r.ran += step.Seconds()
			}
			if r.ran >= r.lasts {
				end(i, false)
			}
		}
		for used() > memory {
			largest := 0
			for i := range running {
				if running[i].held() > running[largest].held() {
					largest = i
				}
			}
			end(largest, true)
		}
		if again && now%SuspendEvery == 0 {
			see()
			var suspended, resumed []int
			suspended, resumed, again = f.suspend(&lent, now, roomOf(memory-used(), memory, true))
			for i := range running {
				r := &running[i]
				r.suspended = (r.suspended || slices.Contains(suspended, r.pid)) && !slices.Contains(resumed, r.pid)
			}
		}
		asked := len(running) < before || now%look == 0
		for pid < len(jobs) && (w.n > 0 && len(running) < w.n || w.n == 0 && asked && (len(running) == 0 || admits())) {
			running = append(running, simulatedRun{simulatedJob: jobs[pid], pid: pid, began: now})
			f.started(pid, now)
			pid++
		}
	}
	return now.Seconds(), kills, waited
}

// Admission takes little longer than the best fixed number that never has a job killed, on
// credit less, and hardly ever has one killed itself.
func TestAdmissionOfSimulatedJobs(t *testing.T) {
	rerun.Serial(t)
	for _, list := range []struct {
		jobs              int
		least, most, room float64 // MiB
		grows             float64
		slower, credit    float64 // at most: time over that of the best number
	}{
		{40, 150, 1000, 3072, 0.5, 1.15, 0.95},
		{40, 150, 1000, 4096, 0.5, 1.15, 0.95},
		{60, 200, 2000, 3072, 0.5, 1, 0.7},
		{60, 200, 2000, 4096, 0.5, 1.15, 0.95},
		{40, 150, 1000, 3072, 0.2, 1.1, 0.95},
		{40, 150, 1000, 3072, 1, 1.2, 1},
	} {
		const draws = 40
		rng := rand.New(rand.NewPCG(3, 4))
		took, kills := map[way]float64{}, map[way]int{}
		for range draws {
			jobs := make([]simulatedJob, list.jobs)
			for i := range jobs {
				jobs[i] = simulatedJob{(list.least + (list.most-list.least)*rng.Float64()) * mb, 0.2 + 0.4*rng.Float64(), list.grows}
			}
			for _, w := range []way{{credit: true}, {}, {n: 1}, {n: 2}, {n: 3}, {n: 4}, {n: 5}} {
				if w.n > 1 && kills[way{n: w.n - 1}] > 0 {
					kills[w]++ // more would only be worse
					continue
				}
				s, killed, waited := simulateJobs(jobs, list.room*mb, w)
				took[w] += s
				kills[w] += killed
				if most := (patience + SuspendEvery).Seconds(); waited > most {
					t.Errorf("%+v: a job was suspended for %.1f s, more than %.1f", list, waited, most)
				}
			}
		}
		best := way{n: 1}
		for n := 2; n <= 5 && kills[way{n: n}] == 0; n++ {
			best.n = n
		}
		for w, most := range map[way]float64{{}: list.slower, {credit: true}: list.credit} {
			t.Logf("%+v, credit %v: %.2f of the time of %d at a time; %d of %d killed",
				list, w.credit, took[w]/took[best], best.n, kills[w], draws*list.jobs)
			if took[w] > most*took[best] || 500*kills[w] > draws*list.jobs {
				t.Errorf("%+v, credit %v: %.2f of the time of %d at a time, %d of %d killed; want %v, and 1 in 500",
					list, w.credit, took[w]/took[best], best.n, kills[w], draws*list.jobs, most)
			}
		}
	}
}
