package run

import "os"

// Whole reports whether what was written to files may lack something.
func Whole(out, err *os.File, alone bool) error {
	return (&spool{out: out, err: err}).whole(func() bool { return alone })
}
