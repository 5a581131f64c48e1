package queue_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// A platter is what a disk keeps if the power fails: of each file what it was when it was last flushed.
type platter struct {
	from, to string
	mu       sync.Mutex
}

func (p *platter) flush(f *os.File) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	path, err := filepath.Rel(p.from, f.Name())
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		return err
	}
	b := make([]byte, info.Size())
	if _, err := f.ReadAt(b, 0); err != nil && len(b) > 0 {
		return err
	}
	path = filepath.Join(p.to, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

// What was confirmed is there after a power failure, unless the home does without: jobs
// that were pushed, also to a queue that was just made, and results.
func TestPowerFailure(t *testing.T) {
	t.Parallel()
	for _, durable := range []bool{true, false} {
		t.Run(fmt.Sprint(durable), func(t *testing.T) {
			t.Parallel()
			const jobs, rounds, results = 400, 5, 60
			p := &platter{from: t.TempDir(), to: t.TempDir()}
			h := queue.OpenHome(p.from)
			h.Flush(p.flush)
			if err := h.Serve(nil, &durable); err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			q, done, err := connectTo(t, h, "q")
			defer done()
			if err != nil {
				t.Fatal(err)
			}
			for round := range rounds {
				var values []string
				for i := range jobs / rounds {
					values = append(values, fmt.Sprintf("%d.%d.%s", round, i, strings.Repeat("x", 1000)))
				}
				if err := q.Push(t.Context(), values...); err != nil {
					t.Fatal(err)
				}
				var all sync.WaitGroup
				for i := range results / rounds {
					all.Go(func() {
						if err := q.Record(t.Context(), uint64(round*results/rounds+i+1)); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
			}
			after := queue.OpenHome(p.to)
			if err := after.Serve(nil, nil); err != nil {
				t.Fatal(err)
			}
			defer after.Close()
			q, done, err = connectTo(t, after, "q")
			defer done()
			if err != nil {
				t.Fatal(err)
			}
			wantJobs, wantResults := uint64(jobs), results
			if !durable {
				wantJobs, wantResults = 0, 0
			}
			if n, r, err := q.Left(t.Context()); n != wantJobs || r != wantResults || err != nil {
				t.Errorf("after the failure there are %d jobs and %d results, %v; want %d and %d", n, r, err, wantJobs, wantResults)
			}
		})
	}
}

// connectTo connects to a home of this process as a client elsewhere does.
func connectTo(t *testing.T, h queue.Home, name string) (queue.Queue, func(), error) {
	t.Helper()
	return queue.OpenServer(t.Context(), h.URL(), h.Path("user.nk"), name)
}

// The disk of a server is blamed only while the server answers: else it may be the network.
func TestUnkeptOrAway(t *testing.T) {
	t.Parallel()
	h := queue.OpenHome(t.TempDir())
	q := serving(t, h)
	const disk = "the server has not yet flushed to its disk what it has confirmed"
	if why := q.WhyUnkept(t.Context()); why != disk {
		t.Errorf("a server that answers: %q, want %q", why, disk)
	}
	h.Close()
	if why := q.WhyUnkept(t.Context()); why == disk {
		t.Errorf("a server that is gone: %q", why)
	}
}

// One flush serves all workers that wait for the disk.
func TestGroupCommit(t *testing.T) {
	t.Parallel()
	const records = 50
	var counts atomic.Bool
	var flushes atomic.Int64
	first, release := make(chan struct{}), make(chan struct{})
	h := queue.OpenHome(t.TempDir())
	h.Flush(func(f *os.File) error {
		if counts.Load() && strings.HasSuffix(f.Name(), ".blk") && flushes.Add(1) == 1 {
			close(first)
			<-release
		}
		return f.Sync()
	})
	q := serving(t, h)
	if err := q.Record(t.Context(), 1); err != nil { // what a new queue needs is on the disk
		t.Fatal(err)
	}
	workers := make([]queue.Queue, records)
	for i := range workers { // before any waits: what waits for long asks anew
		worker, done, err := connectTo(t, h, "q")
		defer done()
		if err != nil {
			t.Fatal(err)
		}
		workers[i] = worker
	}
	counts.Store(true)
	var all sync.WaitGroup
	record := func(q queue.Queue, job uint64) {
		all.Go(func() {
			if err := q.Record(t.Context(), job); err != nil {
				t.Error(err)
			}
		})
	}
	record(q, 2)
	<-first
	for i, worker := range workers {
		record(worker, 3+uint64(i))
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		_, written, err := q.Left(t.Context())
		if err == nil && written == 2+records {
			break
		}
		if err != nil || time.Now().After(until) {
			t.Fatalf("%d results are written, %v; want %d", written, err, 2+records)
		}
	}
	close(release)
	all.Wait()
	if n := flushes.Load(); n != 2 {
		t.Errorf("%d flushes for 1 record and %d more, want 2", n, records)
	}
}

// A disk that fails once is not asked again: it may say then that it has kept what it has not.
func TestDiskFails(t *testing.T) {
	t.Parallel()
	h := queue.OpenHome(t.TempDir())
	var calls atomic.Int64
	var broken atomic.Bool
	h.Flush(func(*os.File) error {
		if !broken.Load() {
			return nil
		}
		calls.Add(1)
		return errors.New("bad sector")
	})
	q := serving(t, h)
	broken.Store(true)
	for _, value := range []string{"a", "b"} {
		if err := q.Push(t.Context(), value); err == nil || !strings.Contains(err.Error(), "bad sector") {
			t.Errorf("Push: %v, want what the disk says", err)
		}
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("the disk was asked %d times, want once", n)
	}
}

// What a server has confirmed is written again after a restart of its machine.
func TestServerChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kill := start(t, "serve before a restart", dir)
	q, done, err := queue.OpenQueue(t.Context(), dir, "q")
	defer done()
	if err != nil {
		t.Fatal(err)
	}
	writes := 0
	err = q.Durably(t.Context(), func(ctx context.Context) error {
		writes++
		if err := q.Push(ctx, "a"); err != nil {
			return err
		}
		if writes == 1 {
			kill()
		}
		return nil
	})
	if err != nil || writes != 2 {
		t.Errorf("after the end of the server: written %d times, %v; want twice", writes, err)
	}
	if n, _, err := q.Left(t.Context()); n != 1 || err != nil {
		t.Errorf("%d jobs, %v; want 1", n, err)
	}
}

// What a server has confirmed that was killed, the next one has the disk keep, without another push: a
// job that was done meanwhile would be run again.
func TestServerIsKilledBeforeSync(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kill := start(t, "serve", dir)
	q, done, err := queue.OpenQueue(t.Context(), dir, "q")
	defer done()
	if err != nil {
		t.Fatal(err)
	}
	writes := 0
	err = q.Durably(t.Context(), func(ctx context.Context) error {
		writes++
		err := q.PushOnly(ctx, "a")
		if err == nil && writes == 1 {
			if err = q.Record(ctx, 1); err == nil {
				err = q.Acknowledge(ctx)
			}
			kill()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if jobs, results, err := q.Left(t.Context()); jobs != 0 || results != 1 || err != nil {
		t.Errorf("%d jobs and %d results, %v; want that the one job is done", jobs, results, err)
	}
}

// The power fails while the disk is to keep a queue that was just made. Whoever has found the queue by
// then has pushed a job, which was not confirmed: the queue is made all the same.
func TestPowerFailsWhileQueueIsMade(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"sweetspot_q", "KV_sweetspot_q"} {
		t.Run(stream, func(t *testing.T) {
			t.Parallel()
			sum := filepath.FromSlash("jetstream/jetstream/$G/streams/" + stream + "/meta.sum")
			h, left := queue.OpenHome(t.TempDir()), filepath.Join(t.TempDir(), "left")
			var once sync.Once
			h.Flush(func(f *os.File) error {
				if f.Name() == h.Path(sum) {
					once.Do(func() {
						if err := h.PushEarly(t.Context(), "q"); err != nil {
							t.Error(err)
						}
						// The disk has all but this file.
						err := os.CopyFS(left, os.DirFS(h.Path("")))
						if err = errors.Join(err, os.Truncate(filepath.Join(left, sum), 0)); err != nil {
							t.Error(err)
						}
					})
				}
				return nil
			})
			serving(t, h)
			restart(t, left)
			serve(t, left, func(q queue.Queue) {
				if err := q.Push(t.Context(), "a"); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A changed description of the results is on the disk at once, also where messages are not. The same change
// again flushes it again: the first flush may have failed.
func TestKeepIsFlushed(t *testing.T) {
	t.Parallel()
	h := queue.OpenHome(t.TempDir())
	sum := h.Path(filepath.FromSlash("jetstream/jetstream/$G/streams/KV_sweetspot_q/meta.sum"))
	var flushed atomic.Bool
	h.Flush(func(f *os.File) error {
		if f.Name() == sum {
			flushed.Store(true)
		}
		return nil
	})
	durable := false
	if err := h.Serve(nil, &durable); err != nil {
		t.Fatal(err)
	}
	q := serving(t, h)
	for i := range 2 {
		flushed.Store(false)
		if err := q.Keep(t.Context(), time.Hour); err != nil {
			t.Fatal(err)
		}
		if !flushed.Load() {
			t.Errorf("change %d: the disk may still have the old description", i)
		}
	}
}
