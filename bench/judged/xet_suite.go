package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/bench/internal/program"
	"github.com/sweetspot-go/sweetspot/control"
)

var xetNumbers = []int{1, 2, 4, 8, 16, 24, 32, 48, 64}

func judgeXet(o options) []program.Table {
	t := program.Table{Name: "xet", Caption: "Bytes of completed uploads, by which xet-core goes, over those with the best fixed number, N, the least within 2 %; for one client the mean limit of the last third beside it, the worst seed, and all bytes sent over those with the best number for that. Then the same for files in parts of 8 and of 1 MiB, each with a permit of its own: completed files over those with the best fixed number for whole ones, and the same with the best fixed number for such parts. Then two oracles, the best of each by completed uploads: one goes from 4 to a number when the first upload has ended, the other doubles or halves whenever an upload has ended that began at the limit in force. Last, the same for several clients, where N is for each of them.",
		Head: []string{"network", "latency", "congestion", "N", "limit", "done", "worst", "sent", "in 8 MiB", "fixed", "in 1 MiB", "fixed", "oracle at once", "oracle by steps", "N, 10 clients", "done", "sent", "N, up to 14", "done", "sent"}}
	t.Rows, _ = sweetspot.Map(context.Background(), networks(), func(_ context.Context, net network) ([]string, error) {
		row := []string{net.name, fmt.Sprintf("%.0f ms", 1000*net.latency), net.congestion.name}
		for i, waves := range uploads {
			many := o
			if i > 0 {
				many.seeds = o.seeds[:1] // many clients are many seeds
			}
			c := compareUploads(net, waves, many)
			row = append(row, fmt.Sprint(c.n))
			if i == 0 {
				row = append(row, figure(c.limit), figure(c.done), figure(c.worst), figure(c.sent))
				for _, p := range c.parts {
					row = append(row, figure(p.ours), figure(p.fixed))
				}
				row = append(row, figure(c.first), figure(c.steps))
			} else {
				row = append(row, figure(c.done), figure(c.sent))
			}
		}
		return row, nil
	})
	t.Rows = append(t.Rows, countAtLeast(t.Rows, []string{"done", "in 8 MiB", "fixed", "in 1 MiB", "oracle at once", "oracle by steps"}, t.Head))
	return []program.Table{t}
}

// xetBar is the part of the best fixed number's result that is aimed at.
const xetBar = 0.97

// countAtLeast returns a row with the number of rows that meet the bar in the columns named.
func countAtLeast(rows [][]string, names, head []string) []string {
	count := make([]string, len(head))
	count[0] = fmt.Sprintf("at least %.2f", xetBar)
	for i, name := range head {
		if !slices.Contains(names, name) {
			continue
		}
		n := 0
		for _, r := range rows {
			if x, err := strconv.ParseFloat(r[i], 64); err == nil && x >= xetBar {
				n++
			}
		}
		count[i] = fmt.Sprint(n)
	}
	return count
}

// A comparison is how the law did beside fixed numbers.
type comparison struct {
	n                 int     // the least fixed number within 2 % of the best by completed uploads
	done, worst, sent float64 // over the best
	limit             float64
	parts             []partsResult
	first, steps      float64 // the best oracles over the best
}

// A partsResult is what is done of files that are sent in parts, over the best for whole files.
type partsResult struct{ ours, fixed float64 }

// xetParts are sizes of parts, bytes. The larger is the usual one of object stores
// (S3's tools have 5 to 8 MB); the smaller costs a pause of the server for each MiB, and tells
// more.
var xetParts = []float64{8 << 20, 1 << 20}

func compareUploads(net network, waves []wave, o options) comparison {
	playParts := func(part float64, start int, law func() control.Controller) (rs []uploadResult) {
		for _, seed := range o.seeds {
			rs = append(rs, playUploads(net, waves, part, machine{maxLimit: xetMaxLimit, seed: seed}, start, law))
		}
		return rs
	}
	play := func(start int, law func() control.Controller) []uploadResult { return playParts(0, start, law) }
	done := func(r uploadResult) float64 { return r.done }
	sent := func(r uploadResult) float64 { return r.sent }

	sweep := map[int]float64{}
	bestDone, bestSent := 0.0, 0.0
	for _, n := range xetNumbers {
		rs := play(n, nil)
		sweep[n] = meanOf(rs, done)
		bestDone, bestSent = max(bestDone, sweep[n]), max(bestSent, meanOf(rs, sent))
	}
	ours := play(cpus, o.law)
	c := comparison{
		done: meanOf(ours, done) / bestDone, sent: meanOf(ours, sent) / bestSent, worst: ours[0].done / bestDone,
		limit: meanOf(ours, func(r uploadResult) float64 { return r.limit }),
	}
	for _, r := range ours {
		c.worst = min(c.worst, r.done/bestDone)
	}
	if len(waves) == 1 && waves[0].clients == 1 {
		for _, part := range xetParts {
			p := partsResult{ours: meanOf(playParts(part, cpus, o.law), done) / bestDone}
			for _, n := range xetNumbers {
				p.fixed = max(p.fixed, meanOf(playParts(part, n, nil), done)/bestDone)
			}
			c.parts = append(c.parts, p)
		}
		for _, n := range xetNumbers {
			by := func(steps bool) float64 {
				return meanOf(play(cpus, func() control.Controller { return &oracle{number: n, steps: steps} }), done) / bestDone
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

// playUploads runs a scenario on a network, in parts if part is not 0, with the number start
// if law is nil.
func playUploads(net network, waves []wave, part float64, m machine, start int, law func() control.Controller) uploadResult {
	c := new(clock)
	l := newLink(c, net)
	var all []*uploader
	join := func() {
		id := uint64(len(all))
		u := &uploader{clock: c, link: l, part: part, dice: rand.New(rand.NewPCG(m.seed, 10+id))}
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
	res.sent = l.used / l.possible
	return res
}

// An oracle knows the number it wants, but waits until an upload has ended before it moves.
// What it loses to a fixed number, every law loses that begins where it does and learns
// from uploads that have ended.
type oracle struct {
	number int
	// steps: it doubles or halves whenever an upload has ended that began at the limit in
	// force. Otherwise it goes to its number when the first upload has ended.
	steps bool
}

func (o *oracle) Next(r control.Reading) control.Decision {
	d := control.Decision{Limit: r.Limit}
	switch {
	case r.Limit == o.number:
	case !o.steps && r.Completed > 0:
		d.Limit = o.number
	case o.steps && r.TimedSince > 0 && o.number > r.Limit:
		d.Limit = min(2*r.Limit, o.number)
	case o.steps && r.TimedSince > 0:
		d.Limit = max(r.Limit/2, o.number)
	}
	return d
}
