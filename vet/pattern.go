package vet

import (
	"regexp"
	"sync"
)

// A pattern is a regular expression that is compiled when it is first used. The command imports
// this package, and would compile all of them each time it starts, whatever it does.
type pattern func() *regexp.Regexp

func patternOf(expression string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// MatchString reports whether s contains a match.
func (p pattern) MatchString(s string) bool { return p().MatchString(s) }
