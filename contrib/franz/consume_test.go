package franzlimit_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/sweetspot-go/sweetspot"
	franzlimit "github.com/sweetspot-go/sweetspot/contrib/franz"
)

var errStop = errors.New("enough")

// TestOrder: partitions keep their order, several are in flight, as many as the limit
// allows, and what was handled is committed.
func TestOrder(t *testing.T) {
	const partitions, each, limit = 12, 50, 4
	c := newCluster(t, partitions)
	c.produce(each, numbers(partitions)...)
	ctx, cancel := context.WithCancelCause(t.Context())
	j := newJournal(partitions*each, func() { cancel(errStop) })
	l := setTo(sweetspot.New(), limit)
	handle := func(ctx context.Context, r *kgo.Record) error {
		if !j.begin(r) {
			t.Errorf("two records of partition %d at a time", r.Partition)
		}
		if !l.Holds(ctx) {
			t.Error("the ctx of a handler has no permit")
		}
		// The limit is reached before anything is handled.
		for end := time.Now().Add(30 * time.Second); j.peak() < limit && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		j.end(r)
		return nil
	}
	if err := c.consume(ctx, l, handle); err != errStop {
		t.Errorf("got %v, want the cause of ctx", err)
	}
	j.onceInOrder(t, each, partitions)
	if j.most != limit {
		t.Errorf("%d records in flight at a time, want %d", j.most, limit)
	}
	if got := l.Stats(); got.Completed != partitions*each || got.InFlight != 0 || got.Waiting != 0 {
		t.Errorf("%d units done, %d permits out, %d wait: want %d, 0, 0", got.Completed, got.InFlight, got.Waiting, partitions*each)
	}

	// Whoever comes next goes on after that.
	c.produce(1, numbers(partitions)...)
	ctx, cancel = context.WithCancelCause(t.Context())
	again := newJournal(partitions, func() { cancel(errStop) })
	if err := c.consume(ctx, l, func(_ context.Context, r *kgo.Record) error {
		again.begin(r)
		if r.Offset != each {
			t.Errorf("offset %d of partition %d comes again", r.Offset, r.Partition)
		}
		again.end(r)
		return nil
	}); err != errStop {
		t.Errorf("got %v, want the cause of ctx", err)
	}
}

// TestRebalance: while members come and go, each record is handled once, in order, and
// never beside another one of its partition.
func TestRebalance(t *testing.T) {
	const partitions, first, each = 8, 50, 150
	c := newCluster(t, partitions)
	c.produce(first, numbers(partitions)...)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	j := newJournal(partitions*each, func() { cancel(errStop) })
	var handledBy [3]atomic.Int64
	var members sync.WaitGroup
	assigned := make(chan struct{})
	join := func(number int, ctx context.Context, opts ...kgo.Opt) {
		members.Go(func() {
			err := c.consume(ctx, setTo(sweetspot.New(), 4), func(_ context.Context, r *kgo.Record) error {
				if !j.begin(r) {
					t.Errorf("two records of partition %d at a time", r.Partition)
				}
				time.Sleep(2 * time.Millisecond)
				handledBy[number].Add(1)
				j.end(r)
				return nil
			}, opts...)
			if err != errStop {
				t.Errorf("member %d: got %v, want the cause of ctx", number, err)
				cancel(err)
			}
		})
	}
	// Each member stays until the next one has work.
	join(0, ctx)
	second, leave := context.WithCancelCause(ctx)
	for number, begun := range []int64{10, 10} {
		for handledBy[number].Load() < begun && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		if number == 0 {
			once := sync.OnceFunc(func() { close(assigned) })
			join(1, second, kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, got map[string][]int32) {
				if len(got) > 0 {
					once()
				}
			}))
			select { // the first one may be through with what there is before the second one has joined
			case <-assigned:
				c.produce(each-first, numbers(partitions)...)
			case <-ctx.Done():
			}
		} else {
			leave(errStop)
			join(2, ctx)
		}
	}
	members.Wait()
	leave(nil)
	j.onceInOrder(t, each, partitions)
	t.Logf("handled by the members: %d, %d, %d", handledBy[0].Load(), handledBy[1].Load(), handledBy[2].Load())
	if handledBy[1].Load() == 0 {
		t.Error("the second member had nothing to do")
	}
}

