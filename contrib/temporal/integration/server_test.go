// Package integration runs workers against a server of Temporal.
package integration

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	temporallimit "github.com/sweetspot-go/sweetspot/contrib/temporal"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.temporal.io/server/temporaltest"
)

// A gauge knows how many run.
type gauge struct {
	mu        sync.Mutex
	now, most int
}

func (g *gauge) run(d time.Duration) {
	g.mu.Lock()
	g.now++
	g.most = max(g.most, g.now)
	g.mu.Unlock()
	time.Sleep(d)
	g.mu.Lock()
	g.now--
	g.mu.Unlock()
}

const (
	activities = 200
	failing    = 4 // fail once
	locals     = 40
	inSession  = 10
)

type work struct{ all, local gauge }

// Remote is an activity that returns twice its argument.
func (w *work) Remote(ctx context.Context, i int) (int, error) {
	w.all.run(20 * time.Millisecond)
	return 2 * i, nil
}

// Flaky fails at its first attempt.
func (w *work) Flaky(ctx context.Context, i int) (int, error) {
	w.all.run(20 * time.Millisecond)
	if activity.GetInfo(ctx).Attempt == 1 {
		return 0, errors.New("not yet")
	}
	return 2 * i, nil
}

// Local is a local activity that returns its argument.
func (w *work) Local(ctx context.Context, i int) (int, error) {
	w.local.run(5 * time.Millisecond)
	return i, nil
}

// Slow is a local activity that goes on after its time is over.
func (w *work) Slow(context.Context) error {
	time.Sleep(time.Second)
	return nil
}

// All is a workflow that runs all of them, and returns the sum of their results.
func All(ctx workflow.Context) (int, error) {
	var w *work // to name its methods
	retry := &temporal.RetryPolicy{InitialInterval: 10 * time.Millisecond}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute, RetryPolicy: retry})
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: time.Minute})
	var futures []workflow.Future
	for i := range activities {
		if i < failing {
			futures = append(futures, workflow.ExecuteActivity(ctx, w.Flaky, i))
		} else {
			futures = append(futures, workflow.ExecuteActivity(ctx, w.Remote, i))
		}
	}
	for i := range locals {
		futures = append(futures, workflow.ExecuteLocalActivity(ctx, w.Local, i))
	}
	// While activities run: the one that begins a session is none of theirs.
	session, err := workflow.CreateSession(ctx, &workflow.SessionOptions{CreationTimeout: time.Minute, ExecutionTimeout: time.Minute})
	if err != nil {
		return 0, err
	}
	defer workflow.CompleteSession(session)
	sum := 0
	for _, f := range futures {
		var n int
		if err := f.Get(ctx, &n); err != nil {
			return 0, err
		}
		sum += n
	}

	short := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout: 50 * time.Millisecond, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	if err := workflow.ExecuteLocalActivity(short, w.Slow).Get(ctx, nil); !temporal.IsTimeoutError(err) {
		return 0, fmt.Errorf("the slow one ended with %v, want a timeout", err)
	}

	for i := range inSession {
		var n int
		if err := workflow.ExecuteActivity(session, w.Remote, i).Get(session, &n); err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func TestServer(t *testing.T) {
	server := temporaltest.NewServer(temporaltest.WithT(t))
	const limit, raised = 4, 16
	l, local := setTo(sweetspot.New(), limit), setTo(sweetspot.New(), 3)
	tuner := &temporallimit.Tuner{Activities: l, LocalActivities: local}
	jobs := new(work)
	w := worker.New(server.GetDefaultClient(), "queue", tuner.Tune(worker.Options{
		EnableSessionWorker: true, MaxConcurrentActivityTaskPollers: 4, WorkerStopTimeout: 20 * time.Second,
	}))
	w.RegisterActivity(jobs)
	w.RegisterWorkflow(All)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	run := func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		started, err := server.GetDefaultClient().ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: "queue"}, All)
		if err != nil {
			t.Fatal(err)
		}
		var sum int
		if err := started.Get(ctx, &sum); err != nil {
			t.Fatal(err)
		}
		if want := activities*(activities-1) + locals*(locals-1)/2 + inSession*(inSession-1); sum != want {
			t.Errorf("the sum is %d, want %d", sum, want)
		}
	}
	// The session's queue may have a poll beyond the limit.
	run()
	if n := jobs.all.most; n < limit || n > limit+1 {
		t.Errorf("%d at a time, want %d or one more", n, limit)
	}
	l.SetLimit(raised)
	run()
	if n := jobs.all.most; n <= limit+1 || n > raised+1 {
		t.Errorf("%d at a time after the limit was raised, want %d at most", n, raised+1)
	}
	if n := jobs.local.most; n < 1 || n > 3 {
		t.Errorf("%d local activities at a time, want 3 at most", n)
	}
	w.Stop()
	const done = 2 * (activities + inSession + 1) // the SDK ends a session by an activity
	if s := l.Stats(); s.Completed != done || s.InFlight != 0 || s.Overloads != 0 || s.Ignored < 2*failing {
		t.Errorf("%d done, %d ignored, %d overloads, %d in flight; want %d, %d at least, none and none",
			s.Completed, s.Ignored, s.Overloads, s.InFlight, done, 2*failing)
	}
	if s := local.Stats(); s.Completed != 2*locals || s.InFlight != 0 || s.Overloads != 2 {
		t.Errorf("local: %d done, %d overloads, %d in flight; want %d, 2 and none", s.Completed, s.Overloads, s.InFlight, 2*locals)
	}
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}
