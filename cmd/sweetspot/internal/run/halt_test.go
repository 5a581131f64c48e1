package run_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func known(n int64) func() (int64, bool) { return func() (int64, bool) { return n, true } }

func TestHalt(t *testing.T) {
	ok, bad, killed := run.Ending{}, run.Ending{Status: 5}, run.Ending{Signal: 9}
	for _, c := range []struct {
		flag    string
		endings []run.Ending
		at      int // the ending to halt at, from 1; 0 is none
		code    int
		now     bool
	}{
		{"never", []run.Ending{bad, bad}, 0, 0, false},
		{"0", []run.Ending{bad, bad}, 0, 0, false},
		{"soon,fail=1", []run.Ending{ok, bad, killed}, 2, 5, false},
		{"1", []run.Ending{ok, bad, ok}, 2, 5, false},
		{"now,fail=1", []run.Ending{ok, killed, ok}, 2, 137, true},
		{"2", []run.Ending{bad}, 1, 5, true},
		{"now,fail=1", []run.Ending{{Status: -1, Signal: 15}}, 1, 143, true}, // timed out
		{"soon,fail=2", []run.Ending{bad, ok, bad, bad}, 3, 3, false},
		{"now,success=2", []run.Ending{ok, bad, ok}, 3, 0, true},
		{"-1", []run.Ending{bad, ok}, 2, 0, false},
		{"-2", []run.Ending{bad, ok}, 2, 0, true},
		{"now,done=2", []run.Ending{bad, bad}, 2, 2, true},
		{"now,done=1", []run.Ending{ok}, 1, 0, true},
		{"soon,fail=20%", []run.Ending{bad, ok, bad}, 3, 20, false},
		{"20%", []run.Ending{bad, bad}, 2, 20, false},
		{"now,fail=15%", []run.Ending{bad, bad}, 2, 20, true}, // 1.5 of 10
		{"now,success=10%", []run.Ending{bad, ok}, 2, 0, true},
		{"soon,done=0.1%", []run.Ending{ok}, 1, 0, false},
	} {
		h, err := run.NewHalter(c.flag, known(10), false)
		if err != nil {
			t.Errorf("%s: %v", c.flag, err)
			continue
		}
		at := 0
		for i, e := range c.endings {
			if h.Finished(e) {
				if at != 0 {
					t.Errorf("%s: halts at %d and at %d", c.flag, at, i+1)
				}
				at = i + 1
			}
		}
		if at != c.at || h.Now() != c.now {
			t.Errorf("%s: halts at %d, now %v; want %d, %v", c.flag, at, h.Now(), c.at, c.now)
		}
		if at != 0 && h.Code() != c.code {
			t.Errorf("%s: code %d, want %d", c.flag, h.Code(), c.code)
		}
	}
}

// A percentage is reached by the job that makes it whole, not by the one after it.
func TestHaltAtWholePercentage(t *testing.T) {
	type share struct {
		percent   string
		at, total int64
	}
	shares := []share{{"0.07", 7, 10_000}, {"0.1", 3, 3000}, {"12.3", 123, 1000}}
	for n := int64(1); n <= 100; n++ {
		shares = append(shares, share{strconv.FormatInt(n, 10), n, 100})
	}
	for _, s := range shares {
		h, err := run.NewHalter("now,fail="+s.percent+"%", known(s.total), false)
		if err != nil {
			t.Fatal(err)
		}
		at := int64(1)
		for at <= s.total && !h.Finished(run.Ending{Status: 1}) {
			at++
		}
		if at != s.at {
			t.Errorf("%s %% of %d jobs: halts at failure %d, want %d", s.percent, s.total, at, s.at)
		}
	}
}

// Of a list from a pipe nobody knows how long it gets: failures are compared with what
// has finished.
func TestHaltOfStream(t *testing.T) {
	unknown := func() (int64, bool) { return 0, false }
	ok, bad := run.Ending{}, run.Ending{Status: 1}
	for _, c := range []struct {
		flag    string
		endings []run.Ending
		at      int
		code    int
	}{
		{"now,fail=50%", []run.Ending{bad, bad, bad}, 3, 100},
		{"now,fail=50%", []run.Ending{bad, ok, ok, ok, bad, bad}, 6, 50},
		{"now,fail=7%", slices.Concat(slices.Repeat([]run.Ending{ok}, 93), slices.Repeat([]run.Ending{bad}, 7)), 100, 7},
		{"now,fail=50%", []run.Ending{ok, ok, ok, ok, ok, bad, bad, bad, bad}, 0, 0},
		{"now,done=50%", []run.Ending{ok, ok, ok, ok, bad, bad}, 0, 0},
		{"now,success=50%", []run.Ending{ok, ok, ok, ok}, 0, 0},
	} {
		h, err := run.NewHalter(c.flag, unknown, true)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for i, e := range c.endings {
			if h.Finished(e) {
				at = i + 1
			}
		}
		if at != c.at || at != 0 && h.Code() != c.code {
			t.Errorf("%s: halts at %d, code %d; want %d, %d", c.flag, at, h.Code(), c.at, c.code)
		}
	}
}

// A percentage is not reached as long as nobody knows of how many.
func TestHaltOfUnknownTotal(t *testing.T) {
	total := int64(0)
	h, err := run.NewHalter("soon,fail=50%", func() (int64, bool) { return total, total > 0 }, false)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if h.Finished(run.Ending{Status: 1}) {
			t.Fatal("halts at half of an unknown number")
		}
	}
	total = 6
	if h.Finished(run.Ending{}) != true {
		t.Error("3 of 6 have failed, and it does not halt")
	}
	if h.Code() != 50 {
		t.Errorf("code %d, want 50", h.Code())
	}
}

func TestHaltRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":              "not a condition",
		"maybe":         "not a condition",
		"fail=1":        "not a condition",
		"later,fail=1":  "not a condition",
		"now":           "not a condition",
		"now,fail":      "not a number of jobs",
		"now,fail=0":    "not a number of jobs",
		"now,fail=-1":   "not a number of jobs",
		"now,fail=1.5":  "not a number of jobs",
		"now,fail=0%":   "not a percentage",
		"now,fail=101%": "not a percentage",
		"now,fail=NaN%": "not a percentage",
		"soon,worked=1": "not a condition",
		"7":             "not a condition",
	} {
		_, err := run.NewHalter(text, known(1), false)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}
