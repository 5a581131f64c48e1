package main_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	world "github.com/sweetspot-go/sweetspot/bench/world"
)

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		args, names string
		takes       time.Duration
	}{
		{"-only nginx", "nginx", 3*time.Second + 5*(60+2*12*5)*time.Second},
		{"-only parse,limit -quick", "limitconn parse", 2 * (3 + 60 + 2*10*2) * time.Second},
		{"-only nginx -quick -rounds 2 -n 2,4", "nginx", (3 + 2*(60+2*2*2)) * time.Second},
		{"-only nginx -p99 1.5,3 -auto 40s -fixed 6s", "nginx", (3 + 12*2 + 2*(40+2*4*6)) * time.Second},
	} {
		names, _, takes, err := world.Flags(strings.Fields(c.args)...)
		if got := strings.Join(names, " "); err != nil || got != c.names || takes != c.takes {
			t.Errorf("%q: %s in %v, %v; want %s in %v", c.args, got, takes, err, c.names, c.takes)
		}
	}
	if names, _, _, err := world.Flags(); err != nil || !slices.Equal(names, world.Works()) {
		t.Errorf("without flags: %s, %v; want all", names, err)
	}
}

func TestFlagErrors(t *testing.T) {
	for args, want := range map[string]string{
		"-only disk":       `no work begins with "disk": want some of pg-tpcb,`,
		"-only ,":          `no work begins with ""`,
		"-n 0":             `-n: "0": want numbers`,
		"-auto 1ms":        "-auto: want a second or more",
		"-fixed 0s":        "-fixed: want a second or more",
		"-rounds 0":        "-rounds 0: want 1 or more",
		"-law pid":         `unknown law "pid"`,
		"-p99 0.5":         "want numbers from 1 to 1000",
		"-p99 2 -auto 10s": "-auto 10s: with -p99 want 11s or more",
		"-p99 2 -strict":   "-p99 does not go with -strict",
		"nginx":            `"nginx" is left over`,
		"-quick -n x":      `-n: "x": want numbers`,
	} {
		if _, _, _, err := world.Flags(strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", args, err, want)
		}
	}
}
