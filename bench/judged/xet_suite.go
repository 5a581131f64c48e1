package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
)

// xetNumbers are the fixed numbers of the sweep.
var xetNumbers = []int{1, 2, 4, 8, 16, 24, 32, 48, 64}

// judgeXet runs all scenarios on all networks.
func judgeXet(o options) []table {
	t := table{name: "xet", caption: "Bytes of completed uploads, by which xet-core goes, over those with the best fixed number, N, the least within 2 %; for one client the mean limit of the last third beside it, the worst seed, and all bytes sent over those with the best number for that. Then two oracles, the best of each by completed uploads: one goes from 4 to a number when the first upload has ended, the other doubles or halves whenever an upload has ended that began at the limit in force. Last, the same for several clients, where N is for each of them.",
		head: []string{"network", "latency", "congestion", "N", "limit", "done", "worst", "sent", "oracle at once", "oracle by steps", "N, 10 clients", "done", "sent", "N, up to 14", "done", "sent"}}
	t.rows, _ = sweetspot.Map(context.Background(), networks(), func(_ context.Context, net network) ([]string, error) {
		row := []string{net.name, fmt.Sprintf("%.0f ms", 1000*net.latency), net.congestion.name}
		for i, u := range uploads {
			many := o
			if i > 0 {
				many.seeds = o.seeds[:1] // many clients are many seeds
			}
			c := compareUploads(net, u.waves, many)
			row = append(row, fmt.Sprint(c.n))
			if i == 0 {
				row = append(row, figure(c.limit), figure(c.done), figure(c.worst), figure(c.sent), figure(c.first), figure(c.steps))
			} else {
				row = append(row, figure(c.done), figure(c.sent))
			}
		}
		return row, nil
	})
	return []table{t}
}

// A comparison is how the law did beside fixed numbers.
type comparison struct {
	n                 int     // the least fixed number within 2 % of the best by completed uploads
	done, worst, sent float64 // over the best
	limit             float64
	first, steps      float64 // the best oracles over the best
}

func compareUploads(net network, waves []wave, o options) comparison {
	play := func(start int, law func() control.Controller) (rs []uploadResult) {
		for _, seed := range o.seeds {
			rs = append(rs, playUploads(net, waves, machine{cpus: o.cpus, maxLimit: xetMaxLimit, seed: seed}, start, law))
		}
		return rs
	}
	done := func(r uploadResult) float64 { return r.done }
	sent := func(r uploadResult) float64 { return r.sent }

	sweep := map[int]float64{}
	bestDone, bestSent := 0.0, 0.0
	for _, n := range xetNumbers {
		rs := play(n, nil)
		sweep[n] = meanOf(rs, done)
		bestDone, bestSent = max(bestDone, sweep[n]), max(bestSent, meanOf(rs, sent))
	}
	ours := play(o.cpus, o.law)
	c := comparison{
		done: meanOf(ours, done) / bestDone, sent: meanOf(ours, sent) / bestSent, worst: ours[0].done / bestDone,
		limit: meanOf(ours, func(r uploadResult) float64 { return r.limit }),
	}
	for _, r := range ours {
		c.worst = min(c.worst, r.done/bestDone)
	}
	if len(waves) == 1 && waves[0].clients == 1 {
		for _, n := range xetNumbers {
			by := func(steps bool) float64 {
				return meanOf(play(o.cpus, func() control.Controller { return &oracle{number: n, steps: steps} }), done) / bestDone
			}
			c.first, c.steps = max(c.first, by(false)), max(c.steps, by(true))
		}
	}
	for _, n := range xetNumbers {
		if sweep[n] >= 0.98*bestDone {
			c.n = n
			break
		}
	}
	return c
}

// An uploadResult is what the clients of a run did together.
type uploadResult struct {
	done, sent float64 // bytes of uploads that ended, and all bytes sent, over what the link could do
	limit      float64 // sum of the clients' limits, mean of the last third
}

// playUploads runs a scenario on a network, with the number start if law is nil.
func playUploads(net network, waves []wave, m machine, start int, law func() control.Controller) uploadResult {
	c := new(clock)
	l := newLink(c, net)
	var all []*uploader
	join := func() {
		id := uint64(len(all))
		u := &uploader{clock: c, link: l, dice: rand.New(rand.NewPCG(m.seed, 10+id))}
		own := m
		own.seed += id
		var ctl control.Controller
		if law != nil {
			ctl = law()
		}
		u.lim = newLimiter(c, ctl, start, own)
		all = append(all, u)
		u.start()
	}
	for _, w := range waves {
		c.after(seconds(w.at*xetLength.Seconds()), func() {
			for range w.clients {
				join()
			}
		})
	}
	var res uploadResult
	const looks = 200
	for i := range looks {
		c.after(xetLength*2/3+xetLength/3*time.Duration(i)/looks, func() {
			for _, u := range all {
				res.limit += float64(u.lim.limit) / looks
			}
		})
	}
	c.run(xetLength)
	l.advance()
	for _, u := range all {
		res.done += u.done / l.possible
	}
	res.sent = l.sent / l.possible
	return res
}
