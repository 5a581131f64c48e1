//go:build race

package rerun

// Raced is whether the race detector watches.
const Raced = true
