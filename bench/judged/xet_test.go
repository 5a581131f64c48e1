package main

import (
	"math"
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
)

// alone is a network without congestion.
func alone(bandwidth, latency float64) network {
	return network{bandwidth: bandwidth, latency: latency}
}

// TestLinkShares: transfers share the bandwidth evenly, what a slow connection cannot
// take goes to the others, and the link does not send more than it can.
func TestLinkShares(t *testing.T) {
	slow, quick := pipeRate(0.250), pipeRate(0.020)
	if want := xetPipe * xetChunk / 0.250; slow > want || slow < 0.9*want {
		t.Errorf("a pipe of 250 ms lets %.3g B/s through, want up to %.3g", slow, want)
	}
	c := new(clock)
	l := newLink(c, alone(slow+12e6, 0.020)) // the slow one is full, two quick ones share 12 MB/s
	took := map[string]float64{}
	for name, tr := range map[string][2]float64{"slow": {0.250, 2 * slow}, "a": {0.020, 12e6}, "b": {0.020, 12e6}} {
		l.transfer(tr[0], tr[1], func() { took[name] = c.now.Seconds() })
	}
	c.run(xetLength)
	for name, want := range map[string]float64{"slow": 2, "a": 2, "b": 2} {
		if math.Abs(took[name]-want) > 0.001 {
			t.Errorf("%s took %.4f s, want %v (a quick pipe lets %.3g B/s through)", name, took[name], want, quick)
		}
	}
	if l.used > l.possible || math.Abs(l.used-2*slow-24e6) > 10 {
		t.Errorf("sent %.0f bytes of %.0f possible, want %.0f", l.used, l.possible, 2*slow+24e6)
	}
}

// TestCongestion: a network is congested first, and loses what it says.
func TestCongestion(t *testing.T) {
	net := networks()[1] // 10 s with 0.8 of the bandwidth and twice the latency, then 20 s without
	c := new(clock)
	l := newLink(c, net)
	if l.latency != 2*net.latency {
		t.Errorf("latency %v at first, want twice %v", l.latency, net.latency)
	}
	c.run(seconds(15))
	if l.latency != net.latency || l.rate != net.bandwidth {
		t.Errorf("latency %v and bandwidth %v after 15 s, want those of the network", l.latency, l.rate)
	}
	c.run(seconds(60))
	l.advance()
	if want := net.bandwidth * (20*0.8 + 40); math.Abs(l.possible/want-1) > 1e-6 {
		t.Errorf("%.0f bytes are possible in a minute, want %.0f", l.possible, want)
	}
}

// TestXetFixed: one connection gets what its pipe and the pauses allow, twice as many
// twice that, and a thin link is full with any number.
func TestXetFixed(t *testing.T) {
	play := func(net network, n int) uploadResult {
		return playUploads(net, uploads[0], 0, machine{maxLimit: xetMaxLimit}, n, nil)
	}
	wide := alone(10e9/8, 0.250)
	mean := (xetLeastSize + xetMostSize) / 2.0
	one := mean / (mean/pipeRate(0.250) + 3*0.250 + (xetLeastWait+xetMostWait)/2)
	for _, n := range []int{1, 2, 16} {
		if got, want := play(wide, n).sent*wide.bandwidth, float64(n)*one; math.Abs(got/want-1) > 0.03 {
			t.Errorf("%d at a time send %.3g B/s, want %.3g", n, got, want)
		}
	}
	for _, n := range []int{2, 64} {
		if r := play(alone(10e6/8, 0.020), n); r.sent < 0.99 || r.sent > 1+1e-6 || r.done > r.sent {
			t.Errorf("%d at a time send %.3f of what a thin link can, %.3f in files, want all of it", n, r.sent, r.done)
		}
	}
}

// TestXetParts: a thin link that 64 files share finishes none of them in ten minutes, while of
// files in parts only the last few are not finished; and each part costs a pause.
func TestXetParts(t *testing.T) {
	play := func(net network, part float64, n int) uploadResult {
		return playUploads(net, uploads[0], part, machine{maxLimit: xetMaxLimit}, n, nil)
	}
	thin := alone(10e6/8, 0.020)
	if r := play(thin, 0, 64); r.done != 0 {
		t.Errorf("%.3f done of whole files, want none", r.done)
	}
	// 64 MiB are under way, and the last file is not begun to the end.
	if r, least := play(thin, 1<<20, 64), 1-3*float64(xetMostSize)/(600*thin.bandwidth); r.done < least || r.done > 1 {
		t.Errorf("%.3f done of files in parts, want at least %.3f", r.done, least)
	}
	wide := alone(10e9/8, 0.020)
	if whole, parts := play(wide, 0, 1).sent, play(wide, 1<<20, 1).sent; parts > whole/5 {
		t.Errorf("%.4f sent in parts and %.4f of whole files, want a fifth at most", parts, whole)
	}
}

// TestOracle: it does nothing before an upload has ended; then it moves at once, or step by
// step, one for each upload that began at the limit in force.
func TestOracle(t *testing.T) {
	for _, test := range []struct {
		oracle oracle
		limits []int // after nothing, an upload of before, and two readings with one of the limit in force
	}{
		{oracle{number: 24}, []int{4, 24, 24, 24}},
		{oracle{number: 12, steps: true}, []int{4, 4, 8, 12}},
		{oracle{number: 1, steps: true}, []int{4, 4, 2, 1}},
	} {
		r := control.Reading{Limit: 4}
		for i, want := range test.limits {
			r.Completed, r.TimedSince = int64(min(i, 1)), int64(i/2)
			r.Limit = test.oracle.Next(r).Limit
			if r.Limit != want {
				t.Errorf("%+v: limit %d after reading %d, want %d", test.oracle, r.Limit, i, want)
			}
		}
	}
}
