// Package usage is what the command line says about itself.
//
//	near.go      the distance between a mistyped word and the right one
//	refusal.go   flags of other tools, which are answered with what does the same here
//	answer.go    errors of commands and flags: what was wrong, and what would be right
//	help.go      -h, a screen, and --help, the manual
//
// [Install] gives all of that to a command and those below it.
package usage
