// Package bench holds benchmarks of sweetspot beside its peers, in the same run
// on the same machine. It is a module of its own, so that sweetspot itself
// depends on none of them. README.md says how to run it and what came out.
package bench
