package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// A dialogueWay is how clients choose hosts and limit what they send.
type dialogueWay struct {
	inTurn bool
	errors bool                           // a 500 is an overload
	limit  func(*clock, machine) *limiter // nil: none
}

// dialogueNumbers are the fixed numbers of the sweep, for each host of each client.
var dialogueNumbers = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256}

// dialogueFirst is where dialogue's limits begin.
const dialogueFirst = 20

// judgeDialogue runs all scenarios.
func judgeDialogue(o options) []table {
	t := table{name: "dialogue", caption: "Percent of success and mean time of an answer: published for dialogue's strategies, unlimited ones once more in our runner, the best fixed number for each host, and ours: with hosts chosen by load as there, in turn, by load where a 500 counts as an overload, and by load from 20, where dialogue's limits begin.",
		head: []string{"scenario", "round robin", "pin", "unlimited", "unlimited here", "N", "fixed", "ours", "in turn", "500 is overload", "from 20", "ours beside the best published"}, words: true}
	t.rows, _ = sweetspot.Map(context.Background(), dialogueScenarios, func(_ context.Context, sc dialogueScenario) ([]string, error) {
		ours := func(c *clock, m machine) *limiter { return newLimiter(c, o.law(), m.cpus, m) }
		n, fixed := sweepDialogue(o, &sc)
		byLoad := playDialogue(o, &sc, dialogueWay{limit: ours})
		one := o
		one.seeds = o.seeds[:1] // enough for what is beside the point
		return []string{sc.name, sc.roundRobin.String(), sc.pin.String(), sc.unlimited.String(),
			playDialogue(one, &sc, dialogueWay{}).String(), fmt.Sprint(n), fixed.String(),
			byLoad.String(), playDialogue(one, &sc, dialogueWay{inTurn: true, limit: ours}).String(),
			playDialogue(one, &sc, dialogueWay{errors: true, limit: ours}).String(),
			playDialogue(one, &sc, dialogueWay{limit: func(c *clock, m machine) *limiter { return newLimiter(c, o.law(), dialogueFirst, m) }}).String(),
			sc.judge(byLoad)}, nil
	})
	return []table{t}
}

// sweepDialogue returns the best of the fixed numbers.
func sweepDialogue(o options, sc *dialogueScenario) (n int, best published) {
	o.seeds = o.seeds[:1]
	for _, k := range dialogueNumbers {
		p := playDialogue(o, sc, dialogueWay{limit: func(c *clock, m machine) *limiter { return newLimiter(c, nil, k, m) }})
		if n == 0 || p.compare(best) < 0 {
			n, best = k, p
		}
	}
	return n, best
}

// playDialogue runs a scenario with all seeds and returns the means.
func playDialogue(o options, sc *dialogueScenario, w dialogueWay) published {
	var all []published
	for _, seed := range o.seeds {
		all = append(all, runDialogue(sc, w, machine{o.cpus, 100_000, seed, sc.slower}))
	}
	return published{meanOf(all, func(p published) float64 { return p.success }), meanOf(all, func(p published) float64 { return p.mean })}
}

func runDialogue(sc *dialogueScenario, w dialogueWay, m machine) published {
	c := new(clock)
	dice := rand.New(rand.NewPCG(m.seed, 20))
	var nodes []*node
	for _, s := range sc.servers {
		nodes = append(nodes, &node{clock: c, spec: s, dice: dice})
	}
	var clients []*dialogueClient
	for range sc.clients {
		cl := &dialogueClient{clock: c, dice: dice, inTurn: w.inTurn, errors: w.errors, retries: func(code int) bool {
			return code == 429 || code == 503 || code == 500 && sc.get
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
		clients[dice.IntN(len(clients))].send(1+dice.IntN(max(1, sc.endpoints)), func(code int) {
			received++
			took += (c.now - began).Seconds()
			if code == 200 {
				good++
			}
		})
	}
	total := 0
	for _, s := range sc.streams {
		total += s.n
		var next func(int)
		next = func(i int) {
			send()
			if i+1 < s.n {
				c.after(s.every, func() { next(i + 1) })
			}
		}
		c.after(0, func() { next(0) })
	}
	for received < total && len(c.queue) > 0 && c.queue[0].at <= sc.abort {
		c.run(c.queue[0].at)
	}
	return published{100 * float64(good) / float64(sent), took / float64(max(1, received))}
}

// sameSuccess and sameMean are what is alike: the spread between seeds.
const (
	sameSuccess = 0.5  // percent
	sameMean    = 1.02 //
)

// compare says which of two is better: the one with more success and, where that is
// alike, with the shorter mean.
func (p published) compare(q published) int {
	if d := q.success - p.success; d > sameSuccess || d < -sameSuccess {
		return cmp.Compare(d, 0)
	}
	return cmp.Compare(p.mean, q.mean)
}

func (p published) String() string {
	return fmt.Sprintf("%.1f %% %s", p.success, time.Duration(math.Round(p.mean*1e9)).Round(roundTo(p.mean)))
}

// roundTo leaves three or four digits of a time of s seconds.
func roundTo(s float64) time.Duration {
	d := time.Duration(1)
	for float64(d)*1e4 < s*1e9 {
		d *= 10
	}
	return max(d, 1)
}

// judge compares a result with the best that is published.
func (sc *dialogueScenario) judge(p published) string {
	best := slices.MinFunc([]published{sc.roundRobin, sc.pin, sc.unlimited}, published.compare)
	success := p.success - best.success
	switch ratio := p.mean / best.mean; {
	case success < -sameSuccess:
		return fmt.Sprintf("%.1f %% less success", -success)
	case success > sameSuccess:
		return fmt.Sprintf("%.1f %% more success", success)
	case ratio > sameMean:
		return figure(ratio) + " times as long"
	case ratio < 1/sameMean:
		return figure(ratio) + " times as long, better"
	}
	return "alike"
}
