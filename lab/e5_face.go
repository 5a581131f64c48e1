package lab

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/kaburaya"
	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/sense"
)

const (
	faceSem     = "kaburaya.Sem"
	faceLimiter = "Limiter"
	facePlain   = "counter, as published"
	replayed    = ", as published"
	faceStuck   = "never admitted"
	faceLeft    = "goroutines left by Stop"
	faceMost    = "highest limit"
	faceRest    = "limit lost by a rest"

	faceTasks = 64
	faceSems  = 20
	faceMax   = 100
	// faceCallers are more than any law lets in here.
	faceCallers = 20 * faceMax
	// facePeriod is the shortest that NewSem takes: the faults do not depend on it.
	facePeriod = 10 * time.Millisecond
	// faceGain takes the limit from 1 beyond faceMax within some periods.
	faceGain = 1
)

func e5() *experiment {
	return &experiment{
		id: "E5", size: size{10_000, 100_000, 1_000_000, "pairs of Wait and Signal"},
		axis: figures.Axis{Name: "goroutines"},
		points: func(scale) []point {
			limiter := func() waitSignal { return limiterGate{sweetspot.New()} }
			sem := func() waitSignal { return kaburaya.NewSem(articlePeriod, articleGain) }
			ps := []point{
				pairPoint(facePlain, 1, nothingBetween, func() waitSignal { return newLoose(1, wakesLast) }),
				pairPoint(faceSem, 1, nothingBetween, sem).asOurs(),
				pairPoint(faceLimiter, 1, nothingBetween, limiter).asOurs(),
				pairPoint(faceSem, elasticMany, microsecond, sem).asOurs(),
				pairPoint(faceLimiter, elasticMany, microsecond, limiter).asOurs(),
				countPoint(faceStuck+replayed, "tasks", func() (int, error) {
					s := newLoose(1, wakesLast)
					defer s.free()
					return faceTasksLost(s)
				}),
				countPoint(faceStuck, "tasks", func() (int, error) {
					s := kaburaya.NewSem(articlePeriod, articleGain)
					defer s.Stop()
					return faceTasksLost(s)
				}),
				countPoint(faceLeft, "goroutines", faceGoroutinesLeft),
			}
			return append(append(ps, limitPoints(replayed, kaburaya.AsPublished())...), limitPoints("", kaburaya.Max(faceMax))...)
		},
		judge: func(r *results) verdict {
			stuck, left, most, rest := r.at(faceStuck, 0), r.at(faceLeft, 0), r.at(faceMost, 0), r.at(faceRest, 0)
			var faults []string
			for _, f := range []struct {
				there bool
				what  string
			}{
				{stuck.High > 0, fmt.Sprintf("%s of %d waiting goroutines are never admitted", humanize.Number(stuck.High), faceTasks)},
				{left.High > 0, fmt.Sprintf("%s goroutines are left by Stop", humanize.Number(left.High))},
				{most.High > faceMax, fmt.Sprintf("the limit goes to %s, beyond its maximum", humanize.Number(most.High))},
				{rest.High > 0, fmt.Sprintf("a rest costs %s of the limit", humanize.Number(rest.High))},
			} {
				if f.there {
					faults = append(faults, f.what)
				}
			}
			ours := fmt.Sprintf("Ours has none of the published faults: all of %d waiting goroutines are admitted, Stop leaves no goroutine, the limit stops at %s, and a rest does not lower it.", faceTasks, humanize.Number(most.Y))
			if len(faults) > 0 {
				ours = "Ours has faults: " + strings.Join(faults, "; ") + "."
			}
			thenStuck, thenMost, thenRest := r.at(faceStuck+replayed, 0), r.at(faceMost+replayed, 0), r.at(faceRest+replayed, 0)
			return verdict{
				words: fmt.Sprintf("as published, %s of %d waiting goroutines are never admitted, the limit goes to %s, and a rest costs %s of it",
					humanize.Number(thenStuck.Y), faceTasks, humanize.Number(thenMost.Y), humanize.Number(thenRest.Y)),
				effect: every(interval(thenStuck).above(0), interval(thenMost).above(faceMax), interval(thenRest).above(0)),
				ours:   r.answerTo(r.at(facePlain, 1), r.at(faceSem, 1)),
				notes: append([]string{ours}, fmt.Sprintf("Wait and Signal of ours take %s ns, %v the time of a Limiter's Acquire and Release.",
					humanize.Number(r.at(faceSem, 1).Y), ratio(r.at(faceSem, 1), r.at(faceLimiter, 1))), fmt.Sprintf("With %d goroutines and 1 µs of work, each at the limit that it finds, a pair of kaburaya.Sem takes %v the time.",
					elasticMany, ratio(r.at(faceSem, elasticMany), r.at(faceLimiter, elasticMany)))),
			}
		},
	}
}

