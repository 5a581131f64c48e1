package control_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

func ExampleNewOverload() {
	// Ten units at a time are too much for a service that takes six.
	o := control.NewOverload(control.NewFixed(10))
	s := &service{servers: 6, takes: always(6), each: 20 * time.Millisecond}
	s.run(o, 10, 10*time.Second)
	_, refused := s.run(o, 0, 20*time.Second)
	fmt.Println("limit", s.r.Limit, "with few refusals:", refused < 50)
	// Output: limit 6 with few refusals: true
}

// A service takes six units at a time, and refuses the others.
func ExampleOverload_Next() {
	o := control.NewOverload(control.NewFixed(10))
	r := control.Reading{Limit: 10}
	for r.At < 2*time.Second {
		r.At += 100 * time.Millisecond
		r.InFlight = r.Limit
		taken := min(r.Limit, 6)
		r.Completed += int64(5 * taken)
		r.Overloads += int64(5 * (r.Limit - taken))
		d := o.Next(r)
		if d.Reason.Kind != control.None {
			fmt.Println(d.Reason)
		}
		r.Limit = d.Limit
	}
	fmt.Println("limit", r.Limit)
	// Output:
	// 10→7: the work reported overload; 40 % refused
	// 7→5: the work reported overload; 15 % refused
	// tries 7
	// 7→6: the work reported overload; 0.7 % refused
	// limit 6
}

// It asks for the late units that the law in it asks for.
func ExampleOverload_LateAfter() {
	fast := control.NewObjective(control.NewSearch(), 50*time.Millisecond)
	fmt.Println(control.NewOverload(fast).LateAfter())
	fmt.Println(control.NewOverload(control.NewSearch()).LateAfter())
	// Output:
	// 50ms
	// 0s
}

// always is a number of places, or a share that is refused, that does not change.
func always(n int) func(time.Duration) int { return func(time.Duration) int { return n } }
func whatever(p float64) func(int, time.Duration) float64 {
	return func(int, time.Duration) float64 { return p }
}

// bare are laws of different kinds. They end at 64 units or some more where nothing is refused
// and 64 are served at a time. wrapped are the same in Overload.
func bare() map[string]control.Controller {
	step := control.NewStep(90)
	step.Max = 80
	return map[string]control.Controller{"search": control.NewSearch(), "fixed": control.NewFixed(64), "step": step}
}

func wrapped() map[string]control.Controller {
	all := bare()
	for name, law := range all {
		all[name] = control.NewOverload(law)
	}
	return all
}

const perUnit = 20 * time.Millisecond

// What a service refuses whatever the limit costs no throughput beyond itself.
func TestOverloadBearsWhatNoLimitHelps(t *testing.T) {
	rerun.Skip(t)
	for name, share := range map[string]func(int, time.Duration) float64{
		"1 %": whatever(0.01), "5 %": whatever(0.05), "20 %": whatever(0.2),
		"1 to 30 %": func(_ int, at time.Duration) float64 {
			return []float64{0.01, 0.1, 0, 0.3, 0.02, 0}[int(at/(10*time.Second))%6]
		},
		"30 at a time": func(_ int, at time.Duration) float64 {
			if at%time.Second < 10*time.Millisecond {
				return 1
			}
			return 0
		},
	} {
		for law, c := range wrapped() {
			plant := func() *service { return &service{servers: 64, each: perUnit, share: share} }
			// What the law does if nobody tells it of refusals.
			alone := bare()[law]
			best, _ := plant().run(lawFunc(func(r control.Reading) control.Decision {
				r.Overloads = 0
				return alone.Next(r)
			}), 8, 40*time.Second)
			if done, _ := plant().run(c, 8, 40*time.Second); float64(done) < 0.9*float64(best) {
				t.Errorf("%s, %s: %d units in 40 s, and %d without Overload", name, law, done, best)
			}
		}
	}
}

// Each move has its reason: what was measured, or what else weighed in.
func TestOverloadSaysWhyItMoves(t *testing.T) {
	for law, c := range wrapped() {
		s := &service{servers: 64, each: perUnit, share: func(_ int, at time.Duration) float64 {
			return []float64{0.01, 0.3, 0}[int(at/(10*time.Second))%3]
		}}
		up := 0
		s.see = func(r control.Reading, d control.Decision) {
			why := d.Reason
			if why.Kind == control.Grow {
				up++
			}
			if (why.Kind == control.Grow || why.Kind == control.Shrink) && why.Note == "" && math.IsNaN(why.Gain) {
				t.Errorf("%s at %v: %v", law, r.At, why)
			}
		}
		s.run(c, 8, time.Minute)
		if up == 0 {
			t.Errorf("%s: never went up", law)
		}
	}
}

