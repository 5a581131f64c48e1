package kedascale_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/kedacore/keda/v2/pkg/scalers/externalscaler"
	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sweetspot-go/sweetspot/contrib/keda"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
)

// TestServerRefuses checks that an error names what is wrong and what would be right.
func TestServerRefuses(t *testing.T) {
	b := newBed(t)
	client := b.dial(0)
	ctx := t.Context()
	good := map[string]string{"stream": "orders", "consumer": "billing"}
	for _, c := range []struct {
		metadata map[string]string
		code     codes.Code
		want     string
	}{
		{nil, codes.InvalidArgument, "default/billing: nothing to scale is named: want queue, or stream and consumer"},
		{map[string]string{"stream": "orders"}, codes.InvalidArgument, "want queue, or stream and consumer"},
		{map[string]string{"queue": "pages", "stream": "orders"}, codes.InvalidArgument, "both name what to scale"},
		{map[string]string{"queue": "pages", "maxReplicaCount": "many"}, codes.InvalidArgument, `maxReplicaCount is "many": want a number`},
		{map[string]string{"queue": "pages", "minReplicaCount": "-1"}, codes.InvalidArgument, `minReplicaCount is "-1": want a number`},
		{map[string]string{"queue": "pages", "minReplicaCount": "5", "maxReplicaCount": "4"}, codes.InvalidArgument, "maxReplicaCount is 4: want at least 1, and minReplicaCount, which is 5"},
		{map[string]string{"queue": "pages", "maxReplicaCount": "0"}, codes.InvalidArgument, "maxReplicaCount is 0: want at least 1"},
		{map[string]string{"stream": "my.orders", "consumer": "billing"}, codes.InvalidArgument, `stream "my.orders" has a '.'`},
		{map[string]string{"queue": "a b"}, codes.InvalidArgument, `queue "a b" has a ' '`},
		{map[string]string{"queue": "pages"}, codes.NotFound, "consumer workers of stream sweetspot_pages"},
		{map[string]string{"stream": "orders", "consumer": "other"}, codes.NotFound, "consumer other of stream orders"},
		{good, codes.OK, ""},
	} {
		ref := &pb.ScaledObjectRef{Name: "billing", Namespace: "default", ScalerMetadata: c.metadata}
		_, err := client.IsActive(ctx, ref)
		_, again := client.GetMetrics(ctx, &pb.GetMetricsRequest{ScaledObjectRef: ref, MetricName: "workers"})
		for _, err := range []error{err, again} {
			if status.Code(err) != c.code || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v: %v, want %v with %q", c.metadata, err, c.code, c.want)
			}
		}
		if _, err := client.GetMetricSpec(ctx, ref); (status.Code(err) == codes.InvalidArgument) != (c.code == codes.InvalidArgument) {
			t.Errorf("%v: the specification has %v", c.metadata, err)
		}
	}
	_, err := client.GetMetrics(ctx, &pb.GetMetricsRequest{ScaledObjectRef: &pb.ScaledObjectRef{ScalerMetadata: good}, MetricName: "lag"})
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), `there is no metric "lag": want "workers"`) {
		t.Errorf("another metric: %v", err)
	}
	b.nc.Close()
	if _, err := client.IsActive(ctx, &pb.ScaledObjectRef{ScalerMetadata: good}); status.Code(err) != codes.Unavailable {
		t.Errorf("without NATS: %v, want Unavailable", err)
	}
}