type limiterGate struct{ l *sweetspot.Limiter }

func (g limiterGate) Wait()   { _ = g.l.Acquire(context.Background()) } // this context never ends
func (g limiterGate) Signal() { g.l.Release() }

// faceTasksLost has goroutines wait at once, and counts those that are never
// admitted.
func faceTasksLost(s waitSignal) (int, error) {
	var admitted atomic.Int64
	s.Wait() // so that all others have to wait
	for range faceTasks {
		go func() {
			s.Wait()
			admitted.Add(1)
			s.Signal()
		}()
	}
	time.Sleep(articlePeriod / 10) // they do
	s.Signal()
	return neverAdmitted(faceTasks, func() (int, bool) { return int(admitted.Load()), false }), nil
}

// faceGoroutinesLeft makes semaphores, lets each adjust its limit, and stops them.
func faceGoroutinesLeft() (int, error) {
	before := runtime.NumGoroutine()
	for range faceSems {
		adjusted := make(chan struct{})
		var once sync.Once
		s := kaburaya.NewSem(facePeriod, articleGain, kaburaya.Record(func(kaburaya.Point) { once.Do(func() { close(adjusted) }) }))
		s.Wait()
		s.Signal()
		<-adjusted
		s.Stop()
	}
	for quiet := time.Now(); runtime.NumGoroutine() > before && time.Since(quiet) < giveUp; {
		time.Sleep(100 * time.Microsecond) // what has ended may be counted for an instant
	}
	return max(0, runtime.NumGoroutine()-before), nil
}

// A busyMachine is a sensor with so many CPUs, and a usage that changes so much, that
// the law always asks for more.
type busyMachine struct {
	last time.Time
	used float64
	low  bool
	ran  int // when it was read last, which the usage until now is of
}

const (
	busyCPUs = 1000
	// If a period uses this part of the next one's usage, each period is a
	// change beyond 30 %, so the set point is never reached.
	busySwing = 0.5
	// settling is how many periods the limit is watched.
	settling = 24
)

func (m *busyMachine) Sense(inFlight int) sense.Sample {
	now := time.Now()
	if !m.last.IsZero() {
		share := 1.0
		if m.low = !m.low; m.low {
			share = busySwing
		}
		m.used += share * now.Sub(m.last).Seconds() * float64(min(busyCPUs, m.ran))
	}
	m.last, m.ran = now, inFlight
	return sense.Sample{OwnCPU: m.used, MachineCPU: m.used, CPUs: busyCPUs}
}

// watched runs tasks under a semaphore for some periods, and then lets it rest for
// as many. It returns the limits of both times.
func watched(o kaburaya.Option) (working, resting []int) {
	var mu sync.Mutex
	var limits []int
	s := kaburaya.NewSem(facePeriod, faceGain, o, kaburaya.Sensor(&busyMachine{}),
		kaburaya.Record(func(p kaburaya.Point) {
			mu.Lock()
			defer mu.Unlock()
			limits = append(limits, p.Limit)
		}))
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(limits)
	}
	var stop atomic.Bool
	var running sync.WaitGroup
	for range faceCallers {
		running.Go(func() {
			for !stop.Load() {
				s.Wait()
				time.Sleep(facePeriod / 2)
				s.Signal()
			}
		})
	}
	for count() < settling {
		time.Sleep(facePeriod / 2)
	}
	stop.Store(true)
	running.Wait()
	n := count() + 1 // the period under way still has seen work
	for count() < n+settling/3 {
		time.Sleep(facePeriod / 2)
	}
	s.Stop()
	return limits[:n], limits[n:]
}

func limitPoints(how string, o kaburaya.Option) []point {
	most := point{label: faceMost + how, unit: "limit", aside: true, from: "E5: " + faceMost + how, set: func(int) (task, error) {
		return valuedBeside(faceRest, func() (most, lost float64, _ error) {
			working, resting := watched(o)
			return float64(max(slices.Max(working), slices.Max(resting))), float64(slices.Max(working) - slices.Min(resting)), nil
		}), nil
	}}
	return []point{most, most.showing(faceRest+how, "limit", faceRest)}
}