// Where most units are refused whatever the limit, successes are rare and samples small. No
// limit is blamed, and no question stops all others for minutes.
func TestOverloadBearsARefusalOfMost(t *testing.T) {
	rerun.Skip(t)
	for _, share := range []float64{0.8, 0.9} {
		for _, from := range []int{1, 2, 8} {
			s := &service{servers: 64, each: perUnit, share: whatever(share)}
			c := control.NewOverload(control.NewSearch())
			s.run(c, from, time.Minute)
			done, _ := s.run(c, 0, 2*time.Minute)
			if part := float64(done) / ((1 - share) * 64 * 50 * 60); part < 0.85 {
				t.Errorf("%g %% refused, from %d: %.2f of the throughput in the second minute, limit %d", 100*share, from, part, s.r.Limit)
			}
		}
	}
}

// A service that takes so many at a time is kept busy, and asked for more only now and
// then, whether it refuses at once or as late as it serves, and another 1 % besides.
func TestOverloadStaysBelowTheLimitThatIsRefused(t *testing.T) {
	rerun.Skip(t)
	for _, places := range []int{3, 16, 60} {
		for _, reply := range []time.Duration{time.Millisecond, 0} {
			for _, share := range []float64{0, 0.01} {
				for law, c := range wrapped() {
					s := &service{servers: places, takes: always(places), each: perUnit, reply: reply, share: whatever(share)}
					s.run(c, 8, 5*time.Second)
					done, lost := s.run(c, 0, 35*time.Second)
					rate := float64(done) / 30 / (float64(places) / perUnit.Seconds() * (1 - share))
					refused := float64(lost) / float64(done+lost)
					if rate < 0.94-0.12/float64(places) || refused > share+0.01*(1+1/float64(places)) {
						t.Errorf("%d places, refusals after %v, %g %% besides, %s: %.3f of the throughput, %.2f %% refused, limit %d",
							places, reply, 100*share, law, rate, 100*refused, s.r.Limit)
					}
				}
			}
		}
	}
}

// A queue that overflows is nearly as good a sign.
func TestOverloadStaysBelowAFullQueue(t *testing.T) {
	for law, c := range wrapped() {
		s := &service{servers: 10, takes: always(40), each: perUnit, reply: time.Millisecond}
		s.run(c, 8, 5*time.Second)
		done, lost := s.run(c, 0, time.Minute)
		if rate := float64(done) / 55 / 500; rate < 0.95 || lost > done/200 || s.r.Limit > 41 {
			t.Errorf("%s: %.3f of the throughput, %d refused, limit %d", law, rate, lost, s.r.Limit)
		}
	}
}

// Places come and go.
func TestOverloadFollowsTheLimitThatIsRefused(t *testing.T) {
	places := 20
	for law, c := range wrapped() {
		for _, n := range []int{20, 40, 10} {
			places = n
			s := &service{servers: 100, each: perUnit, reply: time.Millisecond, takes: func(time.Duration) int { return places }}
			places = 20
			s.run(c, 20, 20*time.Second)
			places = n
			// A rise is noticed when the limit is tried again, after 16 s.
			wait := 30 * time.Second
			if n < 20 {
				wait = 2 * time.Second
			}
			s.run(c, 0, s.r.At+wait)
			if done, _ := s.run(c, 0, s.r.At+5*time.Second); float64(done) < 0.9*float64(n)*250 || s.r.Limit > n+2 {
				t.Errorf("%s: %v after 20 places became %d, limit %d and %d units in 5 s", law, wait, n, s.r.Limit, done)
			}
			c = wrapped()[law]
		}
	}
}

// While nothing succeeds the limit may go down, but soon after it is what it was.
func TestOverloadSurvivesAnOutage(t *testing.T) {
	rerun.Skip(t)
	for _, outcome := range []outcome{refused, ignored} {
		for _, reply := range []time.Duration{time.Millisecond, 0} {
			for law, c := range wrapped() {
				s := &service{servers: 64, each: perUnit, reply: reply}
				s.run(c, 64, 20*time.Second)
				before, _ := s.run(c, 0, 22*time.Second)
				s.out = outcome
				s.run(c, 0, 25*time.Second)
				s.out = served
				s.run(c, 0, 28*time.Second)
				if after, _ := s.run(c, 0, 30*time.Second); float64(after) < 0.85*float64(before) {
					t.Errorf("outcome %d after %v, %s: %d units in 2 s before an outage of 3 s, %d when it is over for 3 s (limit %d)",
						outcome, reply, law, before, after, s.r.Limit)
				}
			}
		}
	}
}

