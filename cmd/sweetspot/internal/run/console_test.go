package run_test

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestConsoleErasesStatus(t *testing.T) {
	var b bytes.Buffer
	c := run.NewConsole(&b, &b)
	c.Status("1/2")
	c.Status("1/2")
	if err := c.Job("out\n"); err != nil {
		t.Fatal(err)
	}
	c.Say("cmd")
	c.Status("2/2")
	c.Status("")
	c.Status("")
	const want = "\r1/2\x1b[K" + "\r\x1b[K" + "out\n" + "cmd\n" + "\r2/2\x1b[K" + "\r\x1b[K"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestStatusLine(t *testing.T) {
	m := run.Moment{Done: 1500, Total: 3000, Failed: 2, Rate: 100, Limit: 8, InFlight: 7, Elapsed: 15 * time.Second, Why: "doubled 4→8: +94 % throughput"}
	const want = "1,500/3,000 jobs, 2 failed | 100/s | 15.0 s left | 7 of 8 at a time: doubled 4→8: +94 % throughput"
	if got := run.StatusLine(m, 120, false); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := run.StatusLine(m, 120, true); !strings.HasSuffix(got, ": \x1b[2mdoubled 4→8: +94 % throughput\x1b[22m") {
		t.Errorf("%q", got)
	}
	for width := 1; width < 120; width++ {
		if n := utf8.RuneCountInString(run.StatusLine(m, width, false)); n > width {
			t.Errorf("%d characters in a width of %d", n, width)
		}
	}
	m = run.Moment{Done: 10, Total: 40, Open: true, Rate: 2, Limit: 2, InFlight: 2, Elapsed: time.Second, Fixed: true}
	if got, want := run.StatusLine(m, 100, false), "10/40+ jobs | 2.00/s | 15.0 s or more left | 2 of 2 at a time: fixed by -j"; got != want {
		t.Errorf("while the list is read: %q, want %q", got, want)
	}
	m = run.Moment{Done: 1, Rate: 0, Limit: 2, InFlight: 2, Elapsed: time.Second, Fixed: true}
	if got, want := run.StatusLine(m, 100, false), "1 jobs | 0.00/s | 1.00 s | 2 of 2 at a time: fixed by -j"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
