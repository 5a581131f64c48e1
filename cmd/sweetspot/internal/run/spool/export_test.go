package spool

import "os"

// Whole reports whether what was written to files may lack something.
func Whole(out, err *os.File, alone bool) error {
	return (&Spool{Out: out, Err: err}).Whole(func() bool { return alone })
}
