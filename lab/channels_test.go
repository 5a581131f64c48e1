package lab_test

import (
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/lab"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

func TestStreamsLoseNothing(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100, 101, 5000} {
		want := int64(n) * int64(n-1) / 2
		for name, sum := range map[string]func(n int) (int64, error){
			"unbuffered":           func(n int) (int64, error) { return lab.Stream(lab.Free, n, 0), nil },
			"buffer 1":             func(n int) (int64, error) { return lab.Stream(lab.Free, n, 1), nil },
			"buffer 100":           func(n int) (int64, error) { return lab.Stream(lab.Free, n, 100), nil },
			"unbuffered, tied":     func(n int) (int64, error) { return lab.Stream(lab.Tied, min(n, 101), 0), nil },
			"channels of channels": func(n int) (int64, error) { return lab.Replies(lab.Free, n), nil },
			"the same, tied":       func(n int) (int64, error) { return lab.Replies(lab.Tied, min(n, 101)), nil },
			"full channel":         lab.Filled,
			"slice":                lab.Sliced,
			"MapSeq":               lab.StreamBySeq,
		} {
			if strings.Contains(name, "tied") && n > 101 {
				continue // slow, and the same
			}
			if got, err := sum(n); got != want || err != nil {
				t.Errorf("%s of %d ints: %d, %v; want %d", name, n, got, err, want)
			}
		}
	}
}

func TestLostIntIsAnError(t *testing.T) {
	right := func(n int) (int64, error) { return lab.Stream(lab.Free, n, 0), nil }
	if err := lab.SumPointCheck(100, right); err != nil {
		t.Error(err)
	}
	wrong := func(n int) (int64, error) { return lab.Stream(lab.Free, n-1, 0), nil }
	if err := lab.SumPointCheck(100, wrong); err == nil {
		t.Error("a stream that lost an int passed the check")
	}
}

var channelIDs = []string{"C1", "C2", "C3", "C4", "C5", "C6", "C7"}

// TestChannelPoints measures each point once, with little work.
func TestChannelPoints(t *testing.T) {
	for _, id := range channelIDs {
		seen := map[string]bool{}
		for _, p := range lab.ChannelPoints(id) {
			if seen[p.Name] {
				t.Errorf("%s has two points %s", id, p.Name)
			}
			seen[p.Name] = true
			t.Run(id+" "+p.Name, func(t *testing.T) {
				rerun.Share(t)
				order, err := json.Marshal(map[string]any{"experiment": id, "point": p.Name, "size": 250, "cpus": runtime.GOMAXPROCS(0)})
				if err != nil {
					t.Fatal(err)
				}
				answer, err := lab.MeasureHere(string(order))
				if err != nil {
					t.Fatal(err)
				}
				var reply struct{ Figure float64 }
				if err := json.Unmarshal([]byte(answer), &reply); err != nil {
					t.Fatal(err)
				}
				// CPU time advances in steps, which may be longer than such short runs.
				if reply.Figure < 0 || reply.Figure == 0 && p.Unit != "CPUs" || math.IsNaN(reply.Figure) || math.IsInf(reply.Figure, 0) {
					t.Errorf("the figure is %v %s", reply.Figure, p.Unit)
				}
			})
		}
	}
}

func TestChannelPointsBelongTogether(t *testing.T) {
	for _, id := range channelIDs {
		unit, ours := "", 0
		for _, p := range lab.ChannelPoints(id) {
			if p.Aside {
				continue
			}
			if unit == "" {
				unit = p.Unit
			}
			if p.Unit != unit {
				t.Errorf("%s: %s is in %s, others in %s", id, p.Name, p.Unit, unit)
			}
			if p.Ours {
				ours++
			}
		}
		if ours == 0 {
			t.Errorf("%s has no point of ours", id)
		}
	}
}

func TestChannelSizesAreTheArticles(t *testing.T) {
	const million = 1_000_000
	for id, want := range map[string]int{"C1": million, "C2": million, "C3": million, "C4": million, "C7": million} {
		if _, _, article := lab.ChannelSizes(id); article != want {
			t.Errorf("%s: the article's size is %d, want %d", id, article, want)
		}
	}
	for _, id := range channelIDs {
		if quick, full, article := lab.ChannelSizes(id); quick <= 0 || full < quick || article < full {
			t.Errorf("%s: sizes %d, %d, %d do not grow", id, quick, full, article)
		}
	}
}

// A madeUp makes figures of the points of an experiment: all are 100 in each
// round but for small differences, or what it says.
type madeUp map[string]float64

