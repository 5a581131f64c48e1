//go:build linux

package powercut_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/acceptance/powercut"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// The power fails at random moments under a run with --joblog and --results, which is
// resumed each time. The run can be resumed, and in the end all jobs are done. Nothing of
// them is synced: where the disk keeps a part of that, it may keep names without content, so the
// results are judged only where it keeps nothing.
//
//	go test -run RunSurvivesPowerCuts ./acceptance/powercut -args -cuts 100
func TestRunSurvivesPowerCuts(t *testing.T) {
	rerun.Skip(t)
	for _, form := range []string{"all unsynced is lost", "some unsynced is kept"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			r := newRunCuts(t)
			r.some = form != "all unsynced is lost"
			for r.disk.Stats().Cuts < *cutsWanted {
				r.list()
			}
			r.Logf("%d cuts: %d jobs were in the log without a result, %d results were incomplete, %d logs could not be resumed; %d jobs ran %d times",
				r.disk.Stats().Cuts, r.missing, r.torn, r.stuck, r.jobs, r.runs)
			if r.stuck > 0 || !r.some && r.missing+r.torn > 0 {
				t.Fail()
			}
		})
	}
}

// A runCuts is a run on a machine whose power fails.
type runCuts struct {
	*machine
	random *rand.Rand
	some   bool // of what is not synced is kept
	off    string

	lists, jobs, runs    int
	missing, torn, stuck int
}

func newRunCuts(t *testing.T) *runCuts {
	seed := *seedWanted
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	return &runCuts{machine: newMachine(t, powercut.Options{}), random: rand.New(rand.NewPCG(seed, 2)), off: t.TempDir()}
}

const listJobs = 60

// list works off a list of jobs. Some of them write more than a page.
func (r *runCuts) list() {
	r.lists++
	dir, starts := filepath.Join(r.dir, strconv.Itoa(r.lists)), filepath.Join(r.off, fmt.Sprint("starts", r.lists))
	var list strings.Builder
	for i := range listJobs {
		fmt.Fprintln(&list, i+1)
	}
	name := filepath.Join(r.off, "list")
	if err := os.WriteFile(name, []byte(list.String()), 0o600); err != nil {
		r.Fatal(err)
	}
	for done := false; !done; {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			r.Fatal(err)
		}
		failed := r.disk.Failed()
		if r.disk.Stats().Cuts < *cutsWanted {
			r.disk.FailAfter(r.random.IntN(listJobs * 8)) // there are some ten changes for a job
		}
		p := r.start("run", "-j", "4", "--joblog", filepath.Join(dir, "log"), "--resume", "--results", filepath.Join(dir, "results"), "-a", name,
			"-c", `echo {} >>`+starts+`; [ $(( $1 % 4 )) = 0 ] && seq $1 2000; echo out {}`)
		err := r.wait(p)
		select {
		case <-failed:
			var random *rand.Rand
			if r.some {
				random = r.random
			}
			r.cut(random)
		default:
			r.disk.FailAfter(-1)
			if done = true; err != nil {
				r.stuck++
				r.Logf("the run cannot be resumed: %v\n%s%q", err, p.stderr.String(), r.read(filepath.Join(dir, "log")))
			}
		}
		r.check(dir, done && err == nil)
	}
	r.runs += strings.Count(r.read(starts), "\n")
	r.jobs += listJobs
}

// check compares the log and the results. At the end both are complete.
func (r *runCuts) check(dir string, end bool) {
	logged := map[string]bool{}
	for line := range strings.Lines(r.read(filepath.Join(dir, "log"))) {
		if f := strings.SplitN(line, "\t", 9); len(f) == 9 && strings.HasSuffix(line, "\n") && f[6] == "0" {
			logged[f[0]] = true
		}
	}
	for i := range listJobs {
		value := strconv.Itoa(i + 1)
		want := "out " + value + "\n"
		if (i+1)%4 == 0 {
			var long strings.Builder
			for n := i + 1; n <= 2000; n++ {
				fmt.Fprintln(&long, n)
			}
			want = long.String() + want
		}
		switch got := r.read(filepath.Join(dir, "results", "1", value, "stdout")); {
		case got == want:
		case got == "" && !logged[value]: // not yet, or what an empty file says is not complete
			if _, err := os.Stat(filepath.Join(dir, "results", "1", value, "stdout")); err == nil {
				r.torn++
			}
		case got == "":
			r.missing++
		default:
			r.torn++
		}
		if end && !logged[value] {
			r.Errorf("job %s is not in the log at the end", value)
		}
	}
}

// read returns the content of a file, "" if it is not there.
func (r *runCuts) read(name string) string {
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.Error(err)
	}
	return string(text)
}
