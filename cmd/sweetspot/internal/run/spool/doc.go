// Package spool takes what the jobs of sweetspot run write.
//
// A [Spool] has a file for the stdout of a job and one for its stderr, mostly without names. A
// [Cache] keeps some empty ones. [Inlets] are the pipes through which stderr gets into its
// file. [Spool.Whole] finds out whether all that a job wrote is there.
package spool
