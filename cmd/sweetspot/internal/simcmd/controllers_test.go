package simcmd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/simcmd"
)

func TestControllers(t *testing.T) {
	got, err := simcmd.EntryNames("search", "dynamictarget", "dynamictarget:0.7", "step", "step:60", "fixed", "fixed:12")
	want := "[search dynamictarget:0.1 dynamictarget:0.2 dynamictarget:0.3 dynamictarget:0.7 step step:60 fixed(P) fixed(12)]"
	if err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for name, want := range map[string]string{
		"search:1": "unknown controller", "fixed:": "want a number above 0", "fixed:1.5": "want a whole number", "fixed:0": "want a number above 0",
		"step:101": "at most 100", "dynamictarget:x": "want a number above 0", "dynamictarget:NaN": "want a number above 0", "": "unknown controller",
	} {
		if _, err := simcmd.EntryNames(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want an error with %q", name, err, want)
		}
	}
	if _, err := simcmd.EntryNames("dynamictarget", "dynamictarget:0.2"); err == nil || !strings.Contains(err.Error(), "given twice") {
		t.Errorf("twice the same: %v", err)
	}
}
