package run_test

import (
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestJobsFlag(t *testing.T) {
	const cpus = 4
	for text, want := range map[string]int{
		"1": 1, "7": 7, "100%": 4, "50%": 2, "1%": 1, "300%": 12, "+3": 7, "+0": 4, "-1": 3, "-9": 1, "-0": 4,
	} {
		got, fixed, err := run.JobsLimit(text, cpus)
		if err != nil || !fixed || got != want {
			t.Errorf("-j %s: %d, %v, %v, want %d", text, got, fixed, err, want)
		}
	}
	if got, _, _ := run.JobsLimit("100%", 1.5); got != 2 {
		t.Errorf("-j 100%% on 1.5 CPUs: %d, want 2", got)
	}
	for _, text := range []string{"auto", "0"} {
		if _, fixed, err := run.JobsLimit(text, cpus); fixed || err != nil {
			t.Errorf("-j %s: fixed %v, %v", text, fixed, err)
		}
	}
}

func TestJobsFlagRefuses(t *testing.T) {
	for _, text := range []string{"", "x", "1.5", "0%", "%", "+", "-", "+-1", "--1", "1e3", "99999999999", "-5%", "5 ", "Auto", "4194305"} {
		_, _, err := run.JobsLimit(text, 4)
		if err == nil || !strings.Contains(err.Error(), "%") {
			t.Errorf("-j %q: error %v, want one that shows the forms", text, err)
		}
	}
}
