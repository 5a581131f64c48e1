package run_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/control"
)

// learn keeps a lesson about a command, and returns it.
func learn(t *testing.T, limit int, command ...string) *run.Lesson {
	t.Helper()
	l, err := run.LessonOf(2, command...)
	if err != nil {
		t.Fatal(err)
	}
	l.Limit, l.Rate, l.Found = limit, 10, true
	if err := l.Keep(); err != nil {
		t.Fatal(err)
	}
	return l
}

func silent(t *testing.T) func(string) {
	return func(s string) {
		t.Helper()
		t.Errorf("said %q", s)
	}
}

func TestLearnedByCommandAndMachine(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if l := run.LearntBefore(2, silent(t), "curl", "{}"); l != nil {
		t.Fatalf("nothing was learnt, and %+v is known", l)
	}
	kept := learn(t, 32, "curl", "{}")
	learn(t, 7, "curl", "-L", "{}")
	if l := run.LearntBefore(2, silent(t), "curl", "{}"); l == nil || l.Limit != 32 || !l.Found {
		t.Errorf("got %+v, want a limit of 32", l)
	}
	if l := run.LearntBefore(1, silent(t), "curl", "{}"); l != nil {
		t.Errorf("on another quota %+v is known", l)
	}
	learn(t, 16, "curl", "{}")
	if l := run.LearntBefore(2, silent(t), "curl", "{}"); l == nil || l.Limit != 16 {
		t.Errorf("got %+v, want the newest", l)
	}
	info, err := os.Stat(kept.File())
	if err != nil || info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
		t.Errorf("the file can be read by others: %v, %v", info.Mode(), err)
	}
}

// A command line may hold passwords.
func TestLearnedHoldsNoArguments(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	l := learn(t, 3, "/usr/bin/curl", "-H", "Authorization: hunter2", "{}")
	b, err := os.ReadFile(l.File())
	if err != nil || !strings.Contains(string(b), `"curl"`) {
		t.Fatalf("%s, %v; want the name of the program", b, err)
	}
	if all := string(b) + l.File(); strings.Contains(all, "hunter2") || strings.Contains(all, "Authorization") {
		t.Errorf("an argument is stored: %s", all)
	}
}

func TestLearnedIgnoresWhatItCannotRead(t *testing.T) {
	for content, want := range map[string]string{
		"":                         "it is damaged",
		`{"version":1,"limit":3`:   "it is damaged",
		`{"version":2,"limit":3}`:  "it is of version 2, and this sweetspot reads 1",
		`{"version":1,"limit":-3}`: "it is damaged: a figure is out of range",
		`{"version":1,"limit":3,"rate":1,"memory_bytes":-1}`: "it is damaged: a figure is out of range",
	} {
		t.Setenv("XDG_STATE_HOME", t.TempDir())
		l := learn(t, 3, "true")
		if err := os.WriteFile(l.File(), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var said []string
		if l := run.LearntBefore(2, func(s string) { said = append(said, s) }, "true"); l != nil || len(said) != 1 || !strings.Contains(said[0], want) {
			t.Errorf("%q: %+v, said %q, want %q", content, l, said, want)
		}
		learn(t, 4, "true") // the next run writes it anew
		if l := run.LearntBefore(2, silent(t), "true"); l == nil || l.Limit != 4 {
			t.Errorf("%q: %+v after another run", content, l)
		}
	}
}

func TestLearnedWithoutAHome(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", os.DevNull)
	if l := run.LearntBefore(2, silent(t), "true"); l != nil {
		t.Errorf("%+v", l)
	}
}

// Runs of one command at the same time read and write whole files.
func TestLearnedByConcurrentRuns(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir := filepath.Dir(learn(t, 1, "true").File())
	var runs sync.WaitGroup
	for i := range 8 {
		runs.Go(func() {
			for range 20 {
				learn(t, i+1, "true")
				if l := run.LearntBefore(2, silent(t), "true"); l == nil || l.Limit < 1 || l.Limit > 8 {
					t.Errorf("got %+v", l)
				}
			}
		})
	}
	runs.Wait()
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%v are left, %v; want one file", files, err)
	}
}

