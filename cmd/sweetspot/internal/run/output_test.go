package run_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestOutputKeepsOrder(t *testing.T) {
	var out, errs, want, wantErrs bytes.Buffer
	p := run.NewPrinter(&out, &errs, true)
	defer p.Close()
	const n = 500
	text := func(seq int) (string, string) {
		switch seq % 5 {
		case 0:
			return "", ""
		case 1:
			return strings.Repeat(fmt.Sprintln(seq), 1+run.SmallOutput/3), "" // too large for memory
		case 2:
			return "", fmt.Sprintf("err %d\n", seq)
		}
		return fmt.Sprintf("out %d\n", seq), fmt.Sprintf("err %d\n", seq)
	}
	for seq := 1; seq <= n; seq++ {
		o, e := text(seq)
		want.WriteString(o)
		wantErrs.WriteString(e)
	}
	var wg sync.WaitGroup
	work := make(chan int)
	for range 8 {
		wg.Go(func() {
			for seq := range work {
				o, e := text(seq)
				if err := p.Finish(int64(seq), o, e); err != nil {
					t.Error(err)
				}
			}
		})
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, i := range r.Perm(n) {
		work <- i + 1
	}
	close(work)
	wg.Wait()
	if !bytes.Equal(out.Bytes(), want.Bytes()) || !bytes.Equal(errs.Bytes(), wantErrs.Bytes()) {
		t.Errorf("%d and %d bytes in another order than the %d and %d of the input", out.Len(), errs.Len(), want.Len(), wantErrs.Len())
	}
	if memory, disk, files := p.Held(); memory != 0 || disk != 0 || files != 0 {
		t.Errorf("still holds %d bytes, %d on disk in %d files", memory, disk, files)
	}
}

func TestOutputInOnePiece(t *testing.T) {
	var out bytes.Buffer
	p := run.NewPrinter(&out, io.Discard, false)
	defer p.Close()
	const jobs, lines = 40, 9000
	var wg sync.WaitGroup
	for j := range jobs {
		wg.Go(func() {
			if err := p.Finish(int64(j+1), strings.Repeat(fmt.Sprintf("%d\n", j), lines), ""); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	changes, last, n := 0, "", 0
	for line := range strings.Lines(out.String()) {
		if line != last {
			changes++
		}
		last = line
		n++
	}
	if changes != jobs || n != jobs*lines {
		t.Errorf("%d jobs were printed in %d pieces, %d of %d lines", jobs, changes, n, jobs*lines)
	}
}

// While an early job is slow, only so much is held; then no job may begin. Once
// it is done all is printed and jobs begin again.
func TestOutputHeldIsBounded(t *testing.T) {
	big := strings.Repeat("x", run.SmallOutput+1)
	t.Run("jobs", func(t *testing.T) {
		const jobs = 300
		boundedBy(t, func(p *run.Printer) { p.Bound(1<<30, 1000, jobs) }, func(int64) string { return "" }, jobs,
			"the output of 299 jobs is to be printed after that of job 1, which still runs (-k)")
	})
	t.Run("files", func(t *testing.T) {
		boundedBy(t, func(p *run.Printer) { p.Bound(1<<30, 40, 1000) }, func(int64) string { return big }, 41,
			"2.50 MiB of output is to be printed after that of job 1, which still runs (-k)")
	})
	t.Run("bytes", func(t *testing.T) {
		boundedBy(t, func(p *run.Printer) { p.Bound(1<<20, 1000, 1000) }, func(int64) string { return big }, 17,
			"1.00 MiB of output is to be printed after that of job 1, which still runs (-k)")
	})
}

// messages get what is written.
type messages chan string

func (m messages) Write(b []byte) (int, error) {
	m <- string(b)
	return len(b), nil
}

// boundedBy expects that job number most is the last that may begin, and what is said then.
func boundedBy(t *testing.T, bound func(*run.Printer), text func(seq int64) string, most int64, why string) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		said := make(messages, 10)
		p := run.NewPrinter(&out, io.Discard, true)
		defer p.Close()
		bound(p)
		p.Says(said)
		begun, goOn := make(chan int64), make(chan bool)
		go func() {
			defer close(begun)
			for seq := int64(1); seq <= most+20; seq++ {
				if p.Admit(t.Context(), seq) != nil {
					return
				}
				begun <- seq
				<-goOn
			}
		}()
		var want int64
		<-begun // job 1 is slow
		goOn <- true
		last := int64(1)
	held:
		for {
			synctest.Wait()
			select {
			case seq := <-begun:
				last = seq
				want += int64(len(text(seq)))
				if err := p.Finish(seq, text(seq), ""); err != nil {
					t.Fatal(err)
				}
				goOn <- true
			default:
				break held
			}
		}
		if last != most {
			t.Errorf("job %d was the last to begin, want %d", last, most)
		}
		if got := p.Status(); got != why {
			t.Errorf("status %q, want %q", got, why)
		}
		time.Sleep(time.Second)
		if len(said) > 0 {
			t.Errorf("%q is said at once", <-said)
		}
		time.Sleep(time.Minute)
		if got := <-said; got != ": no job is started for now: "+why+"\n" || len(said) > 0 {
			t.Errorf("said %q and %d messages more", got, len(said))
		}
		if err := p.Finish(1, text(1), ""); err != nil {
			t.Fatal(err)
		}
		want += int64(len(text(1)))
		if int64(out.Len()) != want {
			t.Errorf("%d bytes printed, want %d", out.Len(), want)
		}
		n := int64(0)
		close(goOn)
		for range begun {
			n++
		}
		if last+n != most+20 {
			t.Errorf("%d jobs began in all, want %d", last+n, most+20)
		}
		if got := p.Status(); got != "" {
			t.Errorf("status %q with room for all", got)
		}
	})
}

func TestAdmitStops(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	p := run.NewPrinter(io.Discard, io.Discard, true)
	p.Bound(1, 1, 1)
	if err := p.Admit(ctx, 2); err != why {
		t.Errorf("error %v, want %v", err, why)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestOutputFailure(t *testing.T) {
	var errs bytes.Buffer
	p := run.NewPrinter(full{}, &errs, false)
	defer p.Close()
	for seq := int64(1); seq <= 3; seq++ {
		if err := p.Finish(seq, "x", "y"); err != nil {
			t.Fatal(err)
		}
	}
	if p.Err() == nil || p.Err().Error() != "disk full" {
		t.Errorf("error %v", p.Err())
	}
	if errs.Len() != 0 {
		t.Errorf("%q was written after the failure", errs.String())
	}
}

// Spools are used again, and leave no name behind.
func TestSpoolsLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var out bytes.Buffer
	p := run.NewPrinter(&out, io.Discard, false)
	for seq := int64(1); seq <= 100; seq++ {
		if err := p.Finish(seq, "x", ""); err != nil {
			t.Fatal(err)
		}
	}
	if used := p.Close(); used != 1 || out.Len() != 100 {
		t.Errorf("%d spools for jobs one after the other, %d bytes", used, out.Len())
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Without a directory to write to, output is held in memory (Linux).
func TestSpoolsWithoutDirectory(t *testing.T) {
	t.Setenv("TMPDIR", "/nonexistent")
	var out bytes.Buffer
	p := run.NewPrinter(&out, io.Discard, false)
	defer p.Close()
	err := p.Finish(1, "x", "")
	if err == nil && out.String() == "x" {
		return
	}
	if err == nil || !strings.Contains(err.Error(), "/nonexistent") {
		t.Errorf("%q, %v: want the output or an error that names the directory", out.String(), err)
	}
}
