//go:build unix

package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A job that the disk has damaged does not hold up those behind it, nor wait. Both say which job
// is lost.
func TestQueueDamagedJob(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	for _, damaged := range []string{"one", "three", "five"} { // the first, in the middle, the last
		t.Run(damaged, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			if out, err := queueCommand("push", "q", "--dir", home, ":::", "one", "two", "three", "four", "five"); err != nil {
				t.Fatalf("%v, %s", err, out)
			}
			flip(t, home, "sweetspot_q", damaged)
			number := map[string]string{"one": "1", "three": "3", "five": "5"}[damaged]
			out, err := queueCommand("work", "q", "--dir", home, "--until-empty", "echo", "{}")
			if want := "job " + number + " of q cannot be read"; err != nil || !strings.Contains(out, want) {
				t.Errorf("work: %v, %s; want %s", err, out, want)
			}
			out, err = queueCommand("wait", "q", "--dir", home)
			if want := "the results of 1 job of q are gone, such as that of job " + number; err == nil || !strings.Contains(out, want) {
				t.Errorf("wait: %v, %s; want %s", err, out, want)
			}
			out, err = queueCommand("results", "q", "--dir", home, "--stdout")
			want := strings.Replace("one\ntwo\nthree\nfour\nfive\n", damaged+"\n", "", 1)
			if err != nil || out != want {
				t.Errorf("results: %v, %q; want %q", err, out, want)
			}
		})
	}
}

// A result that the disk has damaged keeps no other from being printed. All that read it say which
// it is.
func TestQueueDamagedResult(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	home := t.TempDir()
	for _, args := range [][]string{
		{"push", ":::", "one", "two", "three", "four"},
		{"work", "--until-empty", "--tries", "1", "-c", "echo out-{}; [ {} != two ]"},
	} {
		if out, err := queueCommand(append([]string{args[0], "q", "--dir", home}, args[1:]...)...); err != nil {
			t.Fatalf("%v: %v, %s", args, err, out)
		}
	}
	flip(t, home, "KV_sweetspot_q", "out-two")
	const lost = "the result of job 2 of q cannot be read"
	check := func(command, want string, fails bool) {
		args := strings.Fields(command)
		out, err := queueCommand(append([]string{args[0], "q", "--dir", home}, args[1:]...)...)
		if (err != nil) != fails || !strings.Contains(out, lost) || !strings.Contains(out, want) {
			t.Errorf("%s: %v, %s; want %q, and %s", command, err, out, want, lost)
		}
	}
	startServer(t, home)
	// Each needs seconds to see that the list of results does not end.
	var readers sync.WaitGroup
	for _, test := range []struct {
		command, want string
		fails         bool
	}{
		{"results --stdout", "out-one\nout-three\nout-four\n", true},
		{"results --stdout --follow", "out-one\nout-three\nout-four\n", true},
		{"results --failed", "", true},
		{"wait", "", true},
		{"status", "q: 0 waiting, of which 0 taken; 3 done, 0 failed\n", false},
	} {
		readers.Go(func() { check(test.command, test.want, test.fails) })
	}
	readers.Wait()
	check("retry-failed", "", false)
}

// flip flips a bit of what a stream in a home has of text.
func flip(t *testing.T, home, stream, text string) {
	t.Helper()
	blocks, err := filepath.Glob(filepath.Join(home, "jetstream/jetstream/$G/streams", stream, "msgs/*.blk"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range blocks {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if at := bytes.LastIndex(data, []byte(text)); at >= 0 {
			data[at] ^= 1
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("%s is in none of %v", text, blocks)
}
