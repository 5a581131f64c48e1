package franzlimit_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/sweetspot-go/sweetspot"
	franzlimit "github.com/sweetspot-go/sweetspot/contrib/franz"
	"github.com/sweetspot-go/sweetspot/contrib/internal/adaptertest"
)

func TestMain(m *testing.M) {
	if brokers := adaptertest.Worker(); brokers != "" {
		err := franzlimit.Consume(context.Background(), sweetspot.New(), func(_ context.Context, r *kgo.Record) error {
			time.Sleep(2 * time.Millisecond)
			_, err := fmt.Printf("%d %d\n", r.Partition, r.Offset)
			return err
		}, member(strings.Split(brokers, ","), kgo.SessionTimeout(time.Second))...)
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestKill: workers that die at any moment lose nothing, and each partition goes on in
// order where its last commit is.
func TestKill(t *testing.T) {
	const partitions, each, kills = 6, 400, 2
	c := newCluster(t, partitions)
	c.produce(each, numbers(partitions)...)
	crew := adaptertest.NewCrew(t, strings.Join(c.ListenAddrs(), ","))
	next := make([]int64, partitions) // the offset that nobody has handled yet
	handled, again := 0, 0
	kill := crew.Start()
	defer func() { kill() }()
	killed := 0
	for handled < partitions*each {
		if !crew.Scan() {
			t.Fatalf("%d records were handled: %v", handled, crew.Err())
		}
		var p int
		var offset int64
		if _, err := fmt.Sscan(crew.Text(), &p, &offset); err != nil {
			t.Fatalf("a worker says %q", crew.Text())
		}
		switch {
		case offset == next[p]:
			next[p]++
			handled++
		case offset < next[p]:
			again++
		default:
			t.Fatalf("partition %d: record %d was handled, and %d was not", p, offset, next[p])
		}
		if killed < kills && handled >= (killed+1)*partitions*each/5 {
			killed++
			before := kill
			kill = crew.Start()
			before()
		}
	}
	t.Logf("%d records handled, %d more than once", handled, again)
}
