package run

import "os"

// The signals that change the number of jobs: Windows has none.
var sigMore, sigFewer os.Signal
