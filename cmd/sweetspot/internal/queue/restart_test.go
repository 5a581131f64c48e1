package queue_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// After a restart of the machine numbers of jobs go on behind the last result, whatever the
// disk has of the jobs: one with the number of an old one would meet its result.
func TestNumbersGoOn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		jobs    []string
		results []uint64
		next    uint64
	}{
		{"no job is left", nil, []uint64{1, 7}, 8},
		{"jobs are left", []string{"a", "b", "c"}, []uint64{7}, 8},
		{"none is missing", []string{"a", "b", "c"}, []uint64{1}, 4},
		{"no results", []string{"a"}, nil, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			serve(t, dir, func(q queue.Queue) {
				if err := q.Push(t.Context(), test.jobs...); err != nil {
					t.Fatal(err)
				}
				for _, n := range test.results {
					if err := q.Record(t.Context(), n); err != nil {
						t.Fatal(err)
					}
				}
			})
			restart(t, dir)
			serve(t, dir, func(q queue.Queue) {
				if err := q.Push(t.Context(), "next"); err != nil {
					t.Fatal(err)
				}
				if n, err := q.Last(t.Context()); n != test.next || err != nil {
					t.Errorf("the next job has number %d, %v; want %d", n, err, test.next)
				}
				want := append(test.jobs, "next")
				if values, err := q.Runnable(t.Context(), len(want)); err != nil || !slices.Equal(values, want) {
					t.Errorf("then %v are to be run, %v; want %v", values, err, want)
				}
			})
		})
	}
}

// A key that somebody else put into the bucket keeps no home from opening.
func TestForeignKeyAfterRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	serve(t, dir, func(q queue.Queue) {
		for _, key := range []string{"job.x", "job.1.y"} {
			if err := q.Key(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
		if err := q.Record(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
	})
	restart(t, dir)
	serve(t, dir, func(q queue.Queue) {
		if n, err := q.Last(t.Context()); n != 7 || err != nil {
			t.Errorf("the last number is %d, %v; want 7", n, err)
		}
		if _, results, err := q.Left(t.Context()); results != 1 || err != nil {
			t.Errorf("%d results, %v; want 1", results, err)
		}
	})
}

// The server that puts a home in order listens nowhere, so it does not mind who else does.
func TestPortIsTakenAfterRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	serve(t, dir, func(queue.Queue) {})
	restart(t, dir)
	l, err := net.Listen("tcp", ":4222") // the port of NATS
	if err == nil {                      // else it is taken already
		defer l.Close()
	}
	serve(t, dir, func(queue.Queue) {})
}

// Numbers that are left out so are of no job, and wait misses no result of theirs, unless the home
// was not synced: then there may have been jobs.
func TestGapsAfterRestart(t *testing.T) {
	t.Parallel()
	for _, synced := range []bool{true, false} {
		dir := t.TempDir()
		h := queue.OpenHome(dir)
		if err := h.Serve(nil, &synced); err != nil {
			t.Fatal(err)
		}
		q, done, err := connectTo(t, h, "q")
		for _, n := range []uint64{1, 7} {
			if err == nil {
				err = q.Record(t.Context(), n)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		done()
		h.Close()
		restart(t, dir)
		serve(t, dir, func(q queue.Queue) {
			switch err := q.Missing(t.Context()); {
			case synced && err != nil:
				t.Error(err)
			case !synced && (err == nil || !strings.Contains(err.Error(), "the results of 5 jobs of q are gone, such as that of job 2:")):
				t.Errorf("without sync: %v, want that 5 jobs are missed", err)
			}
		})
	}
}

// What the disk has of acknowledgements after a restart of the machine stops no queue, and
// without one it is heeded.
func TestAcknowledgementsAfterRestart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, note string
		restarted  bool
	}{
		{"empty", "", true},
		{"zeros", string(make([]byte, 32)), true},
		{"of jobs that came back", "\x16\x02\x09\x09\x09\x09\x00\x00", true}, // 9 jobs, all acknowledged
		{"no restart", "\x16\x02\x09\x09\x09\x09\x00\x00", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			serve(t, dir, func(q queue.Queue) {
				if err := q.Push(t.Context(), "a", "b"); err != nil {
					t.Fatal(err)
				}
			})
			note := filepath.Join(dir, "jetstream/jetstream/$G/streams/sweetspot_q/obs/workers/o.dat")
			if err := os.WriteFile(note, []byte(test.note), 0o600); err != nil {
				t.Fatal(err)
			}
			if test.restarted {
				restart(t, dir)
			}
			serve(t, dir, func(q queue.Queue) {
				n, err := q.Pending(t.Context())
				if want := map[bool]uint64{true: 2}[test.restarted]; n != want || err != nil {
					t.Errorf("%d jobs are to be given to workers, %v; want %d", n, err, want)
				}
			})
		})
	}
}

// Where the disk has not kept the description of the consumer, that is made anew before workers elsewhere
// ask for it: they would take the queue for deleted.
func TestConsumerAfterRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	serve(t, dir, func(queue.Queue) {})
	if err := os.Truncate(filepath.Join(dir, "jetstream/jetstream/$G/streams/sweetspot_q/obs/workers/meta.inf"), 0); err != nil {
		t.Fatal(err)
	}
	restart(t, dir)
	h := queue.OpenHome(dir)
	defer h.Close()
	if err := h.Serve(nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := h.Look(t.Context(), "q"); err != nil {
		t.Error(err)
	}
}

// serve serves the home in dir meanwhile.
func serve(t *testing.T, dir string, meanwhile func(queue.Queue)) {
	t.Helper()
	h := queue.OpenHome(dir)
	defer h.Close()
	if err := h.Serve(nil, nil); err != nil {
		t.Fatal(err)
	}
	q, done, err := connectTo(t, h, "q")
	defer done()
	if err != nil {
		t.Fatal(err)
	}
	meanwhile(q)
}

// serving serves h until the test ends, and returns its queue q.
func serving(t *testing.T, h queue.Home) queue.Queue {
	t.Helper()
	t.Cleanup(h.Close)
	if err := h.Serve(nil, nil); err != nil {
		t.Fatal(err)
	}
	q, done, err := connectTo(t, h, "q")
	t.Cleanup(done)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// restart has the home in dir think that the machine restarted.
func restart(t testing.TB, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "boot"), []byte("another run\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}
