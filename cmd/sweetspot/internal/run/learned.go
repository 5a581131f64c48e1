package run

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// A lesson is what a run has learnt about its command. The file that holds it has neither
// values nor arguments, which may be secret: only the name of the program.
type lesson struct {
	Version int       `json:"version"`
	Program string    `json:"program"`
	CPUs    float64   `json:"cpus"`
	Limit   int       `json:"limit"`
	Found   bool      `json:"found"`        // the search had come to an end, or the limit was tried before
	Rate    float64   `json:"rate"`         // jobs per second while there were any to start
	Seconds float64   `json:"seconds"`      // that a job took, on average
	Memory  int64     `json:"memory_bytes"` // that the largest job held
	Jobs    int64     `json:"jobs"`         // that succeeded in the newest run
	Learnt  time.Time `json:"learnt"`       // when the newest run ended

	file  string // where it is
	noted bool   // limit and rate are those of this run
}

const (
	lessonVersion = 1
	// lessonsMost bounds the folder: of more, the oldest go.
	lessonsMost = 500
	// lessonJobs is from how many jobs on a run says something about the next one.
	lessonJobs = 8
)

// StateDir returns where the user's files of that name are which survive a reboot and
// belong to this machine, by the XDG base directory specification.
func StateDir(name string) (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) { // the specification wants others ignored
		var err error
		if runtime.GOOS == "windows" {
			dir, err = os.UserCacheDir()
		} else if dir, err = os.UserHomeDir(); err == nil {
			dir = filepath.Join(dir, ".local", "state")
		}
		if err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "sweetspot", name), nil
}

// digest returns what tells a command from all others, in so many hexadecimal digits.
func digest(digits int, of ...any) string {
	b, err := json.Marshal(of)
	if err != nil {
		panic(err) // strings and numbers only
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])[:digits]
}

// lessonOf returns an empty lesson about the command of o on this machine, with the name of
// its file. The name is a digest of the command line without values, and one of the host and
// its CPUs.
func (o *options) lessonOf(cpus float64) (*lesson, error) {
	dir, err := StateDir("run")
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname() // without a name: as good as any
	name := o.commandDigest() + "-" + digest(8, host, runtime.GOOS, cpus) + ".json"
	l := &lesson{Version: lessonVersion, Program: "-c", CPUs: cpus, file: filepath.Join(dir, name)}
	if len(o.command) > 0 {
		l.Program = filepath.Base(o.command[0])
	}
	return l, nil
}

// commandDigest tells what a job does, but for its values.
func (o *options) commandDigest() string {
	return digest(16, o.command, o.line, o.inShell.String(), o.mark, o.args.String(), o.lines, o.fill, o.repeat,
		o.pipe, o.block.String(), o.records)
}

// recall returns what earlier runs have learnt about the command, or nil. It ignores a file
// that it cannot use, and passes the reason to say.
func (l *lesson) recall(say func(string)) *lesson {
	b, err := os.ReadFile(l.file)
	if err != nil {
		if !absent(l.file) {
			say(fmt.Sprintf("what was learnt of this command is not used: %v", err))
		}
		return nil
	}
	old, err := readLesson(b)
	if err != nil {
		say(fmt.Sprintf("what was learnt of this command is not used: %s: %v", l.file, err))
		return nil
	}
	old.file = l.file
	return old
}

func readLesson(b []byte) (*lesson, error) {
	l := new(lesson)
	if err := json.Unmarshal(b, l); err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	switch {
	case l.Version > lessonVersion:
		return nil, fmt.Errorf("it is of version %d, and this sweetspot reads %d: a newer one wrote it", l.Version, lessonVersion)
	case l.Version < 1, l.Limit < 1, l.Limit > mostJobs, !(l.Rate > 0), l.Memory < 0:
		return nil, errors.New("it is damaged: a figure is out of range")
	}
	return l, nil
}

// learning returns the lesson of a run, and that of earlier runs of the same command. Both are
// nil where there is nothing to learn: the number is given, or depends on other runs.
func (o *options) learning(cpus float64, say func(string)) (mine, last *lesson) {
	if !o.learn || o.jobs.kind != jobsAuto || o.jobs.file != "" || o.law != "" || o.share != "" {
		return nil, nil
	}
	mine, err := o.lessonOf(cpus)
	if err != nil {
		return nil, nil // nobody's home
	}
	if last = mine.recall(say); last != nil {
		mine.Limit, mine.Found = last.Limit, last.Found
	}
	return mine, last
}

