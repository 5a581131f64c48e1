package run

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// jobsFlag is the value of -j: how many jobs may run at a time.
type jobsFlag struct {
	text string
	kind jobsKind
	n    float64
}

type jobsKind uint8

const (
	jobsAuto    jobsKind = iota // found by measurement
	jobsNumber                  // N
	jobsPercent                 // N% of the CPUs
	jobsMore                    // CPUs + N; N may be negative
	jobsMost                    // 0: as many as the machine allows
)

// maxJobs is the most that -j accepts. Linux gives no more than 2²² process
// numbers; a greater number is a slip of the finger.
const maxJobs = 1 << 22

// Set reads the forms of xargs and GNU parallel. It implements pflag.Value.
func (j *jobsFlag) Set(s string) error {
	v := jobsFlag{text: s}
	digits := s
	switch {
	case s == "auto":
		*j = v
		return nil
	case strings.HasSuffix(s, "%"):
		v.kind, digits = jobsPercent, s[:len(s)-1]
	case strings.HasPrefix(s, "+"), strings.HasPrefix(s, "-"):
		v.kind, digits = jobsMore, s[1:]
	default:
		v.kind = jobsNumber
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || n > maxJobs {
		return fmt.Errorf("%q is no number of jobs: want auto, N, N%%, +N, -N (N at most %d) or 0 for as many as possible", s, maxJobs)
	}
	switch {
	case v.kind == jobsPercent && n == 0:
		return fmt.Errorf("0%% of the CPUs is no CPU: want at least 1%%")
	case v.kind == jobsNumber && n == 0:
		v.kind = jobsMost
	case s[0] == '-':
		v.n = -float64(n)
	default:
		v.n = float64(n)
	}
	*j = v
	return nil
}

func (j *jobsFlag) String() string {
	if j.text == "" {
		return "auto"
	}
	return j.text
}

func (j *jobsFlag) Type() string { return "N" }

// limit returns the number of jobs on a machine with so many CPUs, and false
// for auto and 0, which are no fixed number.
func (j *jobsFlag) limit(cpus float64) (int, bool) {
	var n float64
	switch j.kind {
	case jobsAuto, jobsMost:
		return 0, false
	case jobsNumber:
		n = j.n
	case jobsPercent:
		n = math.Round(cpus * j.n / 100)
	case jobsMore:
		n = cpus + j.n
	}
	return int(min(max(n, 1), maxJobs)), true
}
