package diagnose

import (
	"fmt"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// Reasons for which goroutines wait, in the words of the runtime.
const (
	chanSend    = "chan send"
	chanReceive = "chan receive"
	selecting   = "select"
)

const (
	// parksEach is how many parks for each item say that the goroutines take turns: an
	// unbuffered channel has 1, one with a buffer of 100 some hundredths.
	parksEach = 0.3
	// cheapItem is how long a goroutine may run between two items for the hand-over to
	// count, which takes some tenths of a microsecond, and more if it wakes a thread.
	cheapItem = 10 * time.Microsecond
)

// items looks for channels that carry one cheap item at a time.
func (x *examination) items() []Finding {
	if x.p.Activity == nil || x.cpu() <= 0 {
		return nil
	}
	return x.settle(x.p.Profile, x.item)
}

// outsideIn returns how long the goroutines that a function starts wait for what is
// not in this process: it is part of what an item takes.
func (x *examination) outsideIn(fn string) float64 {
	var all float64
	for i := range x.p.Activity.Spawns {
		if s := &x.p.Activity.Spawns[i]; x.function(s.Place) == fn {
			all += outside(s)
		}
	}
	return all
}

// item looks at one function: the lines that take CPU time in channels, and those
// at which goroutines wait for one.
func (x *examination) item(fn string, lines []*dissect.Weight) (Finding, bool) {
	var parks []*dissect.Park
	var times, items, runs, most float64
	var places []dissect.Place
	var stacks [][]dissect.Place
	waits, _ := x.parksIn(fn)
	for _, k := range waits {
		if k.Reason != chanSend && k.Reason != chanReceive && k.Reason != selecting || !x.handsOver(k.Place) {
			continue
		}
		parks = append(parks, k)
		times += k.Times
		items = max(items, k.Executed)
		if k.Times > most { // where a goroutine waits for the end, it waits once, after much
			most, runs = k.Times, k.MedianRun
		}
	}
	for _, k := range parks {
		if k.Times >= hardlyRan*most {
			places = append(places, k.Place)
			stacks = append(stacks, k.Stack)
		}
	}
	for _, w := range lines {
		if w.Groups[dissect.Channels]+w.Groups[dissect.Scheduling] > hardlyRan*x.cpu() && x.handsOver(w.Place) {
			places = append(places, w.Place)
		}
	}
	if len(places) == 0 || runs > cheapItem.Seconds() || x.outsideIn(fn) > cheapItem.Seconds()*max(items, times, 1) {
		return Finding{}, false
	}
	f := x.finding(checkItem, Overhead, places[0], places...)
	x.join(&f, stacks, "chanitem", "chanarray")
	if times == 0 && len(f.Static) == 0 {
		return f, false // nobody ever waits: a semaphore, say, that is never full
	}
	ofCPU := f.won(x, x.overhead(fn, times))
	if f.Share < worthwhile {
		return f, false
	}
	f.Title = fmt.Sprintf("%s hands over one cheap item at a time", short(fn))
	if items > 0 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("%s items %s go over the channel, at %s each; there are %s parks for each item.",
			humanize.Number(items), x.o.Per.Each(), seconds(x.wall/items), humanize.Number(times/items)))
	} else if times > 0 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("Goroutines park here %s times %s.", humanize.Number(times), x.o.Per.Each()))
	}
	if times > 0 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("Between two parks (%s) they run for %s.", reasonsOf(parks), seconds(runs)))
	}
	if items > 0 && times/items > parksEach {
		f.Evidence = append(f.Evidence, "So they take turns, and do not work at the same time.")
	}
	f.Evidence = append(f.Evidence, fmt.Sprintf("Handing over and switching is %s of the CPU time; the work itself is %s.",
		percent(ofCPU), percent(x.p.Profile.Groups[dissect.Own])))
	f.Remedy = itemRemedy
	return f, true
}

const itemRemedy = "Where one side only makes items, let it be an iterator (iter.Seq); sweetspot.MapSeq does the work on them in as many goroutines as pay. Or send slices of some hundred items. A buffer alone does not fix it."

// handsOver reports whether a line is an operation on a channel, as far as its file
// can be read.
func (x *examination) handsOver(p dissect.Place) bool {
	l := x.src.at(p)
	return l == nil || l.channel && !l.library
}

func size(v float64) string { return strings.TrimSpace(humanize.Format(v, "B")) }
