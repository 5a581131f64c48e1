package diagnose

import (
	"io"
	"time"
)

// Options say what is recorded, and how long.
type Options struct {
	Dir      string   // the directory in which packages and the command are looked for; "" is the current one
	Packages []string // import paths or patterns as the go command takes them, for benchmarks; none is "."
	Bench    string   // the benchmarks, as -bench takes them
	Command  []string // recorded in place of benchmarks: a main package and its arguments, or go run and those

	BuildFlags []string      // handed to the go command, as in -tags=x
	Procs      []int         // values of GOMAXPROCS; none is 1, 2, 4 and so on up to that of this process
	Rounds     int           // at each GOMAXPROCS, without an instrument; 0 is 6, the least that tells medians apart
	BenchTime  time.Duration // of each measurement of a benchmark; 0 is 300 ms
	Most       time.Duration // after which a command is interrupted, which is no error; 0 is never
	Keep       string        // an empty directory in which profiles and traces stay; "" removes them

	Progress func(done, all int, what string) // called before each process; may be nil
	Output   io.Writer                        // of the command that is recorded, its first run alone; nil discards it
}