// A quota of units a second is not a limit, but units that take 20 ms stay within
// 1000 a second at a limit of 20: near that it ends.
func TestOverloadOfAQuota(t *testing.T) {
	for law, c := range wrapped() {
		s := &service{servers: 64, each: perUnit, quota: 1000}
		s.run(c, 8, 10*time.Second)
		done, lost := s.run(c, 0, time.Minute)
		if float64(done) < 0.9*50_000 || lost > done/5 {
			t.Errorf("%s: %d served and %d refused in 50 s, limit %d", law, done, lost, s.r.Limit)
		}
	}
}

// Where half a percent more is refused for each unit in flight, 100 units have the most
// successes, and 50 % refused; at 66 each more adds as many refusals as successes.
func TestOverloadWeighsRefusalsAgainstThroughput(t *testing.T) {
	gentle := func(n int, _ time.Duration) float64 { return min(1, float64(n)/200) }
	for law, c := range wrapped() {
		s := &service{servers: 1000, each: perUnit, share: gentle}
		done, lost := s.run(c, 8, time.Minute)
		if share := float64(lost) / float64(done+lost); float64(done) < 150_000/3 || share > 0.45 {
			t.Errorf("%s: %d units in a minute, of 150,000, and %.0f %% refused, limit %d", law, done, 100*share, s.r.Limit)
		}
	}
}

// With few callers it is their number that is too much.
func TestOverloadCutsWhatIsInFlight(t *testing.T) {
	s := &service{servers: 5, takes: always(5), demand: 10, each: perUnit}
	c := control.NewOverload(control.NewFixed(100))
	s.run(c, 100, 5*time.Second)
	if done, lost := s.run(c, 0, 65*time.Second); done < 14_000 || lost > done/100 {
		t.Errorf("%d of 15,000 served, and %d refused", done, lost)
	}
}

// The first refusals lower the limit at once, to the highest one that is known to be
// borne, or else to 0.7 of it; and a try is refused at the price of one in a hundred.
func TestOverloadCuts(t *testing.T) {
	places := 64
	s := &service{servers: 100, each: perUnit, reply: time.Millisecond, takes: func(time.Duration) int { return places }}
	c := control.NewOverload(control.NewFixed(64))
	var cuts []control.Reason
	var at []time.Duration
	s.see = func(r control.Reading, d control.Decision) {
		if d.Reason.Kind == control.Overloaded {
			cuts, at = append(cuts, d.Reason), append(at, r.At)
		}
	}
	s.run(c, 64, 10*time.Second)
	if len(cuts) > 0 {
		t.Fatalf("%v, and 64 are borne", cuts[0])
	}
	places = 48
	s.run(c, 0, 11*time.Second)
	if len(cuts) == 0 || at[0] > 10*time.Second+3*perUnit || cuts[0].From != 64 || cuts[0].To != 45 {
		t.Fatalf("cuts %v at %v", cuts, at)
	}
	cuts, at = nil, nil
	done, lost := s.run(c, 0, 10*time.Minute)
	if n := len(at); n < 8 || n > 20 || at[n-1]-at[n-2] < 60*time.Second || lost > done/100 {
		t.Errorf("cuts at %v, %d refused and %d served", at, lost, done)
	}
	for _, cut := range cuts {
		if cut.From != 49 || cut.To != 48 {
			t.Errorf("%v when 49 was tried", cut)
		}
	}
}

// A service that was short for a moment has its limit back within seconds.
func TestOverloadForgetsADip(t *testing.T) {
	places := 64
	s := &service{servers: 64, each: perUnit, reply: time.Millisecond, takes: func(time.Duration) int { return places }}
	c := control.NewOverload(control.NewFixed(64))
	s.run(c, 64, 10*time.Second)
	for range 3 {
		places = 30
		s.run(c, 0, s.r.At+500*time.Millisecond)
		if s.r.Limit > 45 {
			t.Errorf("limit %d with 30 places", s.r.Limit)
		}
		places = 64
		s.run(c, 0, s.r.At+8*time.Second)
		if s.r.Limit < 62 {
			t.Errorf("limit %d, 8 s after a dip of half a second from 64 places to 30", s.r.Limit)
		}
	}
}

