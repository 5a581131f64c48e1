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
		k, err := run.NewTimekeeper("10", 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		stopped := func(want map[int][]int) {
			t.Helper()
			k.Suspend(func() { time.Sleep(time.Hour) })
			synctest.Wait()
			expect(t, k, want)
		}
		overdue := func(want bool) {
			t.Helper()
			if got := k.Overdue(1); got != want {
				t.Errorf("overdue: %v, want %v", got, want)
			}
		}
		k.Begin(1)
		time.Sleep(9 * time.Second)
		stopped(map[int][]int{})
		time.Sleep(time.Second - 1)
		synctest.Wait()
		expect(t, k, map[int][]int{})
		time.Sleep(time.Second)
		stopped(map[int][]int{1: {15}})
		k.Suspend(func() { time.Sleep(time.Hour); overdue(false) }) // it has not got KILL
		overdue(false)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		expect(t, k, map[int][]int{1: {15, 9}})
		overdue(false)
		time.Sleep(time.Second + 1)
		overdue(true)
		if !k.Reaped(1) {
			t.Error("job 1 timed out, and nobody says so")
		}
		k.Forget(1)
	})
}

// A job gets TERM at its timeout and KILL after the grace, unless it ends.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, err := run.NewTimekeeper("10", 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		k.Begin(1)
		time.Sleep(4 * time.Second)
		k.Begin(2)
		k.Begin(3)
		time.Sleep(2 * time.Second)
		if k.Reaped(3) {
			t.Error("job 3 ended in time, and is said to have timed out")
		}
		time.Sleep(4*time.Second - 1)
		expect(t, k, map[int][]int{})
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		expect(t, k, map[int][]int{1: {15}})
		time.Sleep(time.Second)
		if !k.Reaped(1) {
			t.Error("job 1 timed out, and nobody says so")
		}
		k.Forget(1)
		time.Sleep(time.Hour)
		synctest.Wait()
		expect(t, k, map[int][]int{1: {15}, 2: {15, 9}})
		if !k.Reaped(2) {
			t.Error("job 2 timed out, and nobody says so")
		}
		k.Forget(2)
	})
}

func expect(t *testing.T, k *run.Timekeeper, want map[int][]int) {
	t.Helper()
	for job := range 10 {
		if got := k.Signals(job); !slices.Equal(got, want[job]) {
			t.Errorf("job %d got the signals %v, want %v", job, got, want[job])
		}
	}
}

// A percentage is of the median of what has succeeded, which must be three at
// least, and holds for the jobs that run already.
func TestTimeoutPercent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, err := run.NewTimekeeper("300%", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		k.Begin(1)
		time.Sleep(100 * time.Second)
		k.Succeeded(time.Second)
		k.Succeeded(50 * time.Second)
		synctest.Wait()
		expect(t, k, map[int][]int{})
		k.Begin(2)
		k.Succeeded(60 * time.Second)
		time.Sleep(50*time.Second - 1)
		expect(t, k, map[int][]int{})
		time.Sleep(time.Nanosecond) // 150 s after the start
		synctest.Wait()
		expect(t, k, map[int][]int{1: {15}})
		if !k.Reaped(1) {
			t.Error("job 1 timed out, and nobody says so")
		}
		k.Forget(1)
		for range 2 {
			k.Succeeded(time.Second) // the median is 1 s now, and job 2 runs for 50
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		expect(t, k, map[int][]int{1: {15}, 2: {15}})
		if !k.Reaped(2) {
			t.Error("job 2 timed out, and nobody says so")
		}
		k.Forget(2)
	})
}

// Short jobs are not ended for a hiccup of the machine.
func TestTimeoutPercentOfLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, err := run.NewTimekeeper("100%", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		for range 3 {
			k.Succeeded(time.Millisecond)
		}
		k.Begin(1)
		time.Sleep(time.Second - 1)
		synctest.Wait()
		expect(t, k, map[int][]int{})
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		expect(t, k, map[int][]int{1: {15}})
	})
}

func TestTimeoutAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, err := run.NewTimekeeper("1", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		k.Begin(1)
		k.Close()
		time.Sleep(time.Hour)
		synctest.Wait()
		expect(t, k, map[int][]int{})
		k.Begin(2)
		time.Sleep(time.Hour)
		synctest.Wait()
		expect(t, k, map[int][]int{})
	})
}
