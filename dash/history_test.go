package dash_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/dash"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// record lets a page record for a time.
func record(t *testing.T, p *dash.Page, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	if err := p.Record(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

func TestAnHourIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(sweetspot.Name("work")), 3)
		p := pageOf([]*sweetspot.Limiter{l})
		began := time.Now()
		record(t, p, 90*time.Minute+time.Millisecond)
		l.SetLimit(4)
		h := parse[account](t, get(p, "/history.json").Body.Bytes())
		n := len(h.Time)
		if n < dash.PointsKept || n > dash.PointsKept*9/8 {
			t.Errorf("%d points, want an hour", n)
		}
		for _, column := range []int{len(h.Limit), len(h.InFlight), len(h.Waiting), len(h.Rate), len(h.OwnCPU), len(h.MachineCPU)} {
			if column != n {
				t.Errorf("%d and %d points", n, column)
			}
		}
		for i := 1; i < n; i++ {
			if d := h.Time[i] - h.Time[i-1]; d != dash.Step.Milliseconds() {
				t.Fatalf("%d ms between points", d)
			}
		}
		if last := h.Time[n-1] - began.UnixMilli(); last != 90*60*1000 {
			t.Errorf("the last point is after %d ms", last)
		}
		if slices.Max(h.Limit) != 3 || slices.Min(h.Limit) != 3 {
			t.Error("limits that never were")
		}
	})
}

// TestClockSetBack: points stay in the order of their times where the wall clock is set back, and
// who watches gets them anew.
func TestClockSetBack(t *testing.T) {
	l := setTo(sweetspot.New(sweetspot.Name("work")), 3)
	p := pageOf([]*sweetspot.Limiter{l})
	told := httptest.NewRecorder()
	stream := dash.NewStream(p, told)
	began := time.Now()
	for _, at := range []time.Duration{0, 1, 2, -3600, -3599, -3598, -3597} {
		if at == -3598 {
			l.SetLimit(4)
		}
		p.Measure(began.Add(at * time.Second))
		if err := stream.Tell(); err != nil {
			t.Fatal(err)
		}
	}
	h := parse[account](t, get(p, "/history.json").Body.Bytes())
	if !slices.IsSorted(h.Time) || len(h.Time) < 4 || len(h.Limit) != len(h.Time) {
		t.Errorf("limits %v at %v", h.Limit, h.Time)
	}
	if n := strings.Count(told.Body.String(), "event: history\n"); n != 2 {
		t.Errorf("%d histories sent, want 2", n)
	}
}

// TestWorkShows sees that the figures of a point are of its second.
func TestWorkShows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(sweetspot.Name("work")), 5)
		p := pageOf([]*sweetspot.Limiter{l})
		stop := make(chan struct{})
		for range 8 {
			go func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					_ = l.Do(context.Background(), func(context.Context) error { time.Sleep(50 * time.Millisecond); return nil })
				}
			}()
		}
		time.Sleep(525 * time.Millisecond) // between two ends of units
		record(t, p, 5*time.Second+20*time.Millisecond)
		close(stop)
		record(t, p, 4*time.Second)
		h := parse[account](t, get(p, "/history.json?limiter=work").Body.Bytes())
		for i := range 5 {
			if h.InFlight[i] != 5 || h.Waiting[i] != 3 || *h.Rate[i] < 90 || *h.Rate[i] > 110 || h.OwnCPU[i] == nil {
				t.Errorf("point %d: in flight %d, waiting %d, rate %v", i, h.InFlight[i], h.Waiting[i], *h.Rate[i])
			}
		}
		n := len(h.Time) - 1
		if h.InFlight[n] != 0 || *h.Rate[n] != 0 || h.OwnCPU[n] != nil || h.MachineCPU[n] != nil {
			t.Errorf("at rest: in flight %d, rate %v, CPUs %v", h.InFlight[n], *h.Rate[n], h.OwnCPU[n])
		}
	})
}

func TestNobodyLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		p := dash.Handler()
		p.Show(func() []*sweetspot.Limiter { looks++; return nil })
		record(t, p, 10*time.Second+time.Millisecond)
		if looks != 11 {
			t.Errorf("%d measurements in ten seconds", looks)
		}
		time.Sleep(time.Hour)
		if looks != 11 {
			t.Errorf("%d measurements that nobody wanted", looks-11)
		}
		for range 100 {
			get(p, "/limiters.json")
		}
		if looks != 12 {
			t.Errorf("%d measurements at one instant", looks-11)
		}
	})
}

func TestReadersShareMeasurements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		p := dash.Handler()
		p.Show(func() []*sweetspot.Limiter { looks++; return nil })
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second+time.Millisecond)
		defer cancel()
		for i := range 20 {
			time.Sleep(time.Duration(i) * time.Millisecond)
			go p.Record(ctx)
		}
		<-ctx.Done()
		synctest.Wait()
		if looks != 11 {
			t.Errorf("20 readers made %d measurements in ten seconds, want 11", looks)
		}
	})
}

func TestChangesHaveTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := sweetspot.New(sweetspot.Name("work"), sweetspot.Start(2))
		p := pageOf([]*sweetspot.Limiter{l})
		l.SetLimit(3)
		time.Sleep(time.Minute)
		record(t, p, 2*time.Second+time.Millisecond)
		before := time.Now()
		l.SetLimit(5)
		l.SetLimit(7)
		record(t, p, 2*time.Second)
		l.SetLimit(8) // nobody has measured since
		h := parse[account](t, get(p, "/history.json").Body.Bytes())
		if len(h.Changes) != 3 {
			t.Fatalf("%+v", h.Changes)
		}
		for i, to := range []int{3, 5, 7} {
			c := h.Changes[i]
			if c.Seq != int64(i+1) || c.To != to || c.Kind != "manual" || c.Why == "" {
				t.Errorf("%+v", c)
			}
		}
		if h.Changes[0].Time != nil {
			t.Error("a time nobody can know")
		}
		for _, c := range h.Changes[1:] {
			// At rest the Limiter's clock stands, so the second is all that is known.
			if c.Time == nil || before.Sub(time.UnixMilli(*c.Time)).Abs() > dash.Step {
				t.Errorf("%+v, want about %d", c, before.UnixMilli())
			}
		}
	})
}

// TestFirstChangesHaveTimes: a page that measured before a Limiter was made knows when
// its first decisions fell.
func TestFirstChangesHaveTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var list []*sweetspot.Limiter
		p := dash.Handler()
		p.Show(func() []*sweetspot.Limiter { return list })
		record(t, p, 2*dash.Step+time.Millisecond)
		before := time.Now()
		list = append(list, setTo(sweetspot.New(sweetspot.Name("work")), 5))
		record(t, p, 2*dash.Step+time.Millisecond)
		h := parse[account](t, get(p, "/history.json").Body.Bytes())
		if len(h.Changes) != 1 || h.Changes[0].Time == nil || before.Sub(time.UnixMilli(*h.Changes[0].Time)).Abs() > dash.Step {
			t.Errorf("%+v, want one at about %d", h.Changes, before.UnixMilli())
		}
	})
}

// TestManyChanges lets more fall between two looks than a Limiter remembers.
func TestManyChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := sweetspot.New(sweetspot.Name("work"), sweetspot.Start(1))
		p := pageOf([]*sweetspot.Limiter{l})
		record(t, p, time.Millisecond)
		for i := range 1000 {
			l.SetLimit(2 + i%2)
		}
		record(t, p, dash.Step)
		for i := range 10 {
			l.SetLimit(20 + i)
		}
		record(t, p, dash.Step)
		h := parse[account](t, get(p, "/history.json").Body.Bytes())
		if n := len(h.Changes); n != 256 || h.Changes[0].Seq != 755 || h.Changes[n-1].Seq != 1010 || h.Changes[n-1].To != 29 {
			t.Errorf("%d changes: %+v", n, h.Changes[len(h.Changes)-1])
		}
		for _, c := range h.Changes {
			if c.Time == nil {
				t.Fatalf("no time: %+v", c)
			}
		}
	})
}

func TestComingAndGoing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := setTo(sweetspot.New(sweetspot.Name("a")), 1), setTo(sweetspot.New(sweetspot.Name("a")), 2)
		list := []*sweetspot.Limiter{a, b}
		p := dash.Handler()
		p.Show(func() []*sweetspot.Limiter { return list })
		ids := func() []string {
			record(t, p, dash.Step)
			return parse[overview](t, get(p, "/limiters.json").Body.Bytes()).ids()
		}
		if got, want := ids(), []string{"a", "a~2"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		list = []*sweetspot.Limiter{b}
		if got, want := ids(), []string{"a~2"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q: an id must not pass to another Limiter", got, want)
		}
		c := setTo(sweetspot.New(sweetspot.Name("a")), 3)
		list = []*sweetspot.Limiter{b, c}
		if got, want := ids(), []string{"a~2", "a"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		h := parse[account](t, get(p, "/history.json?limiter=a").Body.Bytes())
		if slices.Min(h.Limit) != 3 {
			t.Errorf("limits %v of another Limiter", h.Limit)
		}
	})
}

// TestNamesThatAreNoText: JSON can carry UTF-8 only, and who reads an id there
// must be able to ask for it.
func TestNamesThatAreNoText(t *testing.T) {
	synctest.Test(t, namesThatAreNoText) // one measurement
}