// TestStreamIsActive lets a message come and go, and hears of both.
func TestStreamIsActive(t *testing.T) {
	b := newBed(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stream := must(b.dial(0).StreamIsActive(ctx, &pb.ScaledObjectRef{ScalerMetadata: map[string]string{"stream": "orders", "consumer": "billing"}}))
	if is := must(stream.Recv()); is.Result {
		t.Error("active without a message")
	}
	b.push(time.Second)
	if is := must(stream.Recv()); !is.Result {
		t.Error("not active with a message")
	}
	m := must(b.consumer.Next())
	if err := m.DoubleAck(ctx); err != nil {
		t.Fatal(err)
	}
	if is := must(stream.Recv()); is.Result {
		t.Error("active after the last message")
	}
	cancel()
	if _, err := stream.Recv(); status.Code(err) != codes.Canceled {
		t.Errorf("the stream ends with %v", err)
	}
}

// TestServerMeasuresAtIntervals asks more often than it measures, and about two objects,
// which know nothing of each other.
func TestServerMeasuresAtIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		measured := 0
		s := kedascale.NewSimulated(func() (*jetstream.ConsumerInfo, []natslimit.Worker) {
			measured++
			return &jetstream.ConsumerInfo{TimeStamp: time.Now(), NumPending: 10}, []natslimit.Worker{{Name: "a", Limit: 2}, {Name: "b", Limit: 2}}
		})
		ask := func(name string) int64 {
			a, err := s.GetMetrics(t.Context(), &pb.GetMetricsRequest{
				MetricName: "workers", ScaledObjectRef: &pb.ScaledObjectRef{Name: name, ScalerMetadata: map[string]string{"queue": name}},
			})
			if err != nil {
				t.Fatal(err)
			}
			return a.MetricValues[0].MetricValue
		}
		for range 20 {
			if n := ask("pages"); n != 2 {
				t.Fatalf("%d workers, want the two that there are", n)
			}
			time.Sleep(time.Second)
		}
		if measured != 4 {
			t.Errorf("measured %d times in 20 s, want 4", measured)
		}
		ask("music")
		if measured != 5 {
			t.Errorf("measured %d times, want once more for another object", measured)
		}
	})
}

// Whoever was not asked for a while, as while its object was paused, may have no worker yet.
func TestServerWakesAfterAGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pending := uint64(0)
		s := kedascale.NewSimulated(func() (*jetstream.ConsumerInfo, []natslimit.Worker) {
			return &jetstream.ConsumerInfo{TimeStamp: time.Now(), NumPending: pending}, nil
		})
		for range 2 {
			if _, err := s.GetMetrics(t.Context(), &pb.GetMetricsRequest{MetricName: "workers", ScaledObjectRef: &pb.ScaledObjectRef{ScalerMetadata: map[string]string{"queue": "pages"}}}); err != nil {
				t.Errorf("with %d messages: %v", pending, err)
			}
			pending = 10
			time.Sleep(30 * time.Minute)
		}
	})
}

// TestServerMissesWorkers has messages that wait for ten minutes without a worker that
// announces itself.
func TestServerMissesWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pending, workers := uint64(10), []natslimit.Worker(nil)
		s := kedascale.NewSimulated(func() (*jetstream.ConsumerInfo, []natslimit.Worker) {
			return &jetstream.ConsumerInfo{TimeStamp: time.Now(), NumPending: pending}, workers
		})
		ask := func() error {
			_, err := s.GetMetrics(t.Context(), &pb.GetMetricsRequest{MetricName: "workers", ScaledObjectRef: &pb.ScaledObjectRef{ScalerMetadata: map[string]string{"queue": "pages"}}})
			return err
		}
		during := func(minutes int) (err error) {
			for range 4 * minutes {
				err = ask()
				time.Sleep(15 * time.Second)
			}
			return err
		}
		if err := during(10); err != nil {
			t.Errorf("after ten minutes: %v", err)
		}
		if err := during(1); status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "want sweetspot queue work, or natslimit.Announce") {
			t.Errorf("after eleven minutes: %v", err)
		}
		workers = []natslimit.Worker{{Name: "a", Limit: 2}}
		if err := ask(); err != nil {
			t.Errorf("with a worker: %v", err)
		}
		pending, workers = 0, nil
		if err := during(20); err != nil {
			t.Errorf("without work: %v", err)
		}
	})
}