// note keeps the limit of the moment when no jobs are left to start. Afterwards the limit
// follows the demand, so only the first call counts. Little is known of more than most jobs
// at a time.
func (l *lesson) note(limiter *sweetspot.Limiter, most int) {
	if l.noted {
		return
	}
	l.noted = true
	s, decisions := limiter.Stats(), limiter.Decisions()
	if s.Manual { // somebody else's number
		l.Limit = 0
		return
	}
	l.Rate = float64(s.Completed) / max(s.Active.Seconds(), 1e-3)
	if l.Limit == 0 || len(decisions) > 1 { // the search has begun
		l.Limit = min(standing(s.Limit, decisions), 2*most)
		l.Found = slices.ContainsFunc(decisions, func(d sweetspot.Decision) bool {
			return (d.Reason.Kind == control.Stay || d.Reason.Kind == control.Shrink) && !math.IsNaN(d.Reason.Gain)
		})
	}
}

// close completes the lesson at the end of a run, and keeps it if there were jobs enough to
// learn from.
func (l *lesson) close(r *runner, took time.Duration) error {
	l.Jobs = r.done.Load() - r.failed.Load()
	if l.Jobs < lessonJobs || l.Jobs < r.failed.Load() || l.Limit < 1 {
		return nil
	}
	l.Seconds = time.Duration(r.worked.Load()).Seconds() / float64(l.Jobs)
	l.Rate = max(l.Rate, float64(l.Jobs)/took.Seconds()) // where all jobs were in flight by then
	l.Learnt = time.Now().UTC()
	return l.keep()
}

// keep writes the lesson. It is written beside its place and then renamed, so that readers and
// other runs see all of it or nothing; the last of several runs counts.
func (l *lesson) keep() error {
	dir := filepath.Dir(l.file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // not there once it is renamed
	err = json.NewEncoder(f).Encode(l)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), l.file)
	}
	if err != nil {
		return err
	}
	return prune(dir)
}

// prune removes the oldest files of a folder, so that lessonsMost are left.
func prune(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= lessonsMost {
		return err
	}
	age := func(e fs.DirEntry) time.Time {
		info, err := e.Info()
		if err != nil {
			return time.Time{} // another run has removed it
		}
		return info.ModTime()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return age(b).Compare(age(a)) })
	for _, e := range entries[lessonsMost:] {
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// lessons returns the files about the command of o, or about all commands if there is none.
func (o *options) lessons() (files []string, err error) {
	dir, err := StateDir("run")
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !absent(dir) {
		return nil, err
	}
	begin := ""
	if len(o.command) > 0 || o.shell {
		begin = o.commandDigest() + "-"
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, begin) && strings.HasSuffix(name, ".json") {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files, nil
}

// tellLearned lists what was learnt, the newest first.
func (o *options) tellLearned(w io.Writer) error {
	files, err := o.lessons()
	if err != nil {
		return err
	}
	var all []*lesson
	for _, file := range files {
		b, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		l, bad := readLesson(b)
		if err = cmp.Or(err, bad); err != nil {
			fmt.Fprintf(os.Stderr, "sweetspot run: %s is ignored: %v\n", file, err)
			continue
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		_, err := io.WriteString(w, "Nothing has been learnt.\n")
		return err
	}
	slices.SortFunc(all, func(a, b *lesson) int { return b.Learnt.Compare(a.Learnt) })
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "limit\tjobs/s\ts/job\tmemory\tjobs\tCPUs\tlearnt\t  program\n")
	for _, l := range all {
		memory := "–"
		if l.Memory > 0 {
			memory = bytesText(float64(l.Memory))
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%g\t%s\t  %s\n", l.Limit, figure(l.Rate), figure(l.Seconds), memory, humanize.Grouped(l.Jobs), l.CPUs,
			l.Learnt.Local().Format("2006-01-02 15:04"), showCommand([]string{l.Program}))
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