// The folder is bounded, and what was learnt last stays.
func TestLearnedForgetsTheOldest(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	oldest := learn(t, 1, "oldest")
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(oldest.File(), past, past); err != nil {
		t.Fatal(err)
	}
	for i := range run.LessonsMost {
		learn(t, 1, "true", fmt.Sprint(i))
	}
	if files, err := os.ReadDir(filepath.Dir(oldest.File())); err != nil || len(files) != run.LessonsMost {
		t.Errorf("%d files, %v; want %d", len(files), err, run.LessonsMost)
	}
	if _, err := os.Stat(oldest.File()); err == nil {
		t.Error("the oldest is still there")
	}
}

func TestLearnedIsShownAndForgotten(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", filepath.Join(t.TempDir(), "[a-z]*")) // no pattern
	text := func(f func(*strings.Builder) error) string {
		t.Helper()
		var b strings.Builder
		if err := f(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	show := func(command ...string) string {
		return text(func(b *strings.Builder) error { return run.TellLearned(b, command...) })
	}
	if got := show(); got != "Nothing has been learnt.\n" {
		t.Errorf("shows %q", got)
	}
	learn(t, 32, "curl", "{}")
	learn(t, 3, "gzip")
	if got := show(); strings.Count(got, "\n") != 3 || !strings.Contains(got, "curl") || !strings.Contains(got, "gzip") {
		t.Errorf("shows %q", got)
	}
	if got := show("gzip"); strings.Contains(got, "curl") || !strings.Contains(got, "gzip") {
		t.Errorf("of gzip it shows %q", got)
	}
	forget := func(command ...string) string {
		return text(func(b *strings.Builder) error { return run.ForgetLearned(b, command...) })
	}
	if got := forget("gzip"); got != "Forgot what 1 command had learnt.\n" {
		t.Errorf("said %q", got)
	}
	if got := show(); strings.Contains(got, "gzip") || !strings.Contains(got, "curl") {
		t.Errorf("then it shows %q", got)
	}
	if got := forget(); got != "Forgot what 1 command had learnt.\n" {
		t.Errorf("said %q", got)
	}
}

// The limit of an earlier run stays as long as it does as well as then.
func TestRevisit(t *testing.T) {
	const limit, rate = 20, 100.0
	for name, c := range map[string]struct {
		now  float64 // jobs per second
		edit func(*control.Reading)
		left time.Duration // when the law has taken over
	}{
		"as then":  {rate, nil, run.RevisitMost},
		"faster":   {2 * rate, nil, run.RevisitMost},
		"halved":   {rate / 2, nil, 2 * time.Second},
		"stuck":    {0, nil, 500 * time.Millisecond},
		"failing":  {0, func(r *control.Reading) { r.Ignored = int64(2 * rate * r.At.Seconds()) }, 500 * time.Millisecond},
		"overload": {rate, func(r *control.Reading) { r.Overloads = int64(r.At / time.Second) }, time.Second},
		"memory":   {rate, func(r *control.Reading) { r.Max = limit - 1 }, 0},
	} {
		law := run.Revisit(limit, rate, control.NewFixed(7))
		var left time.Duration
		for at := time.Duration(0); at <= run.RevisitMost+time.Second; at += 10 * time.Millisecond {
			r := control.Reading{At: at, Limit: limit, InFlight: limit, Completed: int64(c.now * at.Seconds())}
			if c.edit != nil {
				c.edit(&r)
			}
			d := law.Next(r)
			if left == 0 && d.Limit != limit {
				left = at
			}
			if at == 0 && c.edit == nil && !strings.Contains(d.Reason.String(), "as learnt in an earlier run") {
				t.Errorf("%s: begins with %q", name, d.Reason)
			}
		}
		if left < c.left/2 || left > c.left+100*time.Millisecond {
			t.Errorf("%s: left after %v, want %v", name, left, c.left)
		}
	}
}

// The limit is that of the moment when the list ended, not of a later one, nor of somebody
// who has set it.
func TestLearnsTheLimitOnce(t *testing.T) {
	l := &run.Lesson{}
	limiter := sweetspot.New(sweetspot.Start(20))
	l.Note(limiter, 6)
	l.Note(limiter, 1)
	if l.Limit != 12 {
		t.Errorf("learnt %d of a limit of 20, where no more than 6 ran; want 12", l.Limit)
	}
	limiter.SetLimit(3)
	l = &run.Lesson{Limit: 8}
	if l.Note(limiter, 6); l.Limit != 0 {
		t.Errorf("learnt %d of a limit that was set", l.Limit)
	}
}