// Where a limit is borne that was refused, the looks go on by small steps: a server that
// adapts could not follow large ones.
func TestOverloadRisesGently(t *testing.T) {
	places := 20
	s := &service{servers: 1000, each: perUnit, reply: time.Millisecond, takes: func(time.Duration) int { return places }}
	c := control.NewOverload(control.NewFixed(1000))
	s.run(c, 20, 10*time.Second)
	places = 30
	most := 20
	s.see = func(r control.Reading, d control.Decision) {
		if d.Limit > max(most+1, most*9/8) {
			t.Fatalf("%d after %d", d.Limit, most)
		}
		most = max(most, d.Limit)
	}
	s.run(c, 0, 28*time.Second)
	if s.r.Limit < 29 || s.r.Limit > 31 {
		t.Errorf("limit %d with 30 places", s.r.Limit)
	}
}

// Where the limit may not go lower, nobody can ask.
func TestOverloadAtMin(t *testing.T) {
	s := &service{servers: 4, takes: always(4), each: perUnit}
	c := control.NewOverload(control.NewFixed(64))
	said := 0
	s.see = func(r control.Reading, d control.Decision) {
		if d.Reason.Kind == control.Overloaded || d.Reason.Kind == control.Probe {
			said++
		}
	}
	s.run(c, 8, 10*time.Millisecond)
	s.r.Min, s.r.Max = 8, 8
	s.run(c, 8, time.Minute)
	if said > 3 || s.r.Limit != 8 {
		t.Errorf("limit %d, asked %d times", s.r.Limit, said)
	}
}

// A Limiter that only observes puts nothing in force. It need not say so all the time.
func TestOverloadObserves(t *testing.T) {
	s := &service{servers: 16, takes: always(16), each: perUnit}
	c := control.NewOverload(control.NewFixed(64))
	said := 0
	law := lawFunc(func(r control.Reading) control.Decision {
		d := c.Next(r)
		if d.Reason.Kind != control.None {
			said++
		}
		d.Limit = 64
		return d
	})
	s.run(law, 64, time.Minute)
	if said > 20 {
		t.Errorf("decided %d times in a minute, and nothing came of it", said)
	}
}

type lawFunc func(control.Reading) control.Decision

func (f lawFunc) Next(r control.Reading) control.Decision { return f(r) }

// What is refused before the law was ever asked is in question at the limit in force.
func TestOverloadInTheFirstReading(t *testing.T) {
	o := control.NewOverload(control.NewFixed(64))
	r := control.Reading{Min: 1, Max: 1000, Limit: 64, InFlight: 64, CPUs: 4}
	for range 300 { // 30 % are refused at any limit
		r.At += 10 * time.Millisecond
		r.Completed += int64(r.Limit * 7 / 10)
		r.Overloads += int64(r.Limit * 3 / 10)
		d := o.Next(r)
		if d.Limit < 16 {
			t.Fatalf("limit %d at %v: %v", d.Limit, r.At, d.Reason)
		}
		r.Limit, r.InFlight = d.Limit, d.Limit
	}
}

// The law sees no refusals, and no time in which it was not asked.
func TestOverloadHidesItsQuestions(t *testing.T) {
	var last control.Reading
	law := lawFunc(func(r control.Reading) control.Decision {
		if r.Overloads != 0 {
			t.Fatalf("%d overloads shown", r.Overloads)
		}
		if dt := r.At - last.At; last.At > 0 && (dt < 0 || dt > 3*fluidTick || r.Bound < last.Bound-1e-9 || r.Completed < last.Completed) {
			t.Fatalf("%+v after %+v", r, last)
		}
		if r.Max < r.Min || r.Max > 100_000 {
			t.Fatalf("%+v", r)
		}
		last = r
		return control.Decision{Limit: 64}
	})
	s := &service{servers: 24, takes: always(24), each: perUnit, share: whatever(0.05)}
	s.run(control.NewOverload(law), 64, time.Minute)
	if last.At > 59*time.Second || last.At < 20*time.Second {
		t.Errorf("of a minute the law saw %v", last.At)
	}
	if last.Max < 23 || last.Max > 25 {
		t.Errorf("the law saw a maximum of %d, and 24 are borne", last.Max)
	}
}

