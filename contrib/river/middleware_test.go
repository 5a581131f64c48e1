package riverlimit_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/sweetspot-go/sweetspot"
	riverlimit "github.com/sweetspot-go/sweetspot/contrib/river"
)

// TestLimit: as many jobs run as the limit allows, also after it was raised or lowered,
// in the order in which they were inserted, and each once.
func TestLimit(t *testing.T) {
	const jobs = 40
	b := newBed(t)
	b.insert(jobs)
	l := setTo(sweetspot.New(), 1)
	var mu sync.Mutex
	var order []int
	running, next := make(chan struct{}, jobs), make(chan struct{})
	b.start(config(20, l, func(ctx context.Context, job *river.Job[mail]) error {
		if !l.Holds(ctx) {
			t.Error("the ctx of a worker has no permit")
		}
		mu.Lock()
		order = append(order, job.Args.Number)
		mu.Unlock()
		running <- struct{}{}
		<-next
		return nil
	}))
	runs := func(n int) {
		t.Helper()
		for range n {
			<-running
		}
		if got := l.Stats(); got.InFlight != l.Limit() || len(running) > 0 {
			t.Errorf("%d permits out and %d jobs too many, want %d and 0", got.InFlight, len(running), l.Limit())
		}
	}
	runs(1)
	next <- struct{}{}
	runs(1)
	b.eventually(rivertype.JobStateRunning, 20) // all that MaxWorkers has room for
	l.SetLimit(5)
	runs(4)
	l.SetLimit(3)
	for range 2 {
		next <- struct{}{}
	}
	for l.Stats().InFlight > 3 {
		time.Sleep(time.Millisecond)
	}
	next <- struct{}{}
	runs(1)
	close(next)
	b.eventually(rivertype.JobStateCompleted, jobs)
	if got := l.Stats(); got.Completed != jobs || got.InFlight != 0 {
		t.Errorf("%d units done, %d permits out, want %d, 0", got.Completed, got.InFlight, jobs)
	}
	mu.Lock()
	defer mu.Unlock()
	// river starts the jobs of a batch as goroutines, which may overtake each other.
	slices.Sort(order)
	for i, got := range order {
		if got != i {
			t.Fatalf("worked %v", order)
		}
	}
}

// TestStop: at the end of SoftStopTimeout, jobs that wait for a permit go back, and
// their attempt does not count.
func TestStop(t *testing.T) {
	const jobs = 10
	b := newBed(t)
	b.insert(jobs)
	l := setTo(sweetspot.New(), 1)
	began := make(chan struct{}, jobs)
	// A stop cancels one ctx after the other. The running job finishes after the last one:
	// a job whose ctx is still good when it gets the permit may begin.
	var stopped sync.WaitGroup
	stopped.Add(jobs)
	c := config(jobs, l, func(context.Context, *river.Job[mail]) error {
		began <- struct{}{}
		stopped.Wait()
		return nil // finished anyway
	})
	c.Middleware = append([]rivertype.Middleware{river.WorkerMiddlewareFunc(
		func(ctx context.Context, _ *rivertype.JobRow, doInner func(context.Context) error) error {
			context.AfterFunc(ctx, stopped.Done)
			return doInner(ctx)
		})}, c.Middleware...)
	c.SoftStopTimeout = 10 * time.Millisecond
	client := b.start(c)
	<-began
	for l.Stats().Waiting < jobs-1 {
		time.Sleep(time.Millisecond)
	}
	if err := client.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(began) > 0 {
		t.Errorf("%d jobs began after the stop", len(began))
	}
	if back := b.count(rivertype.JobStateAvailable); back != jobs-1 {
		t.Errorf("%d jobs are available again, want %d", back, jobs-1)
	}
	if n := b.exec("select from river_job where state = 'available' and (attempt > 0 or errors is not null)"); n > 0 {
		t.Errorf("the attempt counts of %d jobs", n)
	}
	if got := l.Stats(); got.InFlight != 0 || got.Waiting != 0 || got.Completed != 1 {
		t.Errorf("%d permits out, %d wait, %d done: want 0, 0, 1", got.InFlight, got.Waiting, got.Completed)
	}

	b.start(config(jobs, setTo(sweetspot.New(), 4), func(context.Context, *river.Job[mail]) error { return nil }))
	b.eventually(rivertype.JobStateCompleted, jobs)
}

