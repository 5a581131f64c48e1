package run

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// jobsFlag is the value of -j: how many jobs may run at a time.
type jobsFlag struct {
	text string
	kind jobsKind
	n    float64
	file string // that holds the number, and is read again while jobs run
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

// Set reads the forms of xargs and GNU parallel. What is none of them may be the
// name of a file with one in it.
func (j *jobsFlag) Set(s string) error {
	v, err := parseJobs(s)
	if err != nil {
		if _, missing := os.Stat(s); missing != nil {
			return err
		}
		if v, err = readJobs(s); err != nil {
			return err
		}
		v.text, v.file = s, s
	}
	*j = v
	return nil
}

func parseJobs(s string) (jobsFlag, error) {
	v := jobsFlag{text: s}
	digits := s
	switch {
	case s == "auto":
		return v, nil
	case strings.HasSuffix(s, "%"):
		v.kind, digits = jobsPercent, s[:len(s)-1]
	case strings.HasPrefix(s, "+"), strings.HasPrefix(s, "-"):
		v.kind, digits = jobsMore, s[1:]
	default:
		v.kind = jobsNumber
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || n > maxJobs {
		return v, fmt.Errorf("%q is not a number of jobs: want auto, N, N%%, +N, -N (N at most %d), 0 for as many as possible, or a file with one of these", s, maxJobs)
	}
	switch {
	case v.kind == jobsPercent && n == 0:
		return v, fmt.Errorf("0%% of the CPUs is none of them: want at least 1%%")
	case v.kind == jobsNumber && n == 0:
		v.kind = jobsMost
	case s[0] == '-':
		v.n = -float64(n)
	default:
		v.n = float64(n)
	}
	return v, nil
}

// jobsFileSize is more than a number with blanks around it takes.
const jobsFileSize = 1024

// readJobs reads the file of -j. It must be a regular one: a pipe could be read
// but once, and might not have anything to say at all.
func readJobs(name string) (jobsFlag, error) {
	st, err := os.Stat(name)
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New("it is not a regular file, which could be read again")
	}
	var text []byte
	if err == nil {
		text, err = readHead(name, jobsFileSize)
	}
	if err != nil {
		return jobsFlag{}, fmt.Errorf("cannot read the number of jobs from %s: %w", name, bare(err))
	}
	v, err := parseJobs(strings.TrimSpace(string(text)))
	if err == nil && v.kind == jobsMost {
		err = errors.New("0, for as many as possible, is for -j itself: want auto or a number")
	}
	if err != nil {
		return jobsFlag{}, fmt.Errorf("the file %s: %w", name, err)
	}
	return v, nil
}

func readHead(name string, n int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, n))
}

func (j *jobsFlag) String() string {
	if j.text == "" {
		return "auto"
	}
	return j.text
}

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
