package run_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestTimeoutFlag(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"10": 10 * time.Second, "0.5": 500 * time.Millisecond, "0.5s": 500 * time.Millisecond,
		"2m": 2 * time.Minute, "1h30m": 90 * time.Minute, "1d": 24 * time.Hour, "1.5d2h": 38 * time.Hour, "1d5": 24*time.Hour + 5*time.Second,
	} {
		if d, percent, err := run.Timeout(text); err != nil || d != want || percent != 0 {
			t.Errorf("%q: %v, %v %%, %v; want %v", text, d, percent, err, want)
		}
	}
	if d, percent, err := run.Timeout("250%"); err != nil || d != 0 || percent != 250 {
		t.Errorf("250%%: %v, %v, %v", d, percent, err)
	}
	for _, text := range []string{"", "0", "-1", "x", "1x", "d", "xd", "1e300", "NaN", "Inf", "0%", "-5%", "x%", "NaN%", "Inf%", "1d1d"} {
		if d, percent, err := run.Timeout(text); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%q: %v, %v, %v; want an error that says what would be right", text, d, percent, err)
		}
	}
}

func TestTriesFlag(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "1": 1, "5": 5} {
		if n, err := run.Tries(text); err != nil || n != want {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	for _, text := range []string{"", "-1", "x", "1.5", "99999999999"} {
		if _, err := run.Tries(text); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// Time that the jobs spend stopped does not count, neither before TERM nor before KILL.
func TestTimeoutStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := run.NewTimeouts("10", 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		stopped := func(want map[int][]int) {
			t.Helper()
			p.Suspend(func() { time.Sleep(time.Hour) })
			synctest.Wait()
			expect(t, p, want)
		}
		overdue := func(want bool) {
			t.Helper()
			if got := p.Overdue(1); got != want {
				t.Errorf("overdue: %v, want %v", got, want)
			}
		}
		p.Begin(1)
		time.Sleep(9 * time.Second)
		stopped(map[int][]int{})
		time.Sleep(time.Second - 1)
		synctest.Wait()
		expect(t, p, map[int][]int{})
		time.Sleep(time.Second)
		stopped(map[int][]int{1: {15}})
		p.Suspend(func() { time.Sleep(time.Hour); overdue(false) }) // it has not got KILL
		overdue(false)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		expect(t, p, map[int][]int{1: {15, 9}})
		overdue(false)
		time.Sleep(time.Second + 1)
		overdue(true)
		if !p.Leave(1) {
			t.Error("job 1 timed out, and nobody says so")
		}
		p.Forget(1)
	})
}

// Nor does it count for a percentage, or where a job starts or ends meanwhile.
func TestTimeRanStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := run.NewTimeouts("300%", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		ran := func(job int, want time.Duration) {
			t.Helper()
			if got := p.Ran(job); got != want {
				t.Errorf("job %d ran for %v, want %v", job, got, want)
			}
		}
		p.Begin(1)
		p.Begin(2)
		time.Sleep(time.Second)
		p.Suspend(func() {
			time.Sleep(time.Hour)
			p.Begin(3)
			time.Sleep(time.Hour)
			ran(1, time.Second)
		})
		time.Sleep(time.Second)
		ran(2, 2*time.Second)
		ran(3, time.Second)
	})
}

// A job gets TERM at its timeout and KILL after the grace, unless it ends.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := run.NewTimeouts("10", 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		p.Begin(1)
		time.Sleep(4 * time.Second)
		p.Begin(2)
		p.Begin(3)
		time.Sleep(2 * time.Second)
		if p.Leave(3) {
			t.Error("job 3 ended in time, and is said to have timed out")
		}
		time.Sleep(4*time.Second - 1)
		expect(t, p, map[int][]int{})
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		expect(t, p, map[int][]int{1: {15}})
		time.Sleep(time.Second)
		if !p.Leave(1) {
			t.Error("job 1 timed out, and nobody says so")
		}
		p.Forget(1)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if !p.Leave(2) {
			t.Error("job 2 timed out, and nobody says so")
		}
		expect(t, p, map[int][]int{1: {15}, 2: {15}})
		time.Sleep(time.Hour)
		synctest.Wait()
		expect(t, p, map[int][]int{1: {15}, 2: {15, 9}}) // what is left of it gets that
		p.Forget(2)
	})
}

// A patrol looks once a second, but a timeout that is shorter has its own time, however
// late in that second a job begins. So have those of jobs that begin one after the other.
func TestTimeoutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := run.NewTimeouts("0.01", 3*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		time.Sleep(314159 * time.Microsecond)
		p.Begin(1)
		time.Sleep(2718 * time.Microsecond)
		p.Begin(2)
		time.Sleep(7282*time.Microsecond - 1)
		expect(t, p, map[int][]int{})
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		expect(t, p, map[int][]int{1: {15}})
		time.Sleep(2718 * time.Microsecond)
		synctest.Wait()
		expect(t, p, map[int][]int{1: {15}, 2: {15}})
		time.Sleep(282 * time.Microsecond)
		synctest.Wait()
		expect(t, p, map[int][]int{1: {15, 9}, 2: {15}})
	})
}

func expect(t *testing.T, p *run.Timeouts, want map[int][]int) {
	t.Helper()
	for job := range 10 {
		if got := p.Signals(job); !slices.Equal(got, want[job]) {
			t.Errorf("job %d got the signals %v, want %v", job, got, want[job])
		}
	}
}

// A percentage is of the median of what has succeeded, which must be three at
// least, and holds for the jobs that run already.
func TestTimeoutPercent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := run.NewTimeouts("300%", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		p.Begin(1)
		time.Sleep(100 * time.Second)
		p.Succeeded(time.Second)
		p.Succeeded(50 * time.Second)
		synctest.Wait()
		expect(t, p, map[int][]int{})
		p.Begin(2)
		p.Succeeded(60 * time.Second)
		time.Sleep(50*time.Second - 1)
		expect(t, p, map[int][]int{})
		time.Sleep(time.Nanosecond) // 150 s after the start
		synctest.Wait()
		expect(t, p, map[int][]int{1: {15}})
		if !p.Leave(1) {
			t.Error("job 1 timed out, and nobody says so")
		}
		p.Forget(1)
		for range 2 {
			p.Succeeded(time.Second) // the median is 1 s now, and job 2 runs for 50
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		expect(t, p, map[int][]int{1: {15}, 2: {15}})
		if !p.Leave(2) {
			t.Error("job 2 timed out, and nobody says so")
		}
		p.Forget(2)
	})
}

// Short jobs are not ended for a hiccup of the machine.
func TestTimeoutPercentOfLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := run.NewTimeouts("100%", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		for range 3 {
			p.Succeeded(time.Millisecond)
		}
		p.Begin(1)
		time.Sleep(time.Second - 1)
		synctest.Wait()
		expect(t, p, map[int][]int{})
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		expect(t, p, map[int][]int{1: {15}})
	})
}

func TestTimeoutAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := run.NewTimeouts("1", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		p.Begin(1)
		p.Close()
		time.Sleep(time.Hour)
		synctest.Wait()
		expect(t, p, map[int][]int{})
		p.Begin(2)
		time.Sleep(time.Hour)
		synctest.Wait()
		expect(t, p, map[int][]int{})
	})
}
