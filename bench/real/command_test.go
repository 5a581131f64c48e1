package main_test

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	real "github.com/sweetspot-go/sweetspot/bench/real"
)

func TestReadSummary(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.json")
	write := func(s string) {
		if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"version":1,"jobs":65,"failed":5,"seconds":3,"rate":21.7,"limit":{"last":4,"mean":2.5,"max":6},
		"trace":[{"at":1,"limit":9,"in_flight":9,"rate":1,"cpu":1},{"at":2,"limit":2},{"at":2.5,"limit":4},{"at":3,"limit":6}],"changes":[]}`)
	units, rate, limit, err := real.ReadSummary(file)
	if err != nil || units != 60 || rate != 20 || limit != 5 {
		t.Errorf("%d units, %v/s, limit %v, %v; want 60, 20/s, 5", units, rate, limit, err)
	}
	for text, want := range map[string]string{
		"":                          "no summary",
		"{":                         "cannot be read",
		`{"version":2,"seconds":3}`: "version 2",
		`{"version":1}`:             "0 s",
	} {
		write(text)
		if _, _, _, err := real.ReadSummary(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
	if _, _, _, err := real.ReadSummary(file + "x"); !os.IsNotExist(err) {
		t.Errorf("missing file: %v", err)
	}
}

func TestFeedIsEndlessAndInTurn(t *testing.T) {
	r, w := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		real.Feed(w, []string{"a", "b b", "c"})
	}()
	lines := bufio.NewScanner(r)
	for i := range 30_000 {
		if want := []string{"a", "b b", "c"}[i%3]; !lines.Scan() || lines.Text() != want {
			t.Fatalf("line %d: %q, want %q", i, lines.Text(), want)
		}
	}
	r.Close()
	<-ended
}

func TestFirstLine(t *testing.T) {
	for _, c := range []struct {
		said string
		err  error
		want string
	}{
		{"\nsweetspot: bad\nmore\n", io.EOF, "sweetspot: bad"},
		{" \n", io.EOF, "EOF"},
		{"", nil, "no message"},
	} {
		if got := real.FirstLine(c.said, c.err); got != c.want {
			t.Errorf("%q, %v: %q, want %q", c.said, c.err, got, c.want)
		}
	}
	if got := real.LastLine("debug\n{}\n"); got != "{}" {
		t.Errorf("last line %q", got)
	}
}
