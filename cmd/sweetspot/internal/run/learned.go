package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/learnt"
)

// A lesson is what a run has learnt about its command. The file that holds it has neither
// values nor arguments, which may be secret: only the name of the program.
type lesson struct {
	learnt.Lesson
	last  *learnt.Lesson // of earlier runs; nil: nothing
	law   *learnt.Law    // that begins with it, and learns
	file  string         // where it is
	noted bool           // limit and rate are those of this run
	stood int            // the limit that this run stood at; 0 if the law has moved it
}

// lessonJobs is from how many jobs on a run says something about the next one.
const lessonJobs = 8

// StateDir returns where the user's files of that name are which survive a reboot and
// belong to this machine.
func StateDir(name string) (string, error) {
	dir, err := userDir("XDG_STATE_HOME", ".local/state", os.UserCacheDir)
	return filepath.Join(dir, name), err
}

// lessonOf returns an empty lesson about the command of o on this machine, with the name of
// its file.
func (o *options) lessonOf(cpus float64) (*lesson, error) {
	dir, err := StateDir("run")
	if err != nil {
		return nil, err
	}
	l := &lesson{Lesson: learnt.Lesson{Name: "-c", CPUs: cpus}, file: learnt.File(dir, o.commandDigest(), cpus)}
	if len(o.command) > 0 {
		l.Name = filepath.Base(o.command[0])
	}
	return l, nil
}

// commandDigest tells what a job does, but for its values.
func (o *options) commandDigest() string {
	args := ""
	if o.args.given {
		args = strconv.Itoa(o.args.value)
	}
	return learnt.Digest(learnt.WorkDigits, o.command, o.line, o.inShell, o.mark, args, o.lines, o.fill, o.repeat,
		o.pipe, strconv.Itoa(o.block), o.records)
}

// learning returns the lesson of a run, with that of earlier runs of the same command. It is
// nil where there is nothing to learn: the number is given, or depends on other runs. It
// ignores a file that it cannot use, and passes the reason to say.
func (o *options) learning(cpus float64, say func(string)) *lesson {
	if !o.learn || o.jobs.kind != jobsAuto || o.jobs.file != "" || o.law != "" || o.share != "" {
		return nil
	}
	l, err := o.lessonOf(cpus)
	if err != nil {
		return nil // nobody's home
	}
	switch l.last, err = learnt.Read(l.file); {
	case err == nil:
		l.Limit, l.Found = l.last.Limit, l.last.Found
		l.take()
	case !absent(l.file):
		say(fmt.Sprintf("what was learnt about this command is not used: %v", err))
	}
	return l
}

// note keeps the limit of the moment when no jobs are left to start. Afterwards the limit
// follows the demand, so only the first call counts. Little is known of more than most jobs
// at a time.
func (l *lesson) note(limiter *sweetspot.Limiter, most int) {
	if l.noted {
		return
	}
	l.noted = true
	s := limiter.Stats()
	if s.Manual { // somebody else's number
		l.Limit = 0
		return
	}
	l.Rate = float64(s.Completed) / max(s.Active.Seconds(), 1e-3)
	moved := len(limiter.Decisions()) > 1 // the search has begun
	if !moved {
		l.stood = s.Limit
	}
	if l.Limit == 0 || moved {
		// A search that has not come to an end goes on where it was, be that a trial: a list that
		// is always over in one would never get any further.
		if l.Found = l.law.Learnt().Found; l.Found {
			s.Limit = l.law.Standing()
		}
		l.Limit = min(s.Limit, 2*most)
	}
}

// close completes the lesson at the end of a run, and keeps it if there were jobs enough to
// learn from.
func (l *lesson) close(r *runner, took time.Duration) error {
	failed := r.failed.Load()
	l.Jobs = r.done.Load() - failed
	if l.Jobs < lessonJobs || l.Jobs < failed || l.Limit < 1 {
		if l.trial() > 0 && failed == 0 {
			return l.last.Keep(l.file) // nothing was tried
		}
		return nil
	}
	l.Seconds = time.Duration(r.worked.Load()).Seconds() / float64(l.Jobs)
	l.Rate = max(l.Rate, float64(l.Jobs)/took.Seconds()) // where all jobs were in flight by then
	if l.stood > 0 {
		l.goOn(stand{
			limit: l.stood, most: r.procs.Peak(), seconds: l.Seconds,
			cpu: time.Duration(r.used.Load()).Seconds() / (took.Seconds() * l.CPUs), failed: failed > 0,
		})
	}
	return l.Keep(l.file)
}

// lessons returns the files about the command of o, or about all commands if there is none.
func (o *options) lessons() (files []string, err error) {
	dir, err := StateDir("run")
	if err != nil {
		return nil, err
	}
	begin := ""
	if len(o.command) > 0 || o.shell {
		begin = o.commandDigest() + "-"
	}
	if files, err = learnt.Files(dir, begin); err != nil && absent(dir) {
		return nil, nil
	}
	return files, err
}

// tellLearned lists what was learnt, the newest first.
func (o *options) tellLearned(w io.Writer) error {
	files, err := o.lessons()
	if err != nil {
		return err
	}
	var all []*learnt.Lesson
	for _, file := range files {
		l, err := learnt.Read(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "sweetspot run: what was learnt about a command is not shown: %v\n", err)
			continue
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		_, err := io.WriteString(w, "Nothing has been learnt.\n")
		return err
	}
	slices.SortFunc(all, func(a, b *learnt.Lesson) int { return b.Learnt.Compare(a.Learnt) })
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "limit\tjobs/s\ts/job\tmemory\tjobs\tCPUs\tlearnt\t  program\n")
	for _, l := range all {
		memory := "–"
		if l.Memory > 0 {
			memory = bytesText(float64(l.Memory))
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%g\t%s\t  %s\n", l.Limit, figure(l.Rate), figure(l.Seconds), memory, humanize.Grouped(l.Jobs), l.CPUs,
			l.Learnt.Local().Format("2006-01-02 15:04"), showCommand([]string{l.Name}))
	}
	return t.Flush()
}

// forgetLearned removes what was learnt, and says how much that was.
func (o *options) forgetLearned(w io.Writer) error {
	files, err := o.lessons()
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "Forgot what %s had learnt.\n", humanize.Count(int64(len(files)), "commands"))
	return err
}