func namesThatAreNoText(t *testing.T) {
	var list []*sweetspot.Limiter
	for i, name := range []string{"a\xffb", "a\xfeb", "a\xff\xfeb", "\xff"} {
		list = append(list, setTo(sweetspot.New(sweetspot.Name(name)), i+1))
	}
	p := pageOf(list)
	ids := parse[overview](t, get(p, "/limiters.json").Body.Bytes()).ids()
	if want := []string{"a\uFFFDb", "a\uFFFDb~2", "a\uFFFDb~3", "\uFFFD"}; !slices.Equal(ids, want) {
		t.Errorf("%q, want %q", ids, want)
	}
	for i, id := range ids {
		w := get(p, "/history.json?limiter="+url.QueryEscape(id))
		if w.Code != http.StatusOK {
			t.Errorf("%q: %d %s", id, w.Code, w.Body)
			continue
		}
		if h := parse[account](t, w.Body.Bytes()); h.Limiter != id || !slices.Equal(h.Limit, []int{i + 1}) {
			t.Errorf("%q: %+v", id, h)
		}
	}
}

// TestManyOfOneName: each needs an id, and finding it must not mean trying all
// that are taken. Every try makes a string, so they can be counted.
func TestManyOfOneName(t *testing.T) {
	const n = 1000
	allocs := func(name func(i int) string) float64 {
		list := make([]*sweetspot.Limiter, n)
		for i := range list {
			list[i] = setTo(sweetspot.New(sweetspot.Name(name(i))), 1)
		}
		return testing.AllocsPerRun(1, func() { pageOf(list).Pass() })
	}
	one := allocs(func(int) string { return "work" })
	many := allocs(func(i int) string { return fmt.Sprintf("work-%d", i) })
	if one > many+5*n {
		t.Errorf("%d Limiters of one name take %.0f allocations, of many names %.0f", n, one, many)
	}
}

// TestIDsAreFilledUp: a suffix that has become free is used again, and one that is
// the name of another Limiter is not.
func TestIDsAreFilledUp(t *testing.T) {
	named := func(name string) *sweetspot.Limiter {
		return setTo(sweetspot.New(sweetspot.Name(name)), 1)
	}
	list := []*sweetspot.Limiter{named("a~3"), named("a"), named("a"), named("a"), named("a"), named("a~3")}
	p := dash.Handler()
	p.Show(func() []*sweetspot.Limiter { return list })
	ids := func() []string {
		p.Pass()
		return parse[overview](t, get(p, "/limiters.json").Body.Bytes()).ids()
	}
	if got, want := ids(), []string{"a~3", "a", "a~2", "a~4", "a~5", "a~3~2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	list = append([]*sweetspot.Limiter{list[3], list[4]}, named("a"), named("a"), named("a"), named("a"))
	if got, want := ids(), []string{"a~4", "a~5", "a", "a~2", "a~3", "a~6"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPagesKeepNothingAlive(t *testing.T) {
	p := dash.Handler()
	gone := make(chan struct{})
	func() {
		l := sweetspot.New(sweetspot.Name("TestPagesKeepNothingAlive"))
		runtime.AddCleanup(l, func(int) { close(gone) }, 0)
		get(p, "/history.json?limiter=TestPagesKeepNothingAlive")
	}()
	for {
		runtime.GC()
		select {
		case <-gone:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// busy returns Limiters that have decided as often as they remember.
func busy(n int) []*sweetspot.Limiter {
	list := make([]*sweetspot.Limiter, n)
	for i := range list {
		list[i] = sweetspot.New(sweetspot.Name(fmt.Sprintf("work-%d", i)))
		for j := range 300 {
			list[i].SetLimit(1 + j%2)
		}
	}
	return list
}

func heap() int64 {
	runtime.GC()
	runtime.GC() // what the first finds to be finalised
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemory holds a page to its bound.
func TestMemory(t *testing.T) {
	rerun.Serial(t)
	synctest.Test(t, func(t *testing.T) {
		const limiters = 5
		list := busy(limiters)
		p := pageOf(list)
		before := heap()
		record(t, p, dash.PointsKept*dash.Step*9/8) // the most there ever is
		used := heap() - before
		t.Logf("%.1f MB", float64(used)/1e6)
		if used > limiters*0.2e6 { // 20 MB for the 100 that are shown for an hour
			t.Errorf("%d Limiters use %.1f MB, want 0.2 each at most", limiters, float64(used)/1e6)
		}
		runtime.KeepAlive(list)
		runtime.KeepAlive(p)
	})
}

// TestManyLimitersShareTheRoom sees that memory does not grow with them.
func TestManyLimitersShareTheRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for n, want := range map[int]int{1: 1000, 10: 100, 100: dash.PointsLeast} {
			p := pageOf(busy(n))
			p.Room(1000)
			record(t, p, time.Duration(want*3/2)*dash.Step)
			h := parse[account](t, get(p, "/history.json").Body.Bytes())
			if got := len(h.Time); got < want || got > want*9/8 {
				t.Errorf("%d Limiters: %d points, want %d", n, got, want)
			}
		}
	})
}
