package natslimit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
)

// BenchmarkOverhead handles empty jobs: the result of each is recorded once, by key,
// and its acknowledgement confirmed. It says how the rate of Consume compares with
// that of the bare client doing the same with as many goroutines, each of which
// fetches one message after the other, and with one that fetches in batches of 100
// for all of them; and what it is if Record does it, without a permit.
//
//	go test -bench Overhead -benchtime 1x
func BenchmarkOverhead(b *testing.B) {
	const jobs = 20_000
	const rounds = 3
	s := serve(b, jetstream.ConsumerConfig{MaxWaiting: 2048})
	round := 0
	measure := func(run func(ctx context.Context, done func(context.Context, jetstream.Msg) error)) float64 {
		round++
		kv := must(s.js.CreateKeyValue(b.Context(), jetstream.KeyValueConfig{Bucket: fmt.Sprint("results", round), Storage: jetstream.MemoryStorage}))
		s.push(0, jobs)
		ctx, cancel := context.WithCancel(b.Context())
		defer cancel()
		var left atomic.Int64
		left.Store(jobs)
		began := time.Now()
		run(ctx, func(ctx context.Context, m jetstream.Msg) error {
			if _, err := kv.Create(context.WithoutCancel(ctx), string(m.Data()), nil); err != nil && !errors.Is(err, jetstream.ErrKeyExists) {
				return err
			}
			if left.Add(-1) == 0 {
				cancel()
			}
			return nil
		})
		took := time.Since(began)
		s.eventually("all are acknowledged", func() bool { i := s.info(); return i.NumPending == 0 && i.NumAckPending == 0 })
		must(0, s.js.DeleteKeyValue(b.Context(), kv.Bucket()))
		return jobs / took.Seconds()
	}
	bare := func(n, batch int) func(context.Context, func(context.Context, jetstream.Msg) error) {
		return func(ctx context.Context, done func(context.Context, jetstream.Msg) error) {
			messages := make(chan jetstream.Msg)
			var wg sync.WaitGroup
			do := func(m jetstream.Msg) {
				if done(ctx, m) == nil {
					must(0, m.DoubleAck(context.WithoutCancel(ctx)))
				}
			}
			for range n {
				wg.Go(func() {
					if batch > 0 {
						for m := range messages {
							do(m)
						}
						return
					}
					for ctx.Err() == nil {
						if m, err := s.consumer.Next(jetstream.FetchMaxWait(100 * time.Millisecond)); err == nil {
							do(m)
						}
					}
				})
			}
			for batch > 0 && ctx.Err() == nil {
				fetched := must(s.consumer.Fetch(batch, jetstream.FetchMaxWait(100*time.Millisecond)))
				for m := range fetched.Messages() {
					messages <- m
				}
			}
			close(messages)
			wg.Wait()
		}
	}
	with := func(l *sweetspot.Limiter, opts ...natslimit.Option) func(context.Context, func(context.Context, jetstream.Msg) error) {
		return func(ctx context.Context, done func(context.Context, jetstream.Msg) error) {
			if err := natslimit.Consume(ctx, s.consumer, l, done, opts...); ctx.Err() == nil {
				b.Error(err)
			}
		}
	}
	ours := func() func(context.Context, func(context.Context, jetstream.Msg) error) {
		return with(sweetspot.New())
	}
	aside := func(ctx context.Context, done func(context.Context, jetstream.Msg) error) {
		ours()(ctx, func(ctx context.Context, m jetstream.Msg) error {
			natslimit.Record(ctx, func(ctx context.Context) error { return done(ctx, m) })
			return nil
		})
	}
	for b.Loop() {
		for _, n := range []int{8} {
			var one, many, fixed, auto, record []float64
			for range rounds {
				one = append(one, measure(bare(n, 0)))
				fixed = append(fixed, measure(with(setTo(sweetspot.New(), n))))
				many = append(many, measure(bare(n, 100)))
				auto = append(auto, measure(ours()))
				record = append(record, measure(aside))
			}
			o, m, f, a, r := median(one), median(many), median(fixed), median(auto), median(record)
			b.ReportMetric(f/o, fmt.Sprintf("fixed%d/single", n))
			b.ReportMetric(f/m, fmt.Sprintf("fixed%d/batch", n))
			b.ReportMetric(r/m, "record/batch")
			fmt.Fprintf(os.Stderr, "%3d at a time: bare one by one %6.0f/s, bare in batches %6.0f/s, Consume %6.0f/s (%.2f, %.2f), automatic %6.0f/s (%.2f, %.2f), with Record %6.0f/s (%.2f, %.2f)\n",
				n, o, m, f, f/o, f/m, a, a/o, a/m, r, r/o, r/m)
		}
	}
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// A downstream serves capacity jobs at a time, each in 20 ms. What comes beyond that
// queues up or, if it thrashes, slows all down.
type downstream struct {
	seats    chan struct{}
	thrashes bool
	now      atomic.Int64
	done     atomic.Int64
	time     atomic.Int64 // in it, ns
}

const capacity = 24

func newDownstream(thrashes bool) *downstream {
	return &downstream{seats: make(chan struct{}, capacity), thrashes: thrashes}
}

func (d *downstream) call(ctx context.Context) error {
	began := time.Now()
	n := d.now.Add(1)
	defer d.now.Add(-1)
	service := 20 * time.Millisecond
	if d.thrashes {
		service = time.Duration(float64(service) * math.Pow(max(1, float64(n)/capacity), 1.5))
	} else {
		select {
		case d.seats <- struct{}{}:
			defer func() { <-d.seats }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	select {
	case <-time.After(service):
	case <-ctx.Done():
		return ctx.Err()
	}
	d.done.Add(1)
	d.time.Add(int64(time.Since(began)))
	return nil
}

// BenchmarkFleet lets four workers share a downstream with a capacity of 24 jobs: with
// fixed totals, with a Limiter each and nothing else, and with a Fleet. What finds its
// limit by itself runs for 60 s, from its first job on, and what is fixed for 20 s. It
// reports the jobs per second of the whole run, the search included, and of its second
// half, and the mean time of a job in the downstream.
//
//	go test -run '^$' -bench Fleet -benchtime 1x -timeout 20m
//	go test -run '^$' -bench 'Fleet/thrashes/limiters' -benchtime 1x
func BenchmarkFleet(b *testing.B) {
	const auto, fixed = 60 * time.Second, 20 * time.Second
	for _, thrashes := range []bool{false, true} {
		b.Run(map[bool]string{false: "queues", true: "thrashes"}[thrashes], func(b *testing.B) {
			for _, total := range []int{16, 20, 24, 28, 32} {
				b.Run(fmt.Sprint("fixed", total), func(b *testing.B) {
					shared{thrashes: thrashes, length: fixed, total: total}.measure(b, 64)
				})
			}
			b.Run("unlimited", func(b *testing.B) {
				shared{thrashes: thrashes, length: fixed, total: -1}.measure(b, 256)
			})
			b.Run("limiters", func(b *testing.B) { shared{thrashes: thrashes, length: auto, total: -1}.measure(b, 0) })
			b.Run("both", func(b *testing.B) { shared{thrashes: thrashes, length: auto, total: -1, fleet: true}.measure(b, 0) })
			b.Run("fleet", func(b *testing.B) {
				shared{thrashes: thrashes, length: auto, total: -1, fleet: true}.measure(b, 64)
			})
		})
	}
}

// shared is four workers and their downstream.
type shared struct {
	thrashes bool
	length   time.Duration
	total    int // MaxAckPending
	fleet    bool
}

// measure lets workers with such Limiters work for the length.
func (f shared) measure(b *testing.B, limit int) {
	const workers = 4
	var rate, late, mean float64
	for b.Loop() {
		s := serve(b, jetstream.ConsumerConfig{MaxAckPending: f.total})
		s.push(0, int(1300*f.length.Seconds()))
		d := newDownstream(f.thrashes)
		kv := must(s.js.CreateKeyValue(b.Context(), jetstream.KeyValueConfig{Bucket: "fleet"}))
		ctx, cancel := context.WithCancel(b.Context())
		var wg sync.WaitGroup
		began := time.Now()
		for range workers {
			consumer, js := s.worker()
			var o []natslimit.Option
			if f.fleet {
				o = append(o, natslimit.Share(natslimit.NewFleet(js, must(js.KeyValue(ctx, kv.Bucket())))))
			}
			l := sweetspot.New()
			if limit > 0 {
				l.SetLimit(limit)
			}
			wg.Go(func() {
				natslimit.Consume(ctx, consumer, l, func(ctx context.Context, _ jetstream.Msg) error { return d.call(ctx) }, o...)
			})
		}
		time.Sleep(f.length / 2)
		half, halfway := d.done.Load(), time.Now()
		time.Sleep(f.length / 2)
		done, spent, now := d.done.Load(), d.time.Load(), time.Now()
		rate = float64(done) / now.Sub(began).Seconds()
		late = float64(done-half) / now.Sub(halfway).Seconds()
		mean = float64(spent) / float64(max(done, 1)) / 1e6
		if f.fleet {
			st := must(natslimit.LoadFleet(ctx, kv, "jobs", "work"))
			for _, c := range st.Changes {
				b.Log(c.At.Format("05.000"), c.Why)
			}
		}
		cancel()
		wg.Wait()
	}
	b.ReportMetric(rate, "jobs/s")
	b.ReportMetric(late, "second-half-jobs/s")
	b.ReportMetric(mean, "ms/job")
	b.ReportMetric(0, "ns/op")
}