// TestPause: a partition whose handler is slow is fetched up to a bound, keeps no others
// from being fetched, and is fetched again when it goes on.
func TestPause(t *testing.T) {
	const batches, batch, bound = 8, 400, 1000
	// A fetch is the batches that 1 KiB has room for, records of at least 7 bytes, and one.
	const fetch, most = 1024, 1024/7 + batch
	c := newCluster(t, 2)
	for range batches {
		c.produce(batch, 0)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	j := newJournal(2*batches*batch, func() { cancel(errStop) })
	var fast atomic.Int64
	slow := new(polled)
	began, passed := make(chan struct{}), make(chan struct{})
	go func() {
		<-began
		for range batches {
			c.produce(batch, 1)
		}
	}()
	err := c.consume(ctx, setTo(sweetspot.New(), 2), func(ctx context.Context, r *kgo.Record) error {
		j.begin(r)
		switch {
		case r.Partition == 0 && r.Offset == 0:
			close(began)
			select {
			case <-passed:
			case <-ctx.Done():
				return ctx.Err()
			}
			// The client drops what it had fetched before the pause, and counts it as polled.
			if n := slow.records.Load(); n > bound+2*most {
				t.Errorf("%d records of the slow partition were taken, want %d and at most two fetches", n, bound)
			}
		case r.Partition == 1 && fast.Add(1) == batches*batch:
			close(passed)
		}
		j.end(r)
		return nil
	}, kgo.FetchMaxPartitionBytes(fetch), kgo.WithHooks(slow))
	if err != errStop {
		t.Errorf("got %v, want the cause of ctx", err)
	}
	j.onceInOrder(t, batches*batch, 2)
}

// polled counts the records of partition 0 that were taken.
type polled struct{ records atomic.Int64 }

func (p *polled) OnFetchRecordUnbuffered(r *kgo.Record, polled bool) {
	if polled && r.Partition == 0 {
		p.records.Add(1)
	}
}

// TestFailure: the first error ends Consume, names its record, and that record comes
// again; what was finished does not.
func TestFailure(t *testing.T) {
	c := newCluster(t, 1)
	c.produce(5, 0)
	broken := errors.New("broken")
	l := sweetspot.New()
	var offsets []int64
	for _, fail := range []bool{true, false} {
		ctx, cancel := context.WithCancelCause(t.Context())
		err := c.consume(ctx, l, func(_ context.Context, r *kgo.Record) error {
			offsets = append(offsets, r.Offset)
			if fail && r.Offset == 2 {
				return broken
			}
			if r.Offset == 4 {
				cancel(errStop)
			}
			return nil
		})
		cancel(nil)
		if fail && (!errors.Is(err, broken) || !strings.Contains(err.Error(), `topic "orders", partition 0, offset 2`)) {
			t.Errorf("got %v, want the handler's error with its record", err)
		}
		if !fail && err != errStop {
			t.Errorf("got %v, want the cause of ctx", err)
		}
	}
	want := []int64{0, 1, 2, 2, 3, 4}
	if len(offsets) != len(want) {
		t.Fatalf("handled %v, want %v", offsets, want)
	}
	for i := range want {
		if offsets[i] != want[i] {
			t.Fatalf("handled %v, want %v", offsets, want)
		}
	}
	if got := l.Stats(); got.Ignored != 1 {
		t.Errorf("%d units ignored, want the failed one", got.Ignored)
	}
}

// TestEnd: what a handler does instead of returning reaches the caller, after the
// other handlers have ended.
func TestEnd(t *testing.T) {
	c := newCluster(t, 2)
	c.produce(1, 0, 1)
	for name, end := range map[string]func(){
		"panic":  func() { panic("broken") },
		"goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			l := setTo(sweetspot.New(), 2)
			var both sync.WaitGroup
			both.Add(2)
			var other atomic.Bool
			var panicked any
			returned := false
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer func() { panicked = recover() }()
				_ = c.consume(t.Context(), l, func(ctx context.Context, r *kgo.Record) error {
					both.Done()
					both.Wait()
					if r.Partition == 0 {
						end()
					}
					<-ctx.Done()
					other.Store(true)
					return context.Cause(ctx)
				})
				returned = true
			}()
			<-done
			if returned || !other.Load() {
				t.Errorf("Consume returned: %v; the other handler ended: %v", returned, other.Load())
			}
			p, ok := panicked.(*sweetspot.PanicError)
			if name == "panic" && (!ok || p.Value != "broken" || !strings.Contains(string(p.Stack), "TestEnd")) {
				t.Errorf("panicked with %v, want a *PanicError with the stack of the handler", panicked)
			}
			if name == "goexit" && panicked != nil {
				t.Errorf("panicked with %v", panicked)
			}
			if got := l.Stats(); got.InFlight != 0 || got.Waiting != 0 || got.Completed != 0 {
				t.Errorf("%d permits out, %d wait, %d done", got.InFlight, got.Waiting, got.Completed)
			}
		})
	}
}

