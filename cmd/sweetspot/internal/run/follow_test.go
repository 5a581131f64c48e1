package run_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// A safe buffer may be read while it is written to.
type safe struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safe) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safe) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func write(t *testing.T, f *os.File, text string) {
	t.Helper()
	if _, err := io.WriteString(f, text); err != nil {
		t.Fatal(err)
	}
}

// follow runs f with two running jobs, and returns what is printed: after each
// call of its argument there is an entry.
func follow(t *testing.T, ordered bool, f func(t *testing.T, jobs []*run.Running, look func(stdout, stderr string))) {
	synctest.Test(t, func(t *testing.T) {
		var out, errs safe
		p := run.NewPrinter(&out, &errs, ordered)
		defer p.Close()
		p.Follow()
		defer p.EndFollow()
		var jobs []*run.Running
		for seq := int64(1); seq <= 2; seq++ {
			j, err := p.Start(seq, fmt.Sprintf("%d:", seq))
			if err != nil {
				t.Fatal(err)
			}
			jobs = append(jobs, j)
		}
		wantOut, wantErr := "", ""
		f(t, jobs, func(stdout, stderr string) {
			t.Helper()
			time.Sleep(time.Second)
			synctest.Wait()
			wantOut += stdout
			wantErr += stderr
			if out.String() != wantOut || errs.String() != wantErr {
				t.Errorf("printed %s and %s, want %s and %s", short(out.String()), short(errs.String()), short(wantOut), short(wantErr))
			}
		})
	})
}

// short quotes a text, and of a long one its end and its length.
func short(text string) string {
	if n := len(text); n > 200 {
		return fmt.Sprintf("%d bytes that end in %q", n, text[n-20:])
	}
	return strconv.Quote(text)
}

// Lines are printed when they are complete.
func TestFollow(t *testing.T) {
	follow(t, false, func(t *testing.T, jobs []*run.Running, look func(stdout, stderr string)) {
		write(t, jobs[0].Stdout(), "a\nb")
		write(t, jobs[0].Stderr(), "e\n")
		look("1:a\n", "1:e\n")
		look("", "")
		write(t, jobs[1].Stdout(), "x\n")
		look("2:x\n", "")
		write(t, jobs[0].Stdout(), "c")
		look("", "")
		write(t, jobs[0].Stdout(), "d\ne")
		look("1:bcd\n", "")
		write(t, jobs[0].Stderr(), "f")
		jobs[0].Finish()
		look("1:e\n", "1:f\n")
		jobs[1].Finish()
		look("", "")
	})
}

// A line may be longer than what is read at a time, and many may come at once.
func TestFollowLong(t *testing.T) {
	follow(t, false, func(t *testing.T, jobs []*run.Running, look func(stdout, stderr string)) {
		long := strings.Repeat("0123456789", 100_000)
		write(t, jobs[0].Stdout(), long)
		look("", "")
		write(t, jobs[0].Stdout(), long+"\nb")
		look("1:"+long+long+"\n", "")
		many := strings.Repeat("0123456789\n", 300_000)
		write(t, jobs[1].Stdout(), many)
		look(strings.ReplaceAll("2:"+many[:len(many)-1], "\n", "\n2:")+"\n", "")
		jobs[0].Finish()
		look("1:b\n", "")
		jobs[1].Finish()
		look("", "")
	})
}

// With -k, only the first job in order is followed; the next shows what it has
// written meanwhile when its turn comes.
func TestFollowInOrder(t *testing.T) {
	follow(t, true, func(t *testing.T, jobs []*run.Running, look func(stdout, stderr string)) {
		write(t, jobs[1].Stdout(), "x\ny")
		look("", "")
		write(t, jobs[0].Stdout(), "a\nb")
		look("1:a\n", "")
		jobs[0].Finish()
		look("1:b\n2:x\n", "")
		write(t, jobs[1].Stdout(), "z\n")
		look("2:yz\n", "")
		jobs[1].Finish()
		look("", "")
	})
}

// A write that fails is told, and nothing hangs.
func TestFollowFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := run.NewPrinter(full{}, io.Discard, false)
		defer p.Close()
		p.Follow()
		j, err := p.Start(1, "")
		if err != nil {
			t.Fatal(err)
		}
		write(t, j.Stdout(), "a\nb\n")
		time.Sleep(time.Second)
		synctest.Wait()
		if p.Err() == nil {
			t.Error("no error")
		}
		j.Finish()
		p.EndFollow()
	})
}
