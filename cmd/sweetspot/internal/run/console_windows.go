package run

// takesAtOnce reports false: nobody says whether a pipe has room.
func takesAtOnce() bool { return false }
