package sweetspot_test

import (
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/sweetspot-go/sweetspot"
)

func TestOptionsRefuse(t *testing.T) {
	for _, c := range []struct {
		f    func()
		want string
	}{
		{func() { sweetspot.Fixed(0) }, "sweetspot: Fixed(0): want a number from 1 to 4194304"},
		{func() { sweetspot.Fixed(1<<22 + 1) }, "sweetspot: Fixed(4194305): want a number from 1 to 4194304"},
		{func() { sweetspot.Min(0) }, "sweetspot: Min(0): want a number from 1 to 4194304"},
		{func() { sweetspot.Min(1<<22 + 1) }, "sweetspot: Min(4194305): want a number from 1 to 4194304"},
		{func() { sweetspot.Max(-1) }, "sweetspot: Max(-1): want a number from 1 to 4194304"},
		{func() { sweetspot.Max(1<<22 + 1) }, "sweetspot: Max(4194305): want a number from 1 to 4194304"},
		{func() { sweetspot.Start(0) }, "sweetspot: Start(0): want a number from 1 to 4194304"},
		{func() { sweetspot.Start(1<<22 + 1) }, "sweetspot: Start(4194305): want a number from 1 to 4194304"},
		{func() { sweetspot.MaxP99(0) }, "sweetspot: MaxP99(0s): want a time above 0, such as 100*time.Millisecond"},
		{func() { sweetspot.Controller(nil) }, "sweetspot: Controller(nil): want a controller, such as control.NewSearch()"},
		{func() { sweetspot.Sensor(nil) }, "sweetspot: Sensor(nil): want a sensor, such as sense.NewProcess()"},
		{func() { sweetspot.Logger(nil) }, "sweetspot: Logger(nil): want a logger, such as slog.Default()"},
		{func() { sweetspot.Classify(nil) }, "sweetspot: Classify(nil): want a function from error to Outcome"},
		{func() { sweetspot.New(sweetspot.Min(3), sweetspot.Max(2)) }, "sweetspot: Min(3) is above Max(2)"},
		{func() { sweetspot.New(sweetspot.Min(3), nil) }, "sweetspot: New: option 2 of 2 is nil"},
	} {
		if got := refuse(c.f); got != c.want {
			t.Errorf("panics with %v, want %q", got, c.want)
		}
	}
}

// TestOptionsBelong: an option is of the families of the calls for which it has a meaning, and
// of no others, so that it does not compile where it has none.
func TestOptionsBelong(t *testing.T) {
	type families [5]bool
	for name, c := range map[string]struct {
		option any
		want   families // Option, ChunkOption, MapOption, MapSeqOption, WalkOption
	}{
		"Fixed":     {sweetspot.Fixed(1), families{true, true, true, true, true}},
		"a Limiter": {sweetspot.New(), families{true, true, true, true, true}},
		"MinChunk":  {sweetspot.MinChunk(1), families{false, true, true, true, true}},
		"AllErrors": {sweetspot.AllErrors(), families{false, false, true, true, true}},
		"Unordered": {sweetspot.Unordered(), families{false, false, false, true, false}},
		"SizeHint":  {sweetspot.SizeHint(1), families{false, false, false, false, true}},
		"Min":       {sweetspot.Min(1), families{}},
	} {
		var got families
		_, got[0] = c.option.(sweetspot.Option)
		_, got[1] = c.option.(sweetspot.ChunkOption)
		_, got[2] = c.option.(sweetspot.MapOption)
		_, got[3] = c.option.(sweetspot.MapSeqOption)
		_, got[4] = c.option.(sweetspot.WalkOption)
		if got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if _, ok := c.option.(sweetspot.LimiterOption); ok != (name == "Min") {
			t.Errorf("%s as an option of New: %v", name, ok)
		}
	}
}

// TestFirstLimit: the limit of a new Limiter, by its options in any order.
func TestFirstLimit(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	type opts = []sweetspot.LimiterOption
	for _, c := range []struct {
		want int
		opts opts
	}{
		{3, nil},
		{7, opts{sweetspot.Start(7)}},
		{5, opts{sweetspot.Min(5)}},
		{2, opts{sweetspot.Max(2)}},
		{9, opts{sweetspot.Start(7), sweetspot.Min(9)}},
		{4, opts{sweetspot.Max(4), sweetspot.Start(7)}},
		{100_000, opts{sweetspot.Start(1 << 22)}},
		{1 << 22, opts{sweetspot.Start(1 << 22), sweetspot.Max(1 << 22)}},
		{6, opts{sweetspot.Start(2), sweetspot.Start(6)}}, // the last one counts
	} {
		synctest.Test(t, func(t *testing.T) {
			l := governed(law(keep), c.opts...)
			if got := l.Limit(); got != c.want {
				t.Errorf("limit %d, want %d", got, c.want)
			}
			if got := l.Stats().Limit; got != c.want {
				t.Errorf("limit %d in Stats, want %d", got, c.want)
			}
			for _, n := range []int{1, 8, 1 << 22} { // whatever the options say
				if got := setTo(l, n).Limit(); got != n {
					t.Errorf("limit %d after SetLimit(%d)", got, n)
				}
			}
		})
	}
}
