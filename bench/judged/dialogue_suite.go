package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

// A dialogueWay is how clients choose hosts and limit what they send.
type dialogueWay struct {
	inTurn bool
	errors bool                           // a 500 is an overload
	limit  func(*clock, machine) *limiter // nil: none
}

// dialogueNumbers are the fixed numbers of the sweep, for each host of each client.
var dialogueNumbers = []int{1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 64, 128, 256}

// dialogueFirst is where dialogue's limits begin.
const dialogueFirst = 20

func judgeDialogue(o options) []program.Table {
	t := program.Table{Name: "dialogue", Caption: "Percent of success and mean time of an answer: published for dialogue's strategies, unlimited ones once more in our runner, the best fixed number for each host, and ours. ✓ is as good as the best published, ○ trades one for the other: no published strategy is as good in both. From 20 is where dialogue's limits begin, and there a 500 is an overload, too.",
		Head: []string{"scenario", "round robin", "pin", "unlimited", "unlimited here", "N", "fixed", "ours", "500 is overload", "in turn", "from 20", "from 20, 500 is overload"}, Words: true}
	const given = 6 // columns before those that are judged
	t.Rows, _ = sweetspot.Map(context.Background(), dialogueScenarios, func(_ context.Context, sc dialogueScenario) ([]string, error) {
		bar := newDialogueBar(&sc, playDialogue(o, &sc, dialogueWay{}))
		n, fixed := sweepDialogue(o, &sc, bar)
		row := []string{sc.Name, sc.RoundRobin.String(), sc.Pin.String(), sc.Unlimited.String(), bar.unlimited.String(), fmt.Sprint(n)}
		add := func(p published) { row = append(row, bar.mark(p)+p.String()) }
		add(fixed)
		for _, w := range []struct {
			start          int
			inTurn, errors bool
		}{{cpus, false, false}, {cpus, false, true}, {cpus, true, false}, {dialogueFirst, false, false}, {dialogueFirst, false, true}} {
			add(playDialogue(o, &sc, dialogueWay{inTurn: w.inTurn, errors: w.errors, limit: func(c *clock, m machine) *limiter { return newLimiter(c, o.law(), w.start, m) }}))
		}
		return row, nil
	})
	countMarks(&t, "as good as the best published", given)
	return []program.Table{t}
}

// sweepDialogue returns the best of the fixed numbers, one that meets the bar if any does.
func sweepDialogue(o options, sc *dialogueScenario, bar *dialogueBar) (n int, best published) {
	o.seeds = o.seeds[:1]
	for _, k := range dialogueNumbers {
		p := playDialogue(o, sc, dialogueWay{limit: func(c *clock, m machine) *limiter { return newLimiter(c, nil, k, m) }})
		better := p.compare(best) < 0
		if bar.met(p) != bar.met(best) {
			better = bar.met(p)
		}
		if n == 0 || better {
			n, best = k, p
		}
	}
	return n, best
}

// playDialogue runs a scenario with all seeds and returns the means.
func playDialogue(o options, sc *dialogueScenario, w dialogueWay) published {
	var all []published
	for _, seed := range o.seeds {
		all = append(all, runDialogue(sc, w, machine{100_000, seed, sc.Slower}))
	}
	return published{meanOf(all, func(p published) float64 { return p.Success }), meanOf(all, func(p published) float64 { return p.Mean })}
}

func runDialogue(sc *dialogueScenario, w dialogueWay, m machine) published {
	c := new(clock)
	dice := rand.New(rand.NewPCG(m.seed, 20))
	var nodes []*node
	for _, phases := range sc.Servers {
		nodes = append(nodes, &node{clock: c, phases: phases, dice: dice})
	}
	var clients []*dialogueClient
	for range sc.Clients {
		cl := &dialogueClient{clock: c, dice: dice, inTurn: w.inTurn, errors: w.errors, retries: func(code int) bool {
			return code == 429 || code == 503 || code == 500 && sc.Get
		}}
		for _, n := range nodes {
			h := &host{node: n}
			if w.limit != nil {
				m.seed++
				h.lim = w.limit(c, m)
			}
			cl.hosts = append(cl.hosts, h)
		}
		clients = append(clients, cl)
	}

	var sent, received, good int
	took := 0.0 // s; in nanoseconds that of many would not fit
	send := func() {
		sent++
		began := c.now
		clients[dice.IntN(len(clients))].send(1+dice.IntN(max(1, sc.Endpoints)), 0, func(code int) {
			received++
			took += (c.now - began).Seconds()
			if code == 200 {
				good++
			}
		})
	}
	total := 0
	for _, s := range sc.Streams {
		total += s.N
		var next func(int)
		next = func(i int) {
			send()
			if i+1 < s.N {
				c.after(seconds(1/s.Rate), func() { next(i + 1) })
			}
		}
		c.after(0, func() { next(0) })
	}
	for received < total && len(c.queue) > 0 && c.queue[0].at <= seconds(sc.Abort) {
		c.run(c.queue[0].at)
	}
	return published{100 * float64(good) / float64(sent), took / float64(max(1, received))}
}
