// Package recording makes the evidence of recordings that others have made: profiles and
// execution traces of one program, as files ([Saved]), or from a program that runs, which
// records itself ([Live]). All figures are for one second of them.
package recording
