package franzlimit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/panics"
	"github.com/sweetspot-go/sweetspot/internal/pause"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A Handler does the work of a record. Its ctx carries the permit (see
// [sweetspot.Limiter.Do]).
type Handler func(ctx context.Context, r *kgo.Record) error

// Consume joins a consumer group and calls handle with the records of the partitions
// that it is assigned, each under a permit of limiter. The records of a partition are
// handled one after the other, those of several partitions at the same time. The
// Limiter maps the error of handle to an outcome (see [sweetspot.Classify]).
//
// The options are those of [kgo.NewClient]; they must name a [kgo.ConsumerGroup].
// Consume sets [kgo.BlockRebalanceOnPoll], [kgo.AutoCommitMarks],
// [kgo.OnPartitionsRevoked] and [kgo.OnPartitionsLost] itself.
//
// It returns context.Cause of ctx when that is done, or the first error of handle, with the
// topic, partition and offset of its record, or an error of the client that a retry does not
// cure. In each case it takes no more records, cancels the ctx of the running handlers, waits
// for them, commits what was finished, and leaves the group. If that commit fails, or
// nobody knows whether it succeeded because the context of a [kgo.WithContext] in opts has ended,
// the result is joined with its error. If the cluster does not answer, it gives up ten seconds
// after the last handler, unless opts have a [kgo.WithContext].
//
// If handle panics, the others are cancelled and waited for, and Consume panics with a
// [*sweetspot.PanicError]; if handle calls [runtime.Goexit], so does Consume. Nothing
// runs after Consume has returned. It panics if limiter or handle is nil, and if ctx
// carries a permit of limiter, for which its own records would wait.
//
// A record costs one [sweetspot.Limiter.Do] beside its handler.
func Consume(ctx context.Context, limiter *sweetspot.Limiter, handle Handler, opts ...kgo.Opt) error {
	switch {
	case limiter == nil:
		panic("sweetspot: Consume without a Limiter: want one, such as sweetspot.New()")
	case handle == nil:
		panic("sweetspot: Consume without a handler: want a function")
	case limiter.Holds(ctx):
		panic("sweetspot: Consume under a permit of its own Limiter: want a ctx from outside of that Do")
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	c := &consumption{limiter: limiter, handle: handle, partitions: map[name]*partition{}}
	c.work, c.fail = context.WithCancelCause(ctx)
	defer c.fail(nil)
	life, end := context.WithCancel(context.Background()) // of the client, unless opts say otherwise
	defer end()
	client, err := kgo.NewClient(slices.Concat([]kgo.Opt{kgo.WithContext(life)}, opts, []kgo.Opt{
		kgo.BlockRebalanceOnPoll(), kgo.AutoCommitMarks(),
		kgo.OnPartitionsRevoked(c.revoked), kgo.OnPartitionsLost(c.lost),
	})...)
	if err != nil {
		return fmt.Errorf("sweetspot: Consume: %w", err)
	}
	var farewell sync.WaitGroup
	farewell.Go(func() { c.bound(life, end) })
	farewell.Go(func() { c.introduce(client) })
	for c.work.Err() == nil {
		c.take(client, client.PollFetches(c.work))
		client.AllowRebalance()
	}
	c.running.Wait()
	err = leave(ctx, client)
	end()
	farewell.Wait()
	c.failure.Resume()
	if err != nil {
		return errors.Join(context.Cause(c.work), err)
	}
	return context.Cause(c.work)
}

// A consumption is one Consume under way.
type consumption struct {
	limiter *sweetspot.Limiter
	handle  Handler
	work    context.Context // of all handlers
	fail    context.CancelCauseFunc
	running sync.WaitGroup // the goroutines of partitions

	mu         sync.Mutex
	partitions map[name]*partition
	failure    panics.Failure // of a handler
	ending     bool           // no partition begins any more
}

// take gives each partition its records. Rebalances are blocked meanwhile: a partition
// that a fetch names is assigned.
func (c *consumption) take(client *kgo.Client, fetches kgo.Fetches) {
	fetches.EachError(func(topic string, number int32, err error) {
		of := "Consume"
		if topic != "" {
			of = fmt.Sprintf("topic %q, partition %d", topic, number)
		}
		if fatal(err) {
			c.fail(fmt.Errorf("sweetspot: %s: %w", of, err))
		}
	})
	fetches.EachPartition(func(f kgo.FetchTopicPartition) {
		if len(f.Records) > 0 {
			c.partition(client, name{f.Topic, f.Partition}).add(f.Records)
		}
	})
}

// fatal reports whether the client cannot be expected to go on after err. It retries
// what is worth it, and says why in its log. It joins a group again after any error, though
// some of them stay.
func fatal(err error) bool {
	if _, session := errors.AsType[*kgo.ErrGroupSession](err); session {
		return slices.ContainsFunc(refusals, func(r *kerr.Error) bool { return errors.Is(err, r) })
	}
	_, lost := errors.AsType[*kgo.ErrDataLoss](err)
	return !lost && !kerr.IsRetriable(err)
}

// refusals are what a group answers, however often this member asks to join it.
var refusals = []*kerr.Error{kerr.GroupAuthorizationFailed, kerr.TopicAuthorizationFailed, kerr.InvalidGroupID,
	kerr.InvalidSessionTimeout, kerr.FencedInstanceID, kerr.UnsupportedVersion}

// refusedFor is how long the brokers refuse this client before that is believed: some do so for a while
// after a user was made, or its password changed.
var refusedFor = 5 * time.Second

// introduce ends the work if the brokers refuse this client, and none knows it. franz-go tries for ever,
// and says so in its log alone, which is discarded unless there is a [kgo.WithLogger].
func (c *consumption) introduce(client *kgo.Client) {
	question := kmsg.NewPtrMetadataRequest()
	question.Topics = []kmsg.MetadataRequestTopic{} // none; nil would be all
	var since time.Time                             // all answers are refusals
	for wait := refusedFor / 20; ; wait = min(2*wait, refusedFor/2) {
		var refusal error
		for _, seed := range client.SeedBrokers() { // each: Client.Ping returns the last one's error
			_, err := seed.Request(c.work, question)
			if err == nil {
				return
			}
			if errors.Is(err, kerr.SaslAuthenticationFailed) || errors.Is(err, kerr.UnsupportedSaslMechanism) {
				refusal = err
			}
		}
		switch {
		case refusal == nil: // all are away
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		case time.Since(since) >= refusedFor:
			c.fail(fmt.Errorf("sweetspot: Consume: %w", refusal))
		}
		if pause.Sleep(c.work, wait) != nil {
			return
		}
	}
}

func (c *consumption) partition(client *kgo.Client, of name) *partition {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.partitions[of]
	if p == nil {
		p = &partition{c: c, client: client, name: of}
		p.ctx, p.cancel = context.WithCancelCause(c.work)
		c.partitions[of] = p
	}
	return p
}

// revoked is called by the client before other members get the partitions.
func (c *consumption) revoked(ctx context.Context, client *kgo.Client, of map[string][]int32) {
	patience, _ := client.OptValue(kgo.RebalanceTimeout).(time.Duration)
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c.release(wait, of, false)
	commit, cancel := context.WithTimeout(ctx, leaveWithin) // handlers may have used up wait
	defer cancel()
	_ = client.CommitMarkedOffsets(commit) // what it cannot commit comes again
}

// lost is called by the client when other members may have the partitions already.
func (c *consumption) lost(ctx context.Context, _ *kgo.Client, of map[string][]int32) {
	c.release(ctx, of, true)
}

// release ends the work on partitions. Handlers have until ctx is done to finish.
func (c *consumption) release(ctx context.Context, of map[string][]int32, lost bool) {
	var gone []*partition
	c.mu.Lock()
	for topic, numbers := range of {
		for _, number := range numbers {
			if p := c.partitions[name{topic, number}]; p != nil {
				delete(c.partitions, p.name)
				gone = append(gone, p)
			}
		}
	}
	c.mu.Unlock()
	for _, p := range gone {
		p.revoke(lost)
	}
	for _, p := range gone {
		p.wait(ctx)
	}
}

// crashed takes down that a handler did not return.
func (c *consumption) crashed(failure panics.Failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failure.Join(failure)
	c.fail(errCrashed)
}

// errCrashed is the cause that the ctx of handlers has when another one panicked.
var errCrashed = errors.New("sweetspot: another handler panicked")

// leaveWithin bounds the farewell, to partitions or the group, if the cluster does not answer.
var leaveWithin = 10 * time.Second

// start starts the goroutine of a partition, unless the work ends.
func (c *consumption) start(p *partition) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ending {
		p.ended = make(chan struct{})
		c.running.Go(p.run)
	}
}

// bound ends the life of the client when the farewell takes too long. The ctx of a commit is not
// enough: it waits for earlier commits, the last poll waits for a rebalance that commits, and the
// client commits and leaves again when it is closed.
func (c *consumption) bound(life context.Context, end func()) {
	<-c.work.Done()
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	c.running.Wait()
	select {
	case <-life.Done():
	case <-time.After(leaveWithin):
		end()
	}
}

// leave commits what was finished, leaves the group, and closes the client.
func leave(ctx context.Context, client *kgo.Client) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
	defer cancel()
	// A client whose context has ended, which may be another than ours, has forgotten what is to be
	// committed, and says nothing of that.
	err := cmp.Or(client.CommitMarkedOffsets(ctx), client.Context().Err())
	if err != nil {
		err = fmt.Errorf("sweetspot: the last commit failed, so that records may come again: %w", err)
	}
	_ = client.LeaveGroupContext(ctx) // without it the group waits for the session timeout
	client.CloseAllowingRebalance()
	return err
}
