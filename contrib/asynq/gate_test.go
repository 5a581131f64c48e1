package asynqlimit_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sweetspot-go/sweetspot"
	asynqlimit "github.com/sweetspot-go/sweetspot/contrib/asynq"
)

// take asks for a task as asynq's processor does, and returns how much is left of its lease.
func take(ctx context.Context, g asynqlimit.Gate, answer error) (left time.Duration, err error) {
	hook := g.Hook(func(_ context.Context, cmd redis.Cmder) error {
		left = time.Until(time.Unix(cmd.Args()[7].(int64), 0))
		return answer
	})
	err = hook(ctx, redis.NewCmd(ctx, "evalsha", "sha", 4, "q:pending", "q:paused", "q:active", "q:lease",
		time.Now().Add(30*time.Second).Unix(), "q:t:"))
	return left, err
}

// However long a permit takes, the task has all of its lease.
func TestLeaseIsFresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 1)
		u, _ := l.Begin(t.Context())
		time.AfterFunc(40*time.Second, func() { u.End(sweetspot.Done, 1) })
		g := asynqlimit.NewGate(l)
		defer g.Close()
		if _, err := take(t.Context(), g, nil); err == nil || err == redis.Nil {
			t.Fatalf("error %v; want one other than redis.Nil, so that asynq asks again at once", err)
		}
		left, err := take(t.Context(), g, redis.Nil)
		if err != redis.Nil || left < 28*time.Second {
			t.Errorf("%v, with %v left of the lease", err, left)
		}
		if left, err = take(t.Context(), g, redis.Nil); err != redis.Nil || left < 28*time.Second {
			t.Errorf("the next queue, at the same moment: %v, with %v left of the lease", err, left)
		}
		if time.Sleep(time.Second); l.Stats().InFlight != 0 {
			t.Errorf("%d permits out", l.Stats().InFlight)
		}
	})
}

// A queue is asked although one before it is empty and each permit comes late.
func TestLatePermitsReachEachQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 1)
		busy, stop := context.WithCancel(t.Context())
		for range 2 { // somebody else always waits
			go func() {
				for busy.Err() == nil {
					l.Do(busy, func(context.Context) error { time.Sleep(6 * time.Second); return nil })
				}
			}()
		}
		time.Sleep(time.Second)
		g := asynqlimit.NewGate(l)
		served := false
		for range 5 {
			if _, err := take(t.Context(), g, redis.Nil); err != redis.Nil {
				continue // asynq begins anew
			}
			if _, err := take(t.Context(), g, nil); err == nil {
				served = true
				break
			}
		}
		if !served {
			t.Error("the second queue was never asked")
		}
		stop()
		g.Close()
		time.Sleep(time.Minute)
		_, _ = take(t.Context(), g, nil) // takes back the permit of the task, which nobody began
	})
}

// A permit that came late is given back if asynq asks no more.
func TestLatePermitWhenTheServerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 1)
		u, _ := l.Begin(t.Context())
		time.AfterFunc(40*time.Second, func() { u.End(sweetspot.Done, 1) })
		g := asynqlimit.NewGate(l)
		if _, err := take(t.Context(), g, nil); err == nil {
			t.Fatal("the late permit took a task")
		}
		g.Close()
		time.Sleep(time.Second)
		if n := l.Stats().InFlight; n != 0 {
			t.Errorf("%d permits out", n)
		}
	})
}

// A permit that arrives while the gate closes does not count as a task, whatever Classify says of
// errors.
func TestPermitOfAClosedGate(t *testing.T) {
	l := setTo(sweetspot.New(sweetspot.Classify(func(error) sweetspot.Outcome { return sweetspot.Overloaded })), 1)
	g := asynqlimit.NewGate(l)
	g.Close()
	for range 1000 { // some get their permit before they see that it is closed
		if _, err := take(t.Context(), g, nil); err != redis.Nil {
			t.Fatalf("error %v, want redis.Nil", err)
		}
	}
	atRest(t, l)
	if n := l.Stats().Overloads; n != 0 {
		t.Errorf("%d overloads without a task", n)
	}
}
