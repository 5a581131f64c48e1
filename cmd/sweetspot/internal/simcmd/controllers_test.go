package simcmd_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/simcmd"
	"github.com/sweetspot-go/sweetspot/control"
)

func TestControllers(t *testing.T) {
	got, err := simcmd.EntryNames("search", "dynamictarget", "dynamictarget:0.7", "step", "step:60", "aimd", "aimd:2", "vegas", "gradient2", "hillclimbing", "fixed", "fixed:12")
	want := "[search dynamictarget:0.1 dynamictarget:0.2 dynamictarget:0.3 dynamictarget:0.7 step step:60 aimd aimd:2 vegas gradient2 hillclimbing fixed(P) fixed(12)]"
	if err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for name, want := range map[string]string{
		"search:1": "takes no argument", "fixed:": "want a number after the colon", "fixed:1.5": "a whole number", "fixed:0": "a whole number",
		"step:101": "at most 100", "dynamictarget:x": "want a number after the colon", "dynamictarget:NaN": "want a number after the colon",
		"": "unknown law",
	} {
		if _, err := simcmd.EntryNames(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want an error with %q", name, err, want)
		}
	}
	if _, err := simcmd.EntryNames("dynamictarget", "dynamictarget:0.2"); err == nil || !strings.Contains(err.Error(), "given twice") {
		t.Errorf("twice the same: %v", err)
	}
}

// Whoever asks for nothing gets every law that needs no target of theirs, and
// each law can be asked for.
func TestEveryLawIsInTheTable(t *testing.T) {
	table, err := simcmd.EntryNames(simcmd.DefaultControllers...)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range control.Names() {
		name := strings.FieldsFunc(form, func(r rune) bool { return r == '[' || r == ':' })[0]
		if name == "fixedtarget" {
			continue // its target is a wish, and more throughput no aim of it
		}
		if !slices.ContainsFunc(table, func(column string) bool { return strings.HasPrefix(column, name) }) {
			t.Errorf("%s is missing in %v", name, table)
		}
	}
}