// TestTimeout: the wait for a permit is not part of a job's timeout.
func TestTimeout(t *testing.T) {
	b := newBed(t)
	b.insert(2)
	l := setTo(sweetspot.New(), 1)
	waited := make(chan time.Time, 1)
	next := make(chan struct{})
	c := config(2, l, func(ctx context.Context, _ *river.Job[mail]) error {
		select {
		case <-next:
		case until := <-waited:
			if end, ok := ctx.Deadline(); !ok || end.Before(until.Add(time.Minute)) {
				t.Errorf("the time of a job ends at %v, want a minute from %v on", end, until)
			}
		}
		return nil
	})
	c.JobTimeout = time.Minute
	b.start(c)
	for l.Stats().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	until := time.Now() // before the permit comes back
	next <- struct{}{}
	waited <- until
	b.eventually(rivertype.JobStateCompleted, 2)
}

// TestCancel: a job that is cancelled while it waits ends at once, unworked.
func TestCancel(t *testing.T) {
	b := newBed(t)
	b.insert(2)
	l := setTo(sweetspot.New(), 1)
	var begun atomic.Int64
	end := make(chan struct{})
	defer close(end)
	client := b.start(config(2, l, func(context.Context, *river.Job[mail]) error {
		begun.Store(1)
		<-end
		return nil
	}))
	for l.Stats().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	list, err := client.JobList(t.Context(), river.NewJobListParams())
	if err != nil {
		t.Fatal(err)
	}
	for _, job := range list.Jobs {
		if _, err := client.JobCancel(t.Context(), job.ID); err != nil {
			t.Fatal(err)
		}
	}
	b.eventually(rivertype.JobStateCancelled, 1)
	if got := l.Stats().InFlight; got != 1 || begun.Load() != 1 {
		t.Errorf("%d permits out, want that of the job that runs", got)
	}
}

// TestOutcomes: what a job was to the Limiter.
func TestOutcomes(t *testing.T) {
	busy := errors.New("busy")
	b := newBed(t)
	b.insert(6)
	l := setTo(sweetspot.New(sweetspot.Classify(func(err error) sweetspot.Outcome {
		switch {
		case err == nil:
			return sweetspot.Done
		case errors.Is(err, busy):
			return sweetspot.Overloaded
		}
		return sweetspot.Ignored
	})), 2)
	c := config(6, l, func(_ context.Context, job *river.Job[mail]) error {
		switch job.Args.Number {
		case 1:
			return busy
		case 2:
			panic("broken")
		case 3:
			return river.JobCancel(errors.New("no such address"))
		case 4:
			return river.JobSnooze(time.Hour)
		}
		return nil
	})
	c.RetryPolicy = later{} // else what failed comes again in a second
	b.start(c)
	b.eventually(rivertype.JobStateCompleted, 2)
	b.eventually(rivertype.JobStateCancelled, 1)
	b.eventually(rivertype.JobStateScheduled, 1)
	b.eventually(rivertype.JobStateRetryable, 2)
	got := l.Stats()
	if got.Completed != 2 || got.Overloads != 1 || got.Ignored != 3 || got.InFlight != 0 {
		t.Errorf("%d done, %d overloads, %d ignored, %d permits out: want 2, 1, 3, 0", got.Completed, got.Overloads, got.Ignored, got.InFlight)
	}
}

// later tries again when the test is over.
type later struct{}

func (later) NextRetry(*rivertype.JobRow) time.Time { return time.Now().Add(time.Hour) }

func TestMisuse(t *testing.T) {
	defer func() {
		if got, want := recover(), "sweetspot: NewMiddleware without a Limiter: want one, such as sweetspot.New()"; got != want {
			t.Errorf("panicked with %q, want %q", got, want)
		}
	}()
	riverlimit.NewMiddleware(nil)
}
