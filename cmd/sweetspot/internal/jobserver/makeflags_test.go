package jobserver_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/jobserver"
)

// Flags of a jobserver take the place of others in MAKEFLAGS, and leave the rest as make wants it.
func TestMakeflags(t *testing.T) {
	const ours = "-j4 --jobserver-auth=3,4"
	for old, want := range map[string]string{
		"":                   ours,
		"k":                  "k " + ours,
		"-j8":                ours,
		"-j 8 -k":            ours + " -k",
		"ks -j --jobs=3 -l2": "ks " + ours + " -l2",
		" -j2 --jobserver-fds=5,6 --jobserver-auth=fifo:/tmp/x": ours,
		"-- CC=gcc CFLAGS=-j9": ours + " -- CC=gcc CFLAGS=-j9",
		"k -j8 -- A=-- B=1":    "k " + ours + " -- A=-- B=1",
		"CC=gcc":               ours + " CC=gcc",
		"-kj8":                 ours + " -k",
		"kj8 -l2":              "k " + ours + " -l2",
		"-s -wkj 8 -i":         ours + " -s -wk -i",
		"-Ijobs -fj8":          ours + " -Ijobs -fj8",
	} {
		if got := jobserver.Merged(old, ours); got != want {
			t.Errorf("MAKEFLAGS=%q: %q, want %q", old, got, want)
		}
	}
	env := jobserver.Environment([]string{"A=1", "MAKEFLAGS=k", "CARGO_MAKEFLAGS=-j9", "B=2"}, jobserver.PipeFlags(3, 4), 7)
	const flags = "-j7 --jobserver-fds=3,4 --jobserver-auth=3,4"
	slices.Sort(env)
	if got, want := strings.Join(env, "\n"), "A=1\nB=2\nCARGO_MAKEFLAGS="+flags+"\nMAKEFLAGS=k "+flags; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOwnNumber(t *testing.T) {
	for command, want := range map[string]string{
		"make -j8":             "-j8",
		"/usr/bin/make -k -j":  "-j",
		"gmake --jobs=3 all":   "--jobs=3",
		"ninja -C out -j 4":    "-j",
		"make -skj8":           "-skj8",
		"make -Cjobs -k":       "",
		"make -fj.mk":          "",
		"make -k all":          "",
		"make --just-print":    "",
		"cargo build -j4":      "", // it says itself that it ignores that
		"sh -c make":           "",
		"xmake -j8":            "",
		"make":                 "",
		"ninja --jobserver -v": "",
	} {
		if got := jobserver.OwnNumber(strings.Fields(command)); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

func TestOlderNinja(t *testing.T) {
	for said, want := range map[string]bool{
		"1.11.1\n":                              true,
		"1.12.1.git\n":                          true,
		"1.13.0\n":                              false,
		"2.0.0\n":                               false,
		"1.11.1.git.kitware.jobserver-pipe-1\n": false,
		"":                                      false,
	} {
		if got := jobserver.OlderNinja(said); got != want {
			t.Errorf("%q: %v, want %v", said, got, want)
		}
	}
}

func TestOlderMake(t *testing.T) {
	for said, want := range map[string]bool{
		"GNU Make 4.3\nBuilt for x86_64-pc-linux-gnu\n": true,
		"GNU Make 3.81\n":                true,
		"GNU Make 4.4.1\n":               false,
		"GNU Make 4.10\n":                false,
		"GNU Make 5.0\n":                 false,
		"usage: make [-BeikNnqrstWwX]\n": false,
		"":                               false,
	} {
		if got := jobserver.OlderMake(said); got != want {
			t.Errorf("%q: %v, want %v", said, got, want)
		}
	}
}
