package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	chosen, o, err := parse([]string{"-only", "xet", "-seeds", "1-3,7", "-law", "fixed:5"}, io.Discard)
	if err != nil || len(chosen) != 1 || chosen[0].name != "xet" || !slices.Equal(o.seeds, []uint64{1, 2, 3, 7}) {
		t.Errorf("%v %+v %v", chosen, o, err)
	}
	if chosen, _, err := parse([]string{"-seeds", "2"}, io.Discard); err != nil || len(chosen) != len(suites) {
		t.Errorf("%v, %v: want all suites", chosen, err)
	}
	for want, args := range map[string][]string{
		"want some of vector,xet,dialogue,tripwire": {"-only", "xt"},
		"want numbers and ranges":                   {"-seeds", "3-1"},
		"unknown law":                               {"-law", "best"},
		"is left over":                              {"xet"},
	} {
		if _, _, err := parse(args, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", args, err, want)
		}
	}
}

// TestPage: every suite's tables have a place in the page.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", page))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"vector", "vector-bands", "xet", "dialogue", "tripwire"} {
		if !bytes.Contains(text, []byte("<!-- "+name+" -->\n")) || !bytes.Contains(text, []byte("<!-- end of "+name+" -->")) {
			t.Errorf("%s has no place for table %q", page, name)
		}
	}
}