// The times that the law sees are those of the units that it sees, whether Overload or
// Objective hides the others.
func TestHiddenStretchesHideTheirTimes(t *testing.T) {
	for name, wrap := range map[string]func(control.Controller) control.Controller{
		"Overload":  func(law control.Controller) control.Controller { return control.NewOverload(law) },
		"Objective": func(law control.Controller) control.Controller { return control.NewObjective(law, 25*time.Millisecond) },
		"both": func(law control.Controller) control.Controller {
			return control.NewOverload(control.NewObjective(law, 25*time.Millisecond))
		},
	} {
		var shown, all control.Reading
		law := lawFunc(func(r control.Reading) control.Decision {
			if n := r.Latencies.Count(); n != r.Timed {
				t.Fatalf("%s at %v: %d times of %d units", name, r.At, n, r.Timed)
			}
			if !(math.Abs(r.Latencies.Sum-r.Residence) < 1e-6) {
				t.Fatalf("%s at %v: times of %v s, in flight for %v s", name, r.At, r.Latencies.Sum, r.Residence)
			}
			shown = r
			return control.Decision{Limit: 64}
		})
		c, times := wrap(law), new(control.Histogram)
		r := control.Reading{Min: 1, Max: 1000, Limit: 64, CPUs: 4, Latencies: times}
		for range 6000 { // 24 at a time are served in 20 ms; half of the others wait, half are refused
			r.At += 10 * time.Millisecond
			r.InFlight, r.Bound = r.Limit, r.At.Seconds()
			for range min(r.Limit, 24) / 2 {
				residence := 0.02 * float64(max(r.Limit, 24)) / 24
				r.Completed, r.Timed, r.Residence = r.Completed+1, r.Timed+1, r.Residence+residence
				r.Residence2 += residence * residence
				if residence > 0.025 {
					r.Late++
				}
				times.Add(residence)
			}
			r.Overloads += int64(max(r.Limit-24, 0) / 2)
			all = r
			r.Limit = c.Next(r).Limit
		}
		if hidden := all.Timed - shown.Timed; hidden < 100 || shown.Timed < 100 {
			t.Errorf("%s: %d units were shown, and %d hidden", name, shown.Timed, hidden)
		}
	}
}

// Without overloads the decisions are those of the law, and nothing is allocated.
func TestOverloadIsTransparent(t *testing.T) {
	all := laws()
	all["Search"] = control.NewSearch()
	for name := range all {
		fresh := func() control.Controller {
			if name == "Search" {
				return control.NewSearch()
			}
			return laws()[name]
		}
		a, b := fresh(), control.NewOverload(fresh())
		rng := rand.New(rand.NewPCG(5, 6))
		r := control.Reading{Limit: 4, CPUs: 8, Max: 1000}
		for range 3000 {
			r.At += time.Duration(rng.IntN(int(60 * time.Millisecond)))
			r.OwnCPU += 0.4 * rng.Float64()
			r.Bound = r.At.Seconds()
			work(&r, rng)
			r.InFlight, r.Waiting = r.Limit, rng.IntN(3)
			x, y := a.Next(r), b.Next(r)
			if fmt.Sprintf("%+v", x) != fmt.Sprintf("%+v", y) {
				t.Fatalf("%s at %v: %+v and, in Overload, %+v", name, r.At, x, y)
			}
			r.Limit = x.Limit
		}
	}
	for _, times := range []*control.Histogram{nil, new(control.Histogram)} {
		o := control.NewOverload(control.NewFixed(8))
		r := control.Reading{Limit: 8, CPUs: 4, Latencies: times}
		if n := testing.AllocsPerRun(1000, func() {
			r.At += fluidTick
			r.Completed += 8
			o.Next(r)
		}); n != 0 {
			t.Errorf("%v allocations a reading", n)
		}
	}
}

func TestOverloadForwardsLatencies(t *testing.T) {
	if control.NewOverload(control.NewObjective(control.NewLatency(), time.Second)).LateAfter() != time.Second {
		t.Error("the law wants them")
	}
	if control.NewOverload(control.NewLatency()).LateAfter() != 0 || control.NewOverload(control.NewFixed(1)).LateAfter() != 0 {
		t.Error("the law does not want them")
	}
}

