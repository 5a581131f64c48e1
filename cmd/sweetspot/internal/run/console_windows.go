package run

import "os"

// ready reports false: only Unix has O_NONBLOCK.
func ready(*os.File, error, bool) bool { return false }

// takesAtOnce reports false: nobody says whether a pipe has room.
func takesAtOnce() bool { return false }
