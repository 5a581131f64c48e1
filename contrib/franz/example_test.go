package franzlimit_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/sweetspot-go/sweetspot"
	franzlimit "github.com/sweetspot-go/sweetspot/contrib/franz"
)

func ExampleConsume() {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	producer, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer producer.Close()
	for _, order := range []string{"bread", "milk", "eggs"} {
		producer.Produce(context.Background(), &kgo.Record{Topic: "orders", Value: []byte(order)}, nil)
	}

	enough := errors.New("enough")
	ctx, stop := context.WithCancelCause(context.Background())
	err = franzlimit.Consume(ctx, sweetspot.New(sweetspot.Name("billing")), func(_ context.Context, r *kgo.Record) error {
		fmt.Printf("%s\n", r.Value)
		if r.Offset == 2 {
			stop(enough)
		}
		return nil
	},
		kgo.SeedBrokers(cluster.ListenAddrs()...),
		kgo.ConsumerGroup("billing"),
		kgo.ConsumeTopics("orders"))
	fmt.Println(err)
	// Output:
	// bread
	// milk
	// eggs
	// enough
}