func (m madeUp) points(t *testing.T, labels []string, cpus int) []figures.Point {
	t.Helper()
	var ps []figures.Point
	used := 0
	for k, l := range labels {
		label, x, _ := strings.Cut(l, "@")
		at := 0.0
		switch x {
		case "":
		case "all":
			at = float64(cpus)
		default:
			if _, err := fmt.Sscan(x, &at); err != nil {
				t.Fatal(err)
			}
		}
		y, ok := m[l]
		if ok {
			used++
		} else {
			y = 100
		}
		p := figures.Point{
			Label: label, X: at, Unit: "u", Y: y, Low: y * 0.99, High: y * 1.01,
			Ours:  strings.HasPrefix(label, "MapSeq") || strings.HasPrefix(label, "ForEach") || strings.Contains(label, "Limiter"),
			Aside: strings.HasPrefix(label, "CPUs busy") || strings.HasPrefix(label, "p") && strings.Contains(label, ", ") && label[1] >= '0' && label[1] <= '9' || label == "slice" || label == "tied to threads",
		}
		for i := range 6 {
			// One round is above and one below, each time another, so that ratios have
			// an interval around what is made up.
			switch (i + k) % 6 {
			case 0:
				p.Samples = append(p.Samples, p.Low)
			case 3:
				p.Samples = append(p.Samples, p.High)
			default:
				p.Samples = append(p.Samples, y)
			}
		}
		ps = append(ps, p)
	}
	if used != len(m) {
		t.Fatalf("some of %v are no points of %v", m, labels)
	}
	return ps
}

// layouts are the points of the experiments, by "label@x", on several CPUs. The
// first test below holds them against those that are measured.
var layouts = map[string][]string{
	"C1": {"unbuffered@1", "unbuffered@all", "CPUs busy, unbuffered@all", "CPUs busy, independent goroutines@all", "tied to threads@all", "MapSeq@all"},
	"C2": {"buffer 100@1", "buffer 100@all", "CPUs busy, buffer 100@all", "CPUs busy, independent goroutines@all", "MapSeq@all"},
	"C3": {"channel of channels@1", "channel of channels@all", "CPUs busy, channel of channels@all", "CPUs busy, independent goroutines@all", "tied to threads@all", "MapSeq@all"},
	"C4": {"full channel@1", "full channel@all", "CPUs busy, full channel@all", "CPUs busy, independent goroutines@all", "slice@all", "MapSeq@all"},
	"C5": {
		"unbuffered@1", "buffer 100@1", "mutex@1", "atomic@1", "ForEach, blocks of 100@1",
		"unbuffered@8", "buffer 100@8", "mutex@8", "atomic@8", "ForEach, blocks of 100@8",
		"unbuffered, 1 CPU@8",
		"p50 at 3,000/s, unbuffered@8", "p50 at 3,000/s, buffer 100@8", "p50 at 3,000/s, mutex@8", "p50 at 3,000/s, atomic@8", "p50 at 3,000/s, blocks of 100@8",
		"p99 at 3,000/s, unbuffered@8", "p99 at 3,000/s, buffer 100@8", "p99 at 3,000/s, mutex@8", "p99 at 3,000/s, atomic@8", "p99 at 3,000/s, blocks of 100@8",
	},
	"C6": {
		"one process, 1 thread", "p99, one process, 1 thread", "one process, all CPUs", "p99, one process, all CPUs",
		"processes, balancer", "p99, processes, balancer",
		"one process, atomic and Limiter", "p99, one process, atomic and Limiter",
	},
	"C7": {
		"unbuffered@1", "unbuffered@all", "buffer 1@1", "buffer 1@all", "buffer 100@1", "buffer 100@all",
		"channel of channels@1", "channel of channels@all", "MapSeq@all",
	},
}

func TestLayoutsAreThoseMeasured(t *testing.T) {
	cpus := runtime.GOMAXPROCS(0)
	for id, labels := range layouts {
		layout := map[string]figures.Point{}
		for _, p := range (madeUp{}).points(t, labels, cpus) {
			layout[fmt.Sprintf("%s/%g", p.Label, p.X)] = p
		}
		measured := lab.ChannelPoints(id)
		for _, p := range measured {
			if l, ok := layout[p.Name]; !ok || l.Ours != p.Ours && !p.Aside || l.Aside != p.Aside {
				t.Errorf("%s: %s is measured as %+v, and made up as %+v", id, p.Name, p, l)
			}
		}
		if len(layout) != len(measured) {
			t.Errorf("%s: %d points are made up, %d measured", id, len(layout), len(measured))
		}
	}
}

