package franzlimit_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/sweetspot-go/sweetspot"
	franzlimit "github.com/sweetspot-go/sweetspot/contrib/franz"
)

// A cluster is a Kafka of this process, with the topic "orders".
type cluster struct {
	t testing.TB
	*kfake.Cluster
}

func newCluster(t testing.TB, partitions int32) *cluster {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, "orders"),
		kfake.GroupMinSessionTimeout(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &cluster{t, c}
}

// produce appends n records to each of the partitions.
func (c *cluster) produce(n int, partitions ...int32) {
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.NoCompression()))
	if err != nil {
		c.t.Error(err)
		return
	}
	defer client.Close()
	var records []*kgo.Record
	for i := range n {
		for _, p := range partitions {
			records = append(records, &kgo.Record{Topic: "orders", Partition: p, Value: fmt.Appendf(nil, "%d", i)})
		}
	}
	if err := client.ProduceSync(c.t.Context(), records...).FirstErr(); err != nil {
		c.t.Error(err)
	}
}

// member returns the options of a member of the group "billing".
func member(brokers []string, opts ...kgo.Opt) []kgo.Opt {
	return append([]kgo.Opt{
		kgo.SeedBrokers(brokers...), kgo.ConsumerGroup("billing"), kgo.ConsumeTopics("orders"),
		kgo.HeartbeatInterval(50 * time.Millisecond), kgo.AutoCommitInterval(100 * time.Millisecond),
		kgo.FetchMaxWait(50 * time.Millisecond),
	}, opts...)
}

// consume runs Consume in the group "billing".
func (c *cluster) consume(ctx context.Context, l *sweetspot.Limiter, handle franzlimit.Handler, opts ...kgo.Opt) error {
	return franzlimit.Consume(ctx, l, handle, member(c.ListenAddrs(), opts...)...)
}

// numbers returns those of n partitions.
func numbers(n int32) (list []int32) {
	for p := range n {
		list = append(list, p)
	}
	return list
}

// A journal says what was handled, in which order.
type journal struct {
	mu       sync.Mutex
	offsets  map[int32][]int64
	running  map[int32]int
	inFlight int
	most     int // in flight at a time so far
	total    int
	enough   func() // called when as many were handled as wanted
	want     int
}

func newJournal(want int, enough func()) *journal {
	return &journal{offsets: map[int32][]int64{}, running: map[int32]int{}, want: want, enough: enough}
}

// begin takes down that a record is being handled, and returns whether it is alone in
// its partition.
func (j *journal) begin(r *kgo.Record) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.running[r.Partition]++
	j.inFlight++
	j.most = max(j.most, j.inFlight)
	return j.running[r.Partition] == 1
}

func (j *journal) end(r *kgo.Record) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.running[r.Partition]--
	j.inFlight--
	j.offsets[r.Partition] = append(j.offsets[r.Partition], r.Offset)
	if j.total++; j.total == j.want {
		j.enough()
	}
}

// peak returns how many records were in flight at a time.
func (j *journal) peak() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.most
}

// onceInOrder checks that n records of each partition were handled once, in order.
func (j *journal) onceInOrder(t *testing.T, n int, partitions int32) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	for p := range partitions {
		if len(j.offsets[p]) != n {
			t.Errorf("partition %d: %d records handled, want %d", p, len(j.offsets[p]), n)
		}
		for i, got := range j.offsets[p] {
			if got != int64(i) {
				t.Errorf("partition %d: record %d was handled after %d others", p, got, i)
				break
			}
		}
	}
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}