// Two programs that know nothing of each other ask one service that refuses what is over
// 20 at a time.
func TestTwoOverloadsShareAService(t *testing.T) {
	rerun.Skip(t)
	for _, late := range []time.Duration{0, time.Minute} {
		const capacity = 20
		var p [2]*fluid
		var refused [2]int64
		inFlight := func() int { return p[0].r.InFlight + p[1].r.InFlight }
		for i := range p {
			p[i] = &fluid{cpus: 4, rate: func(n int, _ time.Duration) float64 {
				return 20 * float64(n) * min(1, capacity/float64(inFlight()))
			}}
			p[i].edit = func(r *control.Reading) {
				if over := inFlight() - capacity; over > 0 {
					refused[i] += int64(1 + 10*over*r.InFlight/inFlight())
				}
				r.Overloads = refused[i]
			}
		}
		c := [2]*control.Overload{control.NewOverload(control.NewSearch()), control.NewOverload(control.NewSearch())}
		for at := time.Duration(0); at < 10*time.Minute; at += fluidTick {
			p[0].run(c[0], 2, at)
			p[1].run(c[1], 2, at-late)
		}
		all := p[0].done + p[1].done
		if want := 0.95 * 20 * capacity * 600; all < want {
			t.Errorf("one %v later: %.0f units in all, want %.0f", late, all, want)
		}
		for i := range p {
			if share := p[i].done / all; share < 0.25 {
				t.Errorf("one %v later: number %d gets %.0f %%", late, i, 100*share)
			}
		}
		if share := float64(refused[0]+refused[1]) / all; share > 0.03 {
			t.Errorf("one %v later: %.1f %% are refused", late, 100*share)
		}
	}
}

// Readings that make no sense leave a limit within the bounds, and the way back open.
func TestOverloadBearsOddReadings(t *testing.T) {
	for name, odd := range map[string]func(*control.Reading){
		"completed back":  func(r *control.Reading) { r.Completed = -r.Completed },
		"overloads back":  func(r *control.Reading) { r.Overloads = -r.Overloads },
		"overloads jump":  func(r *control.Reading) { r.Overloads *= 1 << 40 },
		"residence NaN":   func(r *control.Reading) { r.Residence = math.NaN() },
		"nothing timed":   func(r *control.Reading) { r.Timed = 0 },
		"time stands":     func(r *control.Reading) { r.At = time.Second },
		"time runs back":  func(r *control.Reading) { r.At = 5*time.Second - r.At },
		"a limit of 0":    func(r *control.Reading) { r.Limit = 0 },
		"occupancy back":  func(r *control.Reading) { r.Occupancy = -r.Occupancy },
		"min over max":    func(r *control.Reading) { r.Min, r.Max = 10, 5 },
		"nobody in there": func(r *control.Reading) { r.InFlight, r.Waiting = 0, 0 },
	} {
		c := control.NewOverload(control.NewFixed(64))
		n := 0
		s := &service{servers: 24, takes: always(24), each: perUnit}
		law := lawFunc(func(r control.Reading) control.Decision {
			if n++; n > 300 && n < 600 && n%3 > 0 {
				odd(&r)
			}
			d := c.Next(r)
			if d.Limit < 1 || d.Limit > 100 {
				t.Fatalf("%s: limit %d to %+v", name, d.Limit, r)
			}
			return d
		})
		s.run(law, 64, 100*time.Second)
		if done, _ := s.run(law, 0, 120*time.Second); done < 20*1200*8/10 {
			t.Errorf("%s: %d of 24,000 units in 20 s, limit %d, more than a minute after it", name, done, s.r.Limit)
		}
	}
}

// A limit on trial is not the one that stands.
func TestOverloadTrialsAreExperiments(t *testing.T) {
	o := control.NewOverload(control.NewFixed(64))
	r := control.Reading{Min: 1, Max: 1000, Limit: 64, InFlight: 64, CPUs: 4}
	trials := 0
	for range 300 { // 30 % are refused at any limit
		r.At += 10 * time.Millisecond
		r.Completed += int64(r.Limit * 7 / 10)
		r.Overloads += int64(r.Limit * 3 / 10)
		d := o.Next(r)
		if d.Limit != 64 {
			trials++
			if !d.Experiment {
				t.Fatalf("%v: %d on trial as if it stood: %+v", r.At, d.Limit, d)
			}
		}
		r.Limit, r.InFlight = d.Limit, d.Limit
	}
	if trials == 0 {
		t.Error("nothing was tried")
	}
}
