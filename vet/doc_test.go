package vet_test

import (
	"os"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/vet"
)

// TestDoc looks whether the package's documentation lists the checks there are.
func TestDoc(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "//   - "); ok {
			name, _, _ := strings.Cut(rest, ":")
			listed = append(listed, name)
		}
	}
	var want []string
	surest := make(map[string]vet.Grade)
	for g := vet.Hot; g >= vet.Quiet; g-- {
		for _, a := range vet.Analyzers(g) {
			surest[a.Name] = g
		}
	}
	for _, a := range vet.Analyzers(vet.Hot) {
		want = append(want, a.Name+" ("+surest[a.Name].String()+")")
	}
	if got, want := strings.Join(listed, ", "), strings.Join(want, ", "); got != want {
		t.Errorf("doc.go lists %s;\nthere are %s", got, want)
	}
}
