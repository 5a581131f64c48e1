// Package load tells how much of the machine other processes used during a
// measurement, so that a disturbed one can be marked or repeated. It is known
// on Linux only.
package load