// TestCancel: a cancelled handler's record comes again, unless it finishes anyway.
func TestCancel(t *testing.T) {
	c := newCluster(t, 2)
	c.produce(1, 0, 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	var both sync.WaitGroup
	both.Add(2)
	go func() { both.Wait(); cancel(errStop) }()
	if err := c.consume(ctx, setTo(sweetspot.New(), 2), func(ctx context.Context, r *kgo.Record) error {
		both.Done()
		<-ctx.Done()
		if r.Partition == 0 {
			return ctx.Err()
		}
		return nil // finished
	}); err != errStop {
		t.Errorf("got %v, want the cause of ctx", err)
	}
	c.produce(1, 0, 1)
	var got atomic.Int64 // records of partition 0 × 10 + those of 1
	ctx, cancel = context.WithCancelCause(t.Context())
	if err := c.consume(ctx, sweetspot.New(), func(_ context.Context, r *kgo.Record) error {
		if got.Add([]int64{10, 1}[r.Partition]) == 21 {
			cancel(errStop)
		}
		return nil
	}); err != errStop {
		t.Errorf("got %v after %d, want the cause of ctx", err, got.Load())
	}
}

// TestLost: when the group has dropped the member, the ctx of its handlers is cancelled,
// and what they were at is not committed but comes again.
func TestLost(t *testing.T) {
	c := newCluster(t, 1)
	c.produce(1, 0)
	ctx, cancel := context.WithCancelCause(t.Context())
	var calls atomic.Int64
	err := c.consume(ctx, sweetspot.New(), func(ctx context.Context, r *kgo.Record) error {
		if calls.Add(1) > 1 {
			cancel(errStop)
			return nil
		}
		c.ControlKey(kmsg.Heartbeat.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
			resp := req.ResponseKind().(*kmsg.HeartbeatResponse)
			resp.ErrorCode = kerr.UnknownMemberID.Code
			return resp, nil, true
		})
		<-ctx.Done()
		return nil // too late: another member may have done it
	})
	if err != errStop || calls.Load() != 2 {
		t.Errorf("got %v after %d calls, want the cause of ctx after 2", err, calls.Load())
	}
}

// TestFinishedAtTheEndOfPatience: what a handler finishes when its time for that is over is
// committed, before another member gets the partition.
func TestFinishedAtTheEndOfPatience(t *testing.T) {
	c := newCluster(t, 2)
	c.produce(2, 0, 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	var members sync.WaitGroup
	join := func(patience time.Duration, handle franzlimit.Handler) {
		members.Go(func() {
			err := c.consume(ctx, setTo(sweetspot.New(), 2), handle,
				kgo.RebalanceTimeout(patience), kgo.AutoCommitInterval(time.Hour))
			if err != errStop {
				t.Errorf("got %v, want the cause of ctx", err)
				cancel(err)
			}
		})
	}
	var both sync.WaitGroup
	both.Add(2)
	join(500*time.Millisecond, func(ctx context.Context, _ *kgo.Record) error {
		both.Done()
		<-ctx.Done()
		return nil // finished
	})
	both.Wait()
	// The group waits for as long as the most patient member would.
	join(time.Minute, func(_ context.Context, r *kgo.Record) error {
		if r.Offset != 1 {
			t.Errorf("offset %d of partition %d comes again", r.Offset, r.Partition)
		}
		cancel(errStop)
		return nil
	})
	members.Wait()
}

// answerNoCommit leaves commits without an answer. The channel is closed once one has come.
func (c *cluster) answerNoCommit() <-chan struct{} {
	asked := make(chan struct{})
	once := sync.OnceFunc(func() { close(asked) })
	c.ControlKey(kmsg.OffsetCommit.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		once()
		return nil, nil, true
	})
	return asked
}