func TestChannelVerdicts(t *testing.T) {
	const busy, two = "CPUs busy, ", "CPUs busy, independent goroutines@all"
	for _, test := range []struct {
		name, id string
		given    madeUp
		effect   figures.Effect
		first    string // what the words begin with, as they have the answer
		says     []string
		silent   []string
	}{
		{
			"slower on all CPUs", "C1", madeUp{"unbuffered@1": 240, "unbuffered@all": 5350, busy + "unbuffered@all": 3, two: 2, "MapSeq@all": 10}, figures.Shows,
			"more CPUs make it slower: 240 u with 1 CPU and 5,350 u with 4, 22.3 x", []string{"1.50 x"}, []string{"take turns", "cost is still there"},
		},
		{
			"the same on all CPUs", "C1", madeUp{"unbuffered@1": 240, "unbuffered@all": 240, busy + "unbuffered@all": 1, two: 2, "tied to threads@all": 24_000}, figures.Absent,
			"no clear difference: ", []string{"take turns", "100 x", "cost is still there, but most hand-overs stay on one thread"}, nil,
		},
		{
			"the CPUs are others'", "C1", madeUp{"unbuffered@1": 240, "unbuffered@all": 240, busy + "unbuffered@all": 1, two: 1, "tied to threads@all": 240}, figures.Absent,
			"no clear difference: ", nil, []string{"take turns", "cost is still there"},
		},
		{
			"no CPU time is known", "C1", madeUp{"unbuffered@1": 240, "unbuffered@all": 120, busy + "unbuffered@all": 0, two: 0}, figures.Absent,
			"more CPUs make it faster: ", []string{"does not say how many CPUs are busy"}, []string{"take turns"},
		},
		{"slower with a buffer", "C2", madeUp{"buffer 100@1": 97, "buffer 100@all": 167, busy + "buffer 100@all": 1, two: 2}, figures.Shows, "more CPUs make it slower: ", []string{"1.72 x"}, nil},
		{"faster with a buffer", "C2", madeUp{"buffer 100@1": 97, "buffer 100@all": 67, busy + "buffer 100@all": 1, two: 2}, figures.Absent, "more CPUs make it faster: ", nil, []string{"slower"}},
		{"slower replies", "C3", madeUp{"channel of channels@1": 1041, "channel of channels@all": 11170, busy + "channel of channels@all": 1, two: 2}, figures.Shows, "more CPUs make it slower: ", []string{"10.7 x"}, nil},
		{"same replies", "C3", madeUp{busy + "channel of channels@all": 1, two: 2}, figures.Absent, "no clear difference: ", nil, []string{"slower"}},
		{"sequential", "C4", madeUp{"full channel@1": 70, "full channel@all": 70, busy + "full channel@all": 1, two: 2, "slice@all": 7}, figures.Shows, "it is sequential: ", []string{"is 10.0 x"}, nil},
		{"parallel", "C4", madeUp{"full channel@1": 70, "full channel@all": 40, busy + "full channel@all": 1.9, two: 2}, figures.Absent, "it is not sequential: ", nil, []string{"it is sequential:"}},
		{
			"limited to 3,000", "C5", madeUp{"unbuffered@8": 2900, "mutex@8": 29_000, "atomic@8": 58_000, "p99 at 3,000/s, unbuffered@8": 1000, "ForEach, blocks of 100@8": 60_000}, figures.Shows,
			"3,000 a second are about the limit here too: ", []string{"the channel is still the limit", "later than the next request comes", "10.0 x"}, []string{"in some rounds"},
		},
		{
			"no limit", "C5", madeUp{
				"unbuffered@8": 3_000_000, "mutex@8": 2_000_000, "atomic@8": 1_000_000, "p50 at 3,000/s, unbuffered@8": 1, "p99 at 3,000/s, unbuffered@8": 20,
				"p50 at 3,000/s, mutex@8": 2, "p99 at 3,000/s, blocks of 100@8": 30,
			}, figures.Absent,
			"3,000 a second are not the limit here: one goroutine behind an unbuffered channel gives 8 clients 3,000,000 numbers a second, 1,000 times that",
			[]string{"the channel is not the limit", "before the next request comes, after 333 µs", "half of the requests have their number within 1.00 µs (unbuffered), 100 µs (buffer 100), 2.00 µs (mutex)", "20.0 µs (unbuffered)", "30.0 µs (blocks of 100)"}, nil,
		},
		{"as good as a mutex", "C5", madeUp{"unbuffered@8": 3_000_000, "mutex@8": 3_000_000, "atomic@8": 30_000_000}, figures.Absent, "", []string{"whether the channel is the limit is undecided"}, nil},
		{"about the limit or not", "C5", madeUp{"unbuffered@8": 3000}, figures.Untold, "whether 3,000 a second are the limit here is undecided: ", nil, nil},
		{"some rounds late", "C5", madeUp{"unbuffered@8": 3_000_000, "p99 at 3,000/s, unbuffered@8": 333}, figures.Absent, "", []string{"in some rounds later"}, nil},
		{
			"less on more threads", "C6", madeUp{"one process, 1 thread": 100, "one process, all CPUs": 90, "processes, balancer": 180, "p99, processes, balancer": 7}, figures.Shows,
			"more threads do less: one process with 4 serves 0.900 x", []string{"4 processes behind a balancer serve 2.00 x", "7.00 ms (processes, balancer)"}, nil,
		},
		{"more on more threads", "C6", madeUp{"one process, 1 thread": 50, "one process, all CPUs": 100}, figures.Absent, "", []string{"more threads do more"}, nil},
		{"as much on more threads", "C6", nil, figures.Absent, "", []string{"no clear difference"}, nil},
		{
			"as in the old versions", "C7", madeUp{"unbuffered@all": 2235, "buffer 1@all": 203.4, "buffer 100@all": 172, "channel of channels@all": 900}, figures.Shows,
			"4 CPUs against 1, with " + runtime.Version() + ": slower with unbuffered, buffer 1, buffer 100, channel of channels",
			[]string{"Unbuffered: more CPUs took 22.4 x the time with Go 1.0.2", "about what it was", "took 10.7 x the time with Go 1.0.2, and take 9.00 x", "less", "took 7.73 x the time with Go 1.1.2", "more"}, []string{"gone", "not slower"},
		},
		{
			"gone in part", "C7", madeUp{"unbuffered@all": 50, "buffer 1@all": 100, "buffer 100@all": 172, "channel of channels@all": 150}, figures.Absent,
			"4 CPUs against 1, with " + runtime.Version() + ": slower with buffer 100, channel of channels; not slower with unbuffered, buffer 1",
			[]string{"now: gone.", "gone, within the noise", "less"}, nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			const cpus = 4
			v := lab.JudgeChannels(test.id, cpus, test.given.points(t, layouts[test.id], cpus))
			if v.Effect != test.effect {
				t.Errorf("effect is %v, want %v", v.Effect, test.effect)
			}
			said := v.Words + "\n" + strings.Join(v.Notes, "\n")
			for _, s := range test.says {
				if !strings.Contains(said, s) {
					t.Errorf("it does not say %q", s)
				}
			}
			for _, s := range test.silent {
				if strings.Contains(said, s) {
					t.Errorf("it says %q", s)
				}
			}
			if v.Ours == nil {
				t.Fatal("there is nothing of ours")
			}
			if avoids := strings.Contains("C1 C2 C3 C4 C7", test.id); (v.Ours.Standing() == figures.Other) != avoids {
				t.Errorf("ours counts as %v, although it avoids the hand-over: %v", v.Ours.Standing(), avoids)
			}
			if !strings.HasPrefix(v.Words, test.first) {
				t.Errorf("it does not begin with %q", test.first)
			}
			if t.Failed() {
				t.Log(said)
			}
		})
	}
}

