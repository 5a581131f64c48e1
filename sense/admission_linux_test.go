package sense

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A simulated job grows evenly to its size over the first half of its time.
type simulatedJob struct{ size, lasts float64 } // bytes, s

// A simulatedRun is one that runs.
type simulatedRun struct {
	simulatedJob
	pid   int
	began time.Duration
}

func (r simulatedRun) age(now time.Duration) float64 { return (now - r.began).Seconds() }

func (r simulatedRun) held(now time.Duration) float64 {
	return r.size * min(1, max(0.005, r.age(now)/(r.lasts/2)))
}

// simulateJobs runs jobs in so much memory: n at a time or, if that is 0, as the family admits
// them. It returns how long that takes, s, and how many were killed, the largest first.
func simulateJobs(jobs []simulatedJob, memory float64, n int) (took float64, kills int) {
	const step, look = 2 * time.Millisecond, 20 * time.Millisecond
	f := &family{jobs: map[int]*job{}}
	var running []simulatedRun
	var now time.Duration
	used := func() (sum float64) {
		for _, r := range running {
			sum += r.held(now)
		}
		return sum
	}
	admits := func() bool {
		for _, r := range running {
			f.seen(r.pid, r.began, sight{cpu: r.age(now), held: r.held(now)}, now)
		}
		most, _, _ := f.fits(now, roomOf(memory-used(), memory, true).free, 1)
		return most > 0
	}
	for pid := 0; pid < len(jobs) || len(running) > 0; now += step {
		before := len(running)
		running = slices.DeleteFunc(running, func(r simulatedRun) bool {
			if r.age(now) < r.lasts {
				return false
			}
			f.reaped(r.pid, r.lasts, int64(r.size), now)
			return true
		})
		for used() > memory {
			largest := slices.IndexFunc(running, func(r simulatedRun) bool {
				return !slices.ContainsFunc(running, func(other simulatedRun) bool { return other.held(now) > r.held(now) })
			})
			f.reaped(running[largest].pid, 0, int64(running[largest].held(now)), now)
			running = slices.Delete(running, largest, largest+1)
			kills++
		}
		asked := len(running) < before || now%look == 0
		for pid < len(jobs) && (n > 0 && len(running) < n || n == 0 && asked && (len(running) == 0 || admits())) {
			running = append(running, simulatedRun{jobs[pid], pid, now})
			f.started(pid, now)
			pid++
		}
	}
	return now.Seconds(), kills
}

// Admission takes little longer than the best fixed number that never has a job killed, and
// hardly ever has one killed itself.
func TestAdmissionOfSimulatedJobs(t *testing.T) {
	for _, list := range []struct {
		jobs              int
		least, most, room float64 // MiB
	}{
		{40, 150, 1000, 3072},
		{40, 150, 1000, 4096},
		{60, 200, 2000, 3072},
		{60, 200, 2000, 4096},
	} {
		const draws = 40
		rng := rand.New(rand.NewPCG(3, 4))
		var took [6]float64 // in all: as admitted, and at 1 to 5
		var kills [6]int
		for range draws {
			jobs := make([]simulatedJob, list.jobs)
			for i := range jobs {
				jobs[i] = simulatedJob{(list.least + (list.most-list.least)*rng.Float64()) * mb, 0.2 + 0.4*rng.Float64()}
			}
			for n := range took {
				if n > 1 && kills[n-1] > 0 {
					kills[n]++ // more would only be worse
					continue
				}
				s, killed := simulateJobs(jobs, list.room*mb, n)
				took[n] += s
				kills[n] += killed
			}
		}
		best := 1
		for n := 2; n < len(took) && kills[n] == 0; n++ {
			best = n
		}
		t.Logf("%d jobs of %v to %v MiB in %v: %.2f of the time of %d at a time; %d of %d killed",
			list.jobs, list.least, list.most, list.room, took[0]/took[best], best, kills[0], draws*list.jobs)
		if took[0] > 1.15*took[best] || 500*kills[0] > draws*list.jobs {
			t.Errorf("%d jobs of %v to %v MiB in %v: %.2f of the time of %d at a time, %d of %d killed; want 1.15, and 1 in 500",
				list.jobs, list.least, list.most, list.room, took[0]/took[best], best, kills[0], draws*list.jobs)
		}
	}
}
