package main_test

import (
	"io"
	"strings"
	"testing"

	peers "github.com/sweetspot-go/sweetspot/bench/peers"
)

func TestFlags(t *testing.T) {
	for _, args := range []string{
		"", "-quick", "-rounds 3 -procs 2", "-only s,grains", "-match ^Map/ -patience 0s", "-o f",
	} {
		if _, err := peers.ParseFlags(strings.Fields(args), io.Discard); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
	for args, want := range map[string]string{
		"-only nothing":   `no group begins with "nothing"`,
		"-only small,":    `no group begins with ""`,
		"-rounds -1":      "want 1 or more",
		"-procs 0":        "want 1 or more",
		"-patience -1s":   "want a time",
		"-match (":        "missing closing",
		"grains":          `"grains" is left over`,
		"-rounds many":    "invalid value",
		"-no-such-option": "not defined",
	} {
		if _, err := peers.ParseFlags(strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", args, err, want)
		}
	}
}
