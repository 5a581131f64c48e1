package run

import "os"

// lockFile: on Windows the user sees to it that no two runs share a joblog.
func lockFile(*os.File) error { return nil }
