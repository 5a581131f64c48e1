package main

import (
	_ "embed"
	"strings"
)

// The halves of the corpus, and of what comes with the installed Go the standard library,
// which is in neither.
const (
	tuned = "tuned"
	fresh = "fresh"
	std   = "std"
)

// A module is one that is looked at. It has no version if it comes with Go.
type module struct{ half, path, version string }

//go:embed modules.txt
var list string

func modules() []module {
	var all []module
	for line := range strings.Lines(list) {
		if f := strings.Fields(line); len(f) > 1 && f[0] != "#" {
			all = append(all, module{f[0], f[1], strings.Join(f[2:], "")})
		}
	}
	return all
}

// neighbours are the releases of the other modules of a repository, where the go.mod
// of its main module requires them without one.
var neighbours = map[string]string{
	"k8s.io/kubernetes": "v0.35.0",
}

func (m module) String() string {
	if m.version == "" {
		return m.path
	}
	return m.path + "@" + m.version
}
