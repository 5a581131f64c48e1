package main_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	real "github.com/sweetspot-go/sweetspot/bench/real"
)

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		args  string
		names string
		takes time.Duration
	}{
		{"", "sha sleepcmd server cpu1ms wait50 mixed memory hog cpu20us", 3 * (9*60*time.Second + (9*13-2)*20*time.Second)},
		{"-only cpu,sleep -n 2 -rounds 1", "sleepcmd cpu1ms cpu20us", 3 * 80 * time.Second},
		{"-only mixed -fixed 0s -rounds 2", "mixed", 2 * time.Minute},
		{"-only mixed,sha -peer -n 1,2 -rounds 1 -auto 3s -fixed 1s", "sha mixed", 2*5*time.Second + time.Second},
		{"-law step:80 -only s,hog", "sha sleepcmd server hog", 3 * 4 * (60 + 13*20) * time.Second},
	} {
		names, _, takes, err := real.Flags(strings.Fields(c.args)...)
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
		} else if got := strings.Join(names, " "); got != c.names || takes != c.takes {
			t.Errorf("%q: %s in %v, want %s in %v", c.args, got, takes, c.names, c.takes)
		}
	}
}

func TestLimits(t *testing.T) {
	_, limits, _, err := real.Flags("-n", "512,2, 64,2", "-only", "mem,mixed")
	if err != nil {
		t.Fatal(err)
	}
	if got := limits["mixed"]; !slices.Equal(got, []int{2, 64, 512}) {
		t.Errorf("mixed: %v, want them in order and each once", got)
	}
	if got := limits["memory"]; !slices.Equal(got, []int{2, 64}) {
		t.Errorf("memory: %v, want no more than it can bear", got)
	}
}

func TestFlagErrors(t *testing.T) {
	for args, want := range map[string]string{
		"-only disk":     `no workload begins with "disk"`,
		"-only cpu,,sha": `no workload begins with ""`,
		"-n 1,zero":      `-n: "zero": want numbers`,
		"-n 0":           `-n: "0": want numbers`,
		"-auto 0s":       "-auto: want a time above 0",
		"-fixed -1s":     "-fixed: want a time",
		"-rounds 0":      "-rounds 0: want 1 or more",
		"-law pid":       `unknown law "pid": want one of search`,
		"mixed":          `"mixed" is left over`,
		"-role measure":  "not defined",
	} {
		if _, _, _, err := real.Flags(strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", args, err, want)
		}
	}
}
