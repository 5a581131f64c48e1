//go:build race

package rerun

const raced = true
