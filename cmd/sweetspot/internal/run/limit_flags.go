package run

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"runtime"
	"strconv"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// limitOptions are what the command line says about the number of jobs and
// about when they may start.
type limitOptions struct {
	jobs    jobsFlag
	min     int
	max     int
	law     lawFlag
	share   string
	delay   humanize.Time
	load    jobsFlag // below how many processes that want to run another job may start
	memory  Size
	suspend bool // jobs, while memory is short
	nice    optional[int]
}

// fits refuses what does not go together.
func (o *limitOptions) fits() error {
	switch {
	case o.max > 0 && o.min > o.max:
		return fmt.Errorf("--min %d is above --max %d", o.min, o.max)
	case o.law != "" && o.jobs.kind != jobsAuto && o.jobs.file == "":
		return fmt.Errorf("--law %s finds the number of jobs, and -j %s gives it: want one of the two", o.law, &o.jobs)
	}
	return nil
}

// within returns the number nearest to n that --min and --max allow.
func (o *limitOptions) within(n int) int {
	most := maxJobs
	if o.max > 0 {
		most = o.max
	}
	return min(max(n, o.min, 1), most)
}

// hidden returns what this system does not show, in words; "" if nothing.
func hidden() string {
	if runtime.GOOS == "linux" {
		return ""
	}
	return "free memory, the number of processes, and the CPU time that others use"
}

// unbounded returns what to say where the number of jobs is found, and the system hides what
// would bound it.
func (o *limitOptions) unbounded(hidden string) string {
	_, fixed := o.jobs.limit(1)
	if hidden == "" || fixed || o.max > 0 {
		return ""
	}
	return "this system does not show " + hidden + ", so they do not bound the number of jobs: --max N does"
}

// said returns what -j said and, if they changed that, --min or --max.
func (o *limitOptions) said(cpus float64) string {
	n, fixed := o.jobs.limit(cpus)
	switch within := o.within(n); {
	case fixed && within < n:
		return fmt.Sprintf("%s and --max %d", &o.jobs, o.max)
	case fixed && within > n:
		return fmt.Sprintf("%s and --min %d", &o.jobs, o.min)
	}
	return o.jobs.String()
}

// sharing joins the runs that have the same --share. It returns nil if there is none.
func (o *limitOptions) sharing() (*sweetspot.Sharing, error) {
	if o.share == "" {
		return nil, nil
	}
	s, err := sweetspot.Share(o.share)
	if err != nil {
		return nil, fmt.Errorf("--share: %w", err)
	}
	return s, nil
}

// parseLoad reads a --load, which has the forms of -j that are a number.
func parseLoad(s string) (jobsFlag, error) {
	v, err := parseJobs(s)
	if err != nil || v.kind == jobsAuto || v.kind == jobsMost {
		return v, fmt.Errorf("%q is not a load: want N, N%% of the CPUs, or CPUs +N or -N; it is the number of processes that run or want to", s)
	}
	return v, nil
}

// bytesText returns "512 MiB", "1.50 GiB".
func bytesText(n float64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"}
	for len(units) > 1 && n >= 1024 {
		n /= 1024
		units = units[1:]
	}
	if n == math.Trunc(n) || units[0] == "bytes" {
		return fmt.Sprintf("%.0f %s", n, units[0])
	}
	return figure(n) + " " + units[0]
}

func parseNice(s string) (optional[int], error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < -20 || n > 19 {
		return optional[int]{}, fmt.Errorf("%q is not a niceness: want a number from -20, the most urgent, to 19", s)
	}
	return optional[int]{n, true}, nil
}

// renice gives us and the jobs to come the niceness.
func (o *limitOptions) renice() error {
	if !o.nice.given {
		return nil
	}
	err := process.Renice(o.nice.value)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("--nice %d: more urgent than we are needs a privilege: %w", o.nice.value, err)
	}
	if err != nil {
		return fmt.Errorf("--nice %d: %w", o.nice.value, err)
	}
	return nil
}