// TestFarewellIsBounded: a cluster that answers no commit does not keep Consume from its end,
// be it the last commit or an earlier one, for which the last one waits.
func TestFarewellIsBounded(t *testing.T) {
	for name, interval := range map[string]time.Duration{"last": time.Hour, "earlier": 100 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			franzlimit.LeaveWithin(t, 100*time.Millisecond)
			c := newCluster(t, 1)
			c.produce(2, 0)
			asked := c.answerNoCommit()
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan error, 1)
			go func() {
				ended <- c.consume(ctx, sweetspot.New(), func(_ context.Context, r *kgo.Record) error {
					if r.Offset == 1 {
						if name == "earlier" {
							<-asked
						}
						cancel(errStop)
					}
					return nil
				}, kgo.AutoCommitInterval(interval), kgo.RequestTimeoutOverhead(10*time.Minute))
			}()
			select {
			case err := <-ended:
				if !errors.Is(err, errStop) || !strings.Contains(err.Error(), "the last commit failed") {
					t.Errorf("got %v, want the cause of ctx, and that the last commit failed", err)
				}
			case <-time.After(30 * time.Second):
				t.Error("Consume has not returned after 30 s, and 100 ms are what leaving may take")
			}
		})
	}
}

// TestFarewellOfAnEndedClient: a client whose own context has ended commits nothing, and Consume says so.
func TestFarewellOfAnEndedClient(t *testing.T) {
	c := newCluster(t, 1)
	c.produce(2, 0)
	ctx, cancel := context.WithCancelCause(t.Context())
	own, end := context.WithCancel(t.Context())
	err := c.consume(ctx, sweetspot.New(), func(_ context.Context, r *kgo.Record) error {
		if r.Offset == 1 {
			cancel(errStop)
			end()
			time.Sleep(300 * time.Millisecond) // the client forgets meanwhile that the first is done
		}
		return nil
	}, kgo.WithContext(own), kgo.AutoCommitInterval(time.Hour))
	if !errors.Is(err, errStop) || !strings.Contains(err.Error(), "the last commit failed") {
		t.Errorf("got %v, want the cause of ctx, and that the last commit failed", err)
	}
}

