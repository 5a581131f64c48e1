package control_test

import (
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// refusing is work that takes what capacity says at a time and refuses the rest
// at once, some at each reading.
func refusing(capacity func(at time.Duration) int) (p *fluid, refused *int64) {
	refused = new(int64)
	const each = 50 * time.Millisecond
	p = &fluid{cpus: 4, rate: func(n int, at time.Duration) float64 {
		return float64(min(n, capacity(at))) / each.Seconds()
	}}
	p.edit = func(r *control.Reading) {
		// A permit whose units are refused passes through many of them.
		*refused += int64(10 * max(0, r.InFlight-capacity(r.At)))
		r.Overloads = *refused
	}
	return p, refused
}

func TestSearchStaysBelowTheBrink(t *testing.T) {
	for _, capacity := range []int{1, 2, 3, 7, 20, 33, 150} {
		p, refused := refusing(func(time.Duration) int { return capacity })
		c := control.NewSearch()
		p.run(c, 2, 5*time.Second)
		done, lost := p.done, *refused
		p.run(c, 0, 65*time.Second)
		done, lost = p.done-done, *refused-lost
		if want := 0.97 * float64(capacity) * 20 * 60; done < want {
			t.Errorf("capacity %d: %.0f units in a minute, want %.0f", capacity, done, want)
		}
		if share := float64(lost) / (done + float64(lost)); share > 0.02 {
			t.Errorf("capacity %d: %.1f %% refused after the first 5 s", capacity, 100*share)
		}
		if home := c.Home(); home > capacity+1 {
			t.Errorf("capacity %d: the limit stands at %d", capacity, home)
		}
	}
}

func TestSearchFollowsTheBrink(t *testing.T) {
	p, refused := refusing(func(at time.Duration) int {
		switch {
		case at < time.Minute:
			return 20
		case at < 3*time.Minute:
			return 40
		}
		return 10
	})
	c := control.NewSearch()
	p.run(c, 2, time.Minute)
	p.run(c, 0, 3*time.Minute)
	if home := c.Home(); home < 38 || home > 41 {
		t.Errorf("two minutes after the capacity doubled to 40, the limit stands at %d", home)
	}
	lost := *refused
	p.run(c, 0, 3*time.Minute+5*time.Second)
	if home := c.Home(); home < 9 || home > 11 {
		t.Errorf("5 s after the capacity fell to 10, the limit stands at %d", home)
	}
	fell := *refused - lost
	p.run(c, 0, 4*time.Minute)
	if more := *refused - lost - fell; more > 200 {
		t.Errorf("%d refused in the minute after", more)
	}
}

// What is refused now and then has other reasons than too much at once.
func TestSearchBearsATrickleOfOverloads(t *testing.T) {
	p := &fluid{cpus: 4, rate: server(20, 50*time.Millisecond)}
	p.edit = func(r *control.Reading) { r.Overloads = r.Completed / 400 }
	c := control.NewSearch()
	p.run(c, 2, 30*time.Second)
	if home := c.Home(); home < 18 {
		t.Errorf("the limit stands at %d, and the work takes 20", home)
	}
}

// An experiment that is refused ends where it began; only a limit that was borne
// before is cut by 0.7.
func TestRefusedExperimentsEndAtHome(t *testing.T) {
	capacity := 20
	p, _ := refusing(func(time.Duration) int { return capacity })
	c := control.NewSearch()
	var cuts []control.Reason
	p.see = func(_ control.Reading, d control.Decision) {
		if d.Reason.Kind == control.Overloaded {
			cuts = append(cuts, d.Reason)
		}
	}
	p.run(c, 2, 30*time.Second)
	if len(cuts) == 0 {
		t.Fatal("nothing was refused")
	}
	for _, cut := range cuts {
		if cut.From <= capacity || cut.To > capacity || cut.To < 8 {
			t.Errorf("%v, and the work takes %d", cut, capacity)
		}
	}
	home := c.Home()
	capacity, cuts = 12, nil
	p.run(c, 0, 31*time.Second)
	if len(cuts) == 0 || cuts[0].From != home || cuts[0].To != (7*home+9)/10 {
		t.Errorf("%v when the capacity fell below a limit of %d, want a cut by 0.7 at first", cuts, home)
	}
}

// Where nothing queues, fewer units can only do less, and there is no need to try;
// where units queue below the brink, the search finds the knee.
func TestSearchLooksBelowTheBrinkWhereUnitsQueue(t *testing.T) {
	p, _ := refusing(func(time.Duration) int { return 20 })
	c := control.NewSearch()
	p.run(c, 2, 10*time.Second)
	below := 0
	p.see = func(_ control.Reading, d control.Decision) {
		if d.Limit < c.Home() {
			below++
		}
	}
	p.run(c, 0, 60*time.Second)
	if below > 0 {
		t.Errorf("%d readings below the limit that stands, though nothing queues", below)
	}

	p, refused := refusing(func(time.Duration) int { return 40 })
	p.rate = server(10, 50*time.Millisecond) // ten are served, the rest wait
	c = control.NewSearch()
	p.run(c, 32, 60*time.Second)
	if home := c.Home(); home > 13 {
		t.Errorf("the limit stands at %d, and the work takes 10; %d were refused", home, *refused)
	}
}

// A brink that is tried in vain is tried ever more rarely.
func TestTheBrinkIsTriedMoreRarely(t *testing.T) {
	p, _ := refusing(func(time.Duration) int { return 20 })
	c := control.NewSearch()
	var at []time.Duration
	p.see = func(r control.Reading, d control.Decision) {
		if d.Reason.Kind == control.Overloaded {
			at = append(at, r.At)
		}
	}
	p.run(c, 20, 10*time.Minute)
	if len(at) < 6 || len(at) > 18 {
		t.Fatalf("refused at %v", at)
	}
	for i := len(at) - 4; i < len(at); i++ {
		if gap := at[i] - at[i-1]; gap < 60*time.Second || gap > 80*time.Second {
			t.Errorf("tried again after %v, want some 64 s in the end", gap)
		}
	}
}

// Two programs that know nothing of each other ask one service that refuses what is
// over 20 at a time.
func TestTwoSearchesShareABrink(t *testing.T) {
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
		c := [2]*control.Search{control.NewSearch(), control.NewSearch()}
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

// A server that was short for a moment is asked for as much as before when it is well
// again: what is usually borne is tried sooner than what is not.
func TestTheUsualLimitIsTriedSoon(t *testing.T) {
	capacity := 20
	p, _ := refusing(func(time.Duration) int { return capacity })
	c := control.NewSearch()
	p.run(c, 20, 2*time.Minute)
	for i := range 5 {
		capacity = 14
		p.run(c, 0, p.r.At+500*time.Millisecond)
		if home := c.Home(); home > 14 {
			t.Errorf("dip %d: the limit stands at %d of 14", i, home)
		}
		capacity = 20
		p.run(c, 0, p.r.At+10*time.Second)
		if home := c.Home(); home < 18 {
			t.Errorf("dip %d: 10 s after, the limit stands at %d of 20", i, home)
		}
	}
}

// Where a brink has gone the limit rises by small steps as long as it is near, and
// doubles again further up.
func TestTheLimitRisesGentlyWhereABrinkWas(t *testing.T) {
	capacity := 20
	p, _ := refusing(func(time.Duration) int { return capacity })
	c := control.NewSearch()
	p.run(c, 20, time.Minute)
	home := c.Home()
	capacity = 1000
	p.see = func(r control.Reading, d control.Decision) {
		if k := d.Reason; k.Kind == control.Probe && k.From < home*3/2 && k.To > max(k.From+1, k.From*5/4) {
			t.Errorf("%v, with a brink at %d a moment ago", k, home)
		}
	}
	p.run(c, 0, 4*time.Minute)
	if n := c.Home(); n < 300 {
		t.Errorf("3 min after the capacity grew from 20 to 1000, the limit stands at %d", n)
	}
}

// However much a service refuses that is out for a moment, it is asked for as much as
// before soon after.
func TestAnOutageIsNoBrink(t *testing.T) {
	rerun.Skip(t)
	for _, each := range []time.Duration{50 * time.Millisecond, time.Second} {
		for _, out := range []time.Duration{time.Second, 5 * time.Second, 30 * time.Second} {
			capacity := 20
			p, refused := refusing(func(time.Duration) int { return capacity })
			p.rate = func(n int, _ time.Duration) float64 { return float64(min(n, capacity)) / each.Seconds() }
			c := control.NewSearch()
			p.run(c, 20, 2*time.Minute)
			capacity = 0
			lost := *refused
			p.run(c, 0, p.r.At+out)
			if *refused == lost {
				t.Fatal("nothing was refused")
			}
			capacity = 20
			p.run(c, 0, p.r.At+2*time.Minute)
			if home := c.Home(); home < 16 {
				t.Errorf("units of %v: 2 min after an outage of %v, the limit stands at %d of 20", each, out, home)
			}
		}
	}
}

// What is refused at the least limit allowed cannot be answered, and is no news.
func TestBrinkAtMin(t *testing.T) {
	c := control.NewSearch()
	said := 0
	r := control.Reading{Limit: 8, CPUs: 4, Turn: true, Min: 8, Max: 1000, InFlight: 8, Waiting: 10}
	for r.At < 30*time.Second {
		d := c.Next(r)
		if d.Reason.Kind == control.Overloaded {
			said++
		}
		if r.Limit = d.Limit; r.Limit < 8 {
			t.Fatalf("limit %d, want 8 at least", r.Limit)
		}
		r.At += 10 * time.Millisecond
		r.Completed += 8
		r.Overloads++
		r.Timed, r.Units = r.Completed, float64(r.Completed)
		r.Residence, r.Residence2 = 0.01*r.Units, 0.0002*r.Units
		r.Occupancy += 0.08
		r.Bound += 0.01
	}
	if said > 10 {
		t.Errorf("it said %d times in 30 s that it cannot go lower", said)
	}
}