// TestChannelVerdictsOnOneCPU has a machine that shows nothing of what the article
// is about.
func TestChannelVerdictsOnOneCPU(t *testing.T) {
	for id, labels := range layouts {
		var one []string
		for _, l := range labels {
			// All CPUs are one here, and a point is measured once.
			if label, all := strings.CutSuffix(l, "@all"); !all {
				one = append(one, l)
			} else if !strings.Contains(strings.Join(labels, ";"), label+"@1") {
				one = append(one, label+"@1")
			}
		}
		given := madeUp{}
		if id == "C5" {
			given["unbuffered@8"] = 1e6
		}
		v := lab.JudgeChannels(id, 1, given.points(t, one, 1))
		if id != "C5" && v.Effect != figures.Untold || !strings.Contains(v.Words+strings.Join(v.Notes, "\n"), "single CPU") {
			t.Errorf("%s on one CPU: effect %v, %s", id, v.Effect == figures.Shows, v.Words)
		}
	}
}

// The ten timings of C1 are of all ints, from one goroutine to another.
func TestTenSuccessiveTimings(t *testing.T) {
	for _, n := range []int{1_000_000, 25, 3} {
		sum, times := lab.StreamTimed(n)
		if len(times) != 10 || sum != int64(n)*int64(n-1)/2 {
			t.Errorf("%d ints: %d timings, sum %d", n, len(times), sum)
		}
		for i, each := range times {
			if !(each > 0) && n >= 10 {
				t.Errorf("%d ints: tenth %d takes %g ns an int", n, i, each)
			}
		}
	}
}