// TestFarewellFromARebalanceIsBounded: nor does it in a rebalance, for which the last poll waits,
// and whose commit waits for an earlier one.
func TestFarewellFromARebalanceIsBounded(t *testing.T) {
	franzlimit.LeaveWithin(t, 100*time.Millisecond)
	c := newCluster(t, 2)
	c.produce(1, 0, 1)
	asked := c.answerNoCommit()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var both sync.WaitGroup
	both.Add(2)
	ended := make(chan error, 2)
	eager := kgo.Balancers(kgo.RangeBalancer())
	go func() {
		ended <- c.consume(ctx, setTo(sweetspot.New(), 2), func(handling context.Context, r *kgo.Record) error {
			both.Done()
			<-handling.Done() // the rebalance has begun
			if r.Partition == 1 {
				<-asked // to commit the other record
				cancel(errStop)
			}
			return nil
		}, eager, kgo.RebalanceTimeout(100*time.Millisecond), kgo.RequestTimeoutOverhead(10*time.Minute))
	}()
	both.Wait()
	go func() {
		ended <- c.consume(ctx, sweetspot.New(), func(context.Context, *kgo.Record) error { return nil }, eager)
	}()
	for range 2 {
		select {
		case err := <-ended:
			if !errors.Is(err, errStop) {
				t.Errorf("got %v, want the cause of ctx", err)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("Consume has not returned after 30 s, and 100 ms are what leaving may take")
		}
	}
}

// TestCannotJoin: a group that never takes this member ends Consume.
func TestCannotJoin(t *testing.T) {
	c := newCluster(t, 1)
	c.ControlKey(kmsg.JoinGroup.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.JoinGroupResponse)
		resp.ErrorCode = kerr.GroupAuthorizationFailed.Code
		return resp, nil, true
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	err := c.consume(ctx, sweetspot.New(), func(context.Context, *kgo.Record) error { return nil })
	if !errors.Is(err, kerr.GroupAuthorizationFailed) {
		t.Errorf("got %v, want the refusal", err)
	}
	if err != nil && strings.Contains(err.Error(), "partition") {
		t.Errorf("got %v, which names a partition: want the group alone", err)
	}
}

// TestRefused: brokers that go on refusing this client end Consume, which franz-go itself would try for
// ever, and those that are away hide no refusal.
func TestRefused(t *testing.T) {
	franzlimit.RefusedFor(t, 20*time.Millisecond)
	for _, test := range []struct {
		name string
		key  kmsg.Key // of what is refused
		with *kerr.Error
		away func(dial int64, address string) bool
	}{
		{"wrong password", kmsg.SASLAuthenticate, kerr.SaslAuthenticationFailed, func(int64, string) bool { return false }},
		{"wrong mechanism", kmsg.SASLHandshake, kerr.UnsupportedSaslMechanism, func(int64, string) bool { return false }},
		{"other brokers are away", kmsg.SASLAuthenticate, kerr.SaslAuthenticationFailed, func(_ int64, address string) bool { return strings.HasPrefix(address, "away") }},
		{"all are away at first", kmsg.SASLAuthenticate, kerr.SaslAuthenticationFailed, func(dial int64, _ string) bool { return dial <= 6 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := guarded(t, 1<<30, test.key, test.with)
			var dials atomic.Int64
			dial := func(ctx context.Context, network, address string) (net.Conn, error) {
				if test.away(dials.Add(1), address) {
					return nil, errors.New("away")
				}
				return (&net.Dialer{}).DialContext(ctx, network, c.ListenAddrs()[0])
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			err := franzlimit.Consume(ctx, sweetspot.New(), func(context.Context, *kgo.Record) error { return nil },
				member([]string{"away1:1", "kafka:1", "away2:1"}, billing, kgo.Dialer(dial))...)
			if !errors.Is(err, test.with) {
				t.Errorf("got %v, want the refusal", err)
			}
		})
	}
}

// TestRefusedForAWhile: a refusal that passes, as some brokers' after a password was set, ends nothing.
func TestRefusedForAWhile(t *testing.T) {
	franzlimit.RefusedFor(t, time.Minute) // a busy machine may make a while of the usual five seconds
	c := guarded(t, 3, kmsg.SASLAuthenticate, kerr.SaslAuthenticationFailed)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	joined := errors.New("joined")
	ctx, join := context.WithCancelCause(ctx)
	c.ControlKey(kmsg.JoinGroup.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		join(joined)
		return nil, nil, false
	})
	err := franzlimit.Consume(ctx, sweetspot.New(), func(context.Context, *kgo.Record) error { return nil },
		member(c.ListenAddrs(), billing, kgo.MetadataMinAge(10*time.Millisecond))...) // else it waits for five seconds
	if !errors.Is(err, joined) {
		t.Errorf("got %v, want that it goes on and joins the group", err)
	}
}

// guarded returns a cluster that wants a password, and refuses so many requests of one kind.
func guarded(t *testing.T, n int64, key kmsg.Key, with *kerr.Error) *kfake.Cluster {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"), kfake.EnableSASL(), kfake.Superuser("PLAIN", "billing", "right"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	var seen atomic.Int64
	c.ControlKey(key.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if seen.Add(1) > n {
			return nil, nil, false
		}
		switch resp := req.ResponseKind().(type) { // kfake itself only hangs up
		case *kmsg.SASLAuthenticateResponse:
			resp.ErrorCode = with.Code
			return resp, nil, true
		case *kmsg.SASLHandshakeResponse:
			resp.ErrorCode = with.Code
			return resp, nil, true
		}
		return nil, nil, false
	})
	return c
}

var billing = kgo.SASL(plain.Auth{User: "billing", Pass: "right"}.AsMechanism())

// TestMisuse: wrong arguments are named.
func TestMisuse(t *testing.T) {
	handle := func(context.Context, *kgo.Record) error { return nil }
	l := sweetspot.New()
	for want, call := range map[string]func(){
		"want one, such as sweetspot.New()": func() { _ = franzlimit.Consume(t.Context(), nil, handle) },
		"want a function":                   func() { _ = franzlimit.Consume(t.Context(), l, nil) },
		"want a ctx from outside of that Do": func() {
			_ = l.Do(t.Context(), func(ctx context.Context) error { return franzlimit.Consume(ctx, l, handle) })
		},
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, want) {
					t.Errorf("panicked with %q, want %q", got, want)
				}
			}()
			call()
		}()
	}
	if err := franzlimit.Consume(t.Context(), l, handle, kgo.ConsumeTopics("orders")); err == nil {
		t.Error("no error without a consumer group")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errStop)
	if err := franzlimit.Consume(ctx, l, handle); err != errStop {
		t.Errorf("got %v, want the cause of ctx", err)
	}
}
