package kedascale_test

import (
	"context"
	"encoding/json"
	"net"
	"sync"
	"testing"
	"time"

	pb "github.com/kedacore/keda/v2/pkg/scalers/externalscaler"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/sweetspot-go/sweetspot/contrib/keda"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A bed is a NATS server with a consumer, and what its workers have said.
type bed struct {
	testing.TB
	nc       *nats.Conn
	js       jetstream.JetStream
	consumer jetstream.Consumer

	mu    sync.Mutex
	times map[uint64]int // that a message was done
	wait  time.Duration
}

func newBed(t testing.TB) *bed {
	t.Helper()
	s := must(server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true}))
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	b := &bed{TB: t, times: map[uint64]int{}}
	b.nc = must(nats.Connect(s.ClientURL(), nats.Timeout(time.Minute)))
	t.Cleanup(b.nc.Close)
	b.js = must(jetstream.New(b.nc))
	stream := must(b.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "orders", Subjects: []string{"orders"}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage}))
	b.consumer = must(stream.CreateConsumer(t.Context(), jetstream.ConsumerConfig{
		Durable: "billing", AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Minute, MaxDeliver: -1, MaxAckPending: -1,
	}))
	must(b.nc.Subscribe("done", func(m *nats.Msg) {
		var d done
		if err := json.Unmarshal(m.Data, &d); err != nil {
			t.Error(err)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.times[d.Message]++
		b.wait += d.Wait
	}))
	return b
}

// push publishes a message that takes a worker so long.
func (b *bed) push(takes time.Duration) { must(b.js.PublishAsync("orders", []byte(takes.String()))) }

// done returns how many messages were done, how often that was said, and how long they
// have waited.
func (b *bed) done() (messages, times int, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.times {
		times += n
	}
	return len(b.times), times, b.wait
}

// dial serves a Server over gRPC as KEDA meets it.
func (b *bed) dial(every time.Duration) pb.ExternalScalerClient {
	s := kedascale.New(b.nc)
	s.Every = every
	g := grpc.NewServer()
	s.Register(g)
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- g.Serve(l) }()
	conn := must(grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials())))
	b.Cleanup(func() {
		_ = conn.Close()
		g.Stop()
		if err := <-served; err != nil {
			b.Error(err)
		}
	})
	return pb.NewExternalScalerClient(conn)
}

// A keda does what KEDA documents for a trigger of type external
// (https://keda.sh/docs/latest/concepts/scaling-deployments/): every pollingInterval it
// asks for metrics and activity; an active object without replicas gets one; one that has
// not been active for cooldownPeriod gets none. In between the pod autoscaler asks for
// the metric and decides.
type keda struct {
	scaler   pb.ExternalScalerClient
	ref      *pb.ScaledObjectRef
	workers  *deployment
	pods     podAutoscaler
	speed    int           // how many times faster its clock runs
	sync     time.Duration // of the pod autoscaler: 15 s
	polling  time.Duration // 30 s
	cooldown time.Duration // 300 s
}

// run scales the workers until ctx is done.
func (k *keda) run(ctx context.Context) error {
	spec, err := k.scaler.GetMetricSpec(ctx, k.ref)
	if err != nil {
		return err
	}
	metric := spec.MetricSpecs[0]
	k.pods.target = metric.TargetSizeFloat
	began := time.Now()
	tick := time.NewTicker(k.sync)
	defer tick.Stop()
	polled, active := began.Add(-k.polling), began
	for {
		if time.Since(polled) >= k.polling {
			polled = time.Now()
			if _, err := k.value(ctx, metric.MetricName); err != nil {
				return ended(ctx, err)
			}
			is, err := k.scaler.IsActive(ctx, k.ref)
			if err != nil {
				return ended(ctx, err)
			}
			n, _ := k.workers.replicas()
			switch {
			case is.Result:
				active = time.Now()
				if n == 0 {
					k.workers.scale(1)
				}
			case n > 0 && time.Since(active) >= k.cooldown:
				k.workers.scale(0)
			}
		}
		if n, _ := k.workers.replicas(); n > 0 {
			value, err := k.value(ctx, metric.MetricName)
			if err != nil {
				return ended(ctx, err)
			}
			k.workers.scale(k.pods.next(time.Since(began)*time.Duration(k.speed), n, value))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// value returns that of the metric.
func (k *keda) value(ctx context.Context, name string) (float64, error) {
	a, err := k.scaler.GetMetrics(ctx, &pb.GetMetricsRequest{ScaledObjectRef: k.ref, MetricName: name})
	if err != nil {
		return 0, err
	}
	return a.MetricValues[0].MetricValueFloat, nil
}

// ended returns err unless ctx is the reason.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestProcesses lets KEDA start and end worker processes, from none to none. Each message
// is handled once, though workers come and go.
func TestProcesses(t *testing.T) {
	rerun.Skip(t)
	b := newBed(t)
	k := &keda{
		scaler:  b.dial(500 * time.Millisecond),
		ref:     &pb.ScaledObjectRef{Name: "billing", Namespace: "default", ScalerMetadata: map[string]string{"stream": "orders", "consumer": "billing", "maxReplicaCount": "5"}},
		workers: newDeployment(t, order{URL: b.nc.ConnectedUrl(), Max: 4}),
		pods:    podAutoscaler{max: 5},
		speed:   30,
		sync:    500 * time.Millisecond, polling: time.Second, cooldown: 2 * time.Second,
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- k.run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()

	const messages = 800 // 20 s for one worker, if it does four at a time
	for range messages {
		b.push(100 * time.Millisecond)
	}
	most := 0
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		want, alive := k.workers.replicas()
		most = max(most, want)
		if n, _, _ := b.done(); n == messages && want == 0 && alive == 0 {
			break
		}
		if time.Since(began) > 5*time.Minute {
			n, _, _ := b.done()
			t.Fatalf("after five minutes %d of %d messages are done, and %d workers alive", n, messages, alive)
		}
	}
	if most < 2 {
		t.Errorf("there was never more than %d worker", most)
	}
	if n, times, _ := b.done(); times != n {
		t.Errorf("%d messages were handled %d times", n, times)
	}
	if info := must(b.consumer.Info(t.Context())); info.NumPending+uint64(info.NumAckPending) > 0 {
		t.Errorf("%d messages are left, %d not acknowledged", info.NumPending, info.NumAckPending)
	}
	t.Logf("%d workers at most, %.1f replica-seconds", most, k.workers.replicaSeconds())
}
