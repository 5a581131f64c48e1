// Package pattern holds regular expressions that are compiled when they are first used. A
// command that links many packages would otherwise compile those of all of them at each start.
package pattern

import (
	"regexp"
	"sync"
)

// Of returns a function that compiles the expression at its first call and returns it. It panics
// if it does not compile.
func Of(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
