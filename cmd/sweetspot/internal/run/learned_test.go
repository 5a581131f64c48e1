package run_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/learnt"
	"github.com/sweetspot-go/sweetspot/sense"
)

// learn keeps a lesson about a command, and returns it.
func learn(t *testing.T, limit int, command ...string) *run.Lesson {
	t.Helper()
	l, err := run.LessonOf(2, command...)
	if err != nil {
		t.Fatal(err)
	}
	l.Limit, l.Rate, l.Found = limit, 10, true
	if err := l.Write(); err != nil {
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
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	l := learn(t, 3, "true")
	if err := os.WriteFile(l.File(), []byte(`{"version":1,"limit":3`), 0o600); err != nil {
		t.Fatal(err)
	}
	var said []string
	last := run.LearntBefore(2, func(s string) { said = append(said, s) }, "true")
	if want := "what was learnt about this command is not used: " + l.File() + ": it is damaged"; last != nil || len(said) != 1 || !strings.Contains(said[0], want) {
		t.Errorf("%+v, said %q, want %q", last, said, want)
	}
	learn(t, 4, "true") // the next run writes it anew
	if l := run.LearntBefore(2, silent(t), "true"); l == nil || l.Limit != 4 {
		t.Errorf("%+v after another run", l)
	}
}

func TestLearnedWithoutAHome(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", os.DevNull)
	if l := run.LearntBefore(2, silent(t), "true"); l != nil {
		t.Errorf("%+v", l)
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

// The limit is that of the moment when the list ended, not of a later one, nor of somebody
// who has set it.
func TestLearnsTheLimitOnce(t *testing.T) {
	l := &run.Lesson{}
	law := learnt.NewLaw(control.NewSearch(), 2, nil)
	limiter := sweetspot.New(sweetspot.Start(20), sweetspot.Controller(law))
	l.Note(law, limiter, 6)
	l.Note(law, limiter, 1)
	if l.Limit != 12 {
		t.Errorf("learnt %d of a limit of 20, where no more than 6 ran; want 12", l.Limit)
	}
	limiter.SetLimit(3)
	l = &run.Lesson{Lesson: learnt.Lesson{Limit: 8}}
	if l.Note(law, limiter, 6); l.Limit != 0 {
		t.Errorf("learnt %d of a limit that was set", l.Limit)
	}
}

// A trial is a law that stands at 4 and tries another limit, for a reason of some kind.
type trial struct {
	stayed, asked bool
	limit         int
	kind          control.Kind
}

func (l *trial) Next(control.Reading) control.Decision {
	if l.stayed && !l.asked {
		l.asked = true
		return control.Decision{Limit: 4, Reason: control.Reason{Kind: control.Stay, From: 4, To: 2, Gain: -0.5}}
	}
	d := control.Decision{Limit: l.limit, Experiment: true}
	if !l.asked || l.stayed {
		l.asked, l.stayed = true, false
		d.Reason = control.Reason{Kind: l.kind, From: 4, To: l.limit, Gain: math.NaN()}
	}
	return d
}

// idle is a machine of two idle CPUs, and nothing that bounds the limit.
type idle struct{}

func (idle) Sense(int) sense.Sample { return sense.Sample{CPUs: 2} }

// A search that the end of the list cuts short goes on at the number that it was trying; one that has
// found a number has that, also where a lower one is tried since jobs were refused.
func TestLearnsFromATrial(t *testing.T) {
	for _, c := range []struct {
		found bool
		kind  control.Kind
		limit int
		want  int
	}{
		{false, control.Probe, 8, 8},
		{true, control.Probe, 8, 4},
		{true, control.Overloaded, 3, 4},
	} {
		synctest.Test(t, func(t *testing.T) {
			law := learnt.NewLaw(&trial{stayed: c.found, limit: c.limit, kind: c.kind}, 2, nil)
			limiter := sweetspot.New(sweetspot.Start(4), sweetspot.Controller(law), sweetspot.Sensor(idle{}))
			if err := limiter.Do(t.Context(), func(context.Context) error {
				time.Sleep(time.Second)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			l := &run.Lesson{}
			if l.Note(law, limiter, 20); l.Limit != c.want || l.Found != c.found {
				t.Errorf("%v of %d: learnt %d, found: %v; want %d, %v", c.kind, c.limit, l.Limit, l.Found, c.want, c.found)
			}
		})
	}
}

// Where runs are over before the law decides anything, they search together: each tries twice as many
// jobs as the one before while that pays and the CPUs are idle. What was tried in vain is not tried again.
func TestLearnsFromRunToRun(t *testing.T) {
	type wants struct{ limit, trial int }
	for name, c := range map[string]struct {
		runs []run.Stand
		want []wants // after each
	}{
		"as long with more": {
			[]run.Stand{run.NewStand(128, 128, 0.3), run.NewStand(256, 150, 0.31), run.NewStand(256, 150, 0.31)},
			[]wants{{128, 256}, {256, 0}, {256, 0}},
		},
		"a server of ten": {
			[]run.Stand{run.NewStand(8, 8, 0.1), run.NewStand(16, 16, 0.13), run.NewStand(32, 32, 0.26), run.NewStand(16, 16, 0.13)},
			[]wants{{8, 16}, {16, 32}, {16, 0}, {16, 0}},
		},
		"computes": {[]run.Stand{run.NewStand(2, 2, 1).Computing()}, []wants{{2, 0}}},
		"overrun":  {[]run.Stand{run.NewStand(8, 8, 1), run.NewStand(16, 16, 1).Failed()}, []wants{{8, 16}, {8, 0}}},
		"too few to tell": {
			[]run.Stand{run.NewStand(8, 8, 1), run.NewStand(16, 8, 1), run.NewStand(16, 16, 1)},
			[]wants{{8, 16}, {8, 16}, {16, 32}},
		},
		"as few as fit": {[]run.Stand{run.NewStand(8, 6, 1)}, []wants{{8, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			for i, s := range c.runs {
				if err := run.Learning(2, silent(t), "curl").GoOn(s); err != nil {
					t.Fatal(err)
				}
				l, err := run.LessonOf(2, "curl")
				if err != nil {
					t.Fatal(err)
				}
				kept, err := learnt.Read(l.File())
				if err != nil || kept.Limit != c.want[i].limit || kept.Trial != c.want[i].trial {
					t.Fatalf("after run %d it learnt %+v, %v; want %+v", i+1, kept, err, c.want[i])
				}
			}
		})
	}
}

// A run that ends otherwise than by its list has lost its trial: nobody knows what it did.
func TestLearnedTrialIsTakenOnce(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if err := run.Learning(2, silent(t), "curl").GoOn(run.NewStand(8, 8, 1)); err != nil {
		t.Fatal(err)
	}
	if l := run.LearntBefore(2, silent(t), "curl"); l.Trial != 16 {
		t.Errorf("the next run begins with %+v, want a trial of 16", l)
	}
	if l := run.LearntBefore(2, silent(t), "curl"); l.Limit != 8 || l.Trial != 0 {
		t.Errorf("the one after that begins with %+v, want 8", l)
	}
}
