package natslimit_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
)

// demo starts a server with a stream of jobs, a consumer of them and two jobs.
func demo() (js jetstream.JetStream, consumer jetstream.Consumer, end func()) {
	dir := must(os.MkdirTemp("", "jobs"))
	s := must(server.NewServer(&server.Options{DontListen: true, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true}))
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		log.Fatal("the server does not start")
	}
	nc := must(nats.Connect("", nats.InProcessServer(s)))
	js = must(jetstream.New(nc))
	ctx := context.Background()
	must(js.CreateStream(ctx, jetstream.StreamConfig{Name: "jobs", Subjects: []string{"jobs.>"}}))
	consumer = must(js.CreateConsumer(ctx, "jobs", jetstream.ConsumerConfig{
		Durable: "work", AckPolicy: jetstream.AckExplicitPolicy, MaxDeliver: -1, MaxAckPending: -1,
	}))
	must(js.Publish(ctx, "jobs.resize", []byte("cat.jpg")))
	must(js.Publish(ctx, "jobs.resize", []byte("dog.jpg")))
	return js, consumer, func() {
		nc.Close()
		s.Shutdown()
		s.WaitForShutdown()
		os.RemoveAll(dir)
	}
}

func ExampleConsume() {
	_, consumer, end := demo()
	defer end()
	done := make(chan string, 2)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-done
		<-done
		cancel() // in a real worker, on a signal
	}()
	err := natslimit.Consume(ctx, consumer, sweetspot.New(), func(ctx context.Context, msg jetstream.Msg) error {
		done <- "small " + string(msg.Data())
		return nil
	})
	fmt.Println(err)
	// Output: context canceled
}

func ExampleRecord() {
	js, consumer, end := demo()
	defer end()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	results := must(js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "results"}))

	done := make(chan struct{}, 2)
	stop := make(chan struct{})
	go func() {
		<-done
		<-done
		close(stop)
	}()
	err := natslimit.Consume(ctx, consumer, sweetspot.New(), func(ctx context.Context, msg jetstream.Msg) error {
		name := string(msg.Data())
		result := []byte("small " + name) // the work
		natslimit.Record(ctx, func(ctx context.Context) error {
			// Whoever comes first has recorded the result of this job.
			if _, err := results.Create(ctx, name, result); err != nil && !errors.Is(err, jetstream.ErrKeyExists) {
				return err
			}
			done <- struct{}{}
			return nil
		})
		return nil
	}, natslimit.Drain(stop))
	fmt.Println(err)
	fmt.Println(string(must(results.Get(ctx, "cat.jpg")).Value()))
	// Output:
	// <nil>
	// small cat.jpg
}

func ExampleDeadLetter() {
	_, consumer, end := demo()
	defer end()
	stop := make(chan struct{})
	err := natslimit.Consume(context.Background(), consumer, sweetspot.New(sweetspot.Max(1)),
		func(ctx context.Context, msg jetstream.Msg) error {
			if string(msg.Data()) == "dog.jpg" {
				return natslimit.Permanent(errors.New("dogs are not supported"))
			}
			return nil
		},
		natslimit.Deliveries(3),
		natslimit.Backoff(func(deliveries int) time.Duration { return time.Duration(deliveries) * time.Second }),
		natslimit.DeadLetter(func(ctx context.Context, msg jetstream.Msg, err error) error {
			fmt.Printf("%s: %v\n", msg.Data(), err)
			close(stop)
			return nil
		}),
		natslimit.Drain(stop))
	fmt.Println(err)
	// Output:
	// dog.jpg: dogs are not supported
	// <nil>
}

func ExampleNewFleet() {
	js, consumer, end := demo()
	defer end()
	ctx := context.Background()
	bucket := must(js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "fleets"}))

	fleet := natslimit.NewFleet(js, bucket)
	fleet.Max = 200 // the database behind the jobs has that many connections
	stop := make(chan struct{})
	close(stop) // in a real worker, on SIGTERM
	err := natslimit.Consume(ctx, consumer, sweetspot.New(), func(context.Context, jetstream.Msg) error { return nil },
		natslimit.Share(fleet), natslimit.Drain(stop))
	fmt.Println(err)
	// Output: <nil>
}

func ExampleLoadFleet() {
	js, _, end := demo()
	defer end()
	ctx := context.Background()
	bucket := must(js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "fleets"}))
	status, err := natslimit.LoadFleet(ctx, bucket, "jobs", "work")
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		fmt.Println("no worker has shared its limit yet")
	}
	for _, c := range status.Changes {
		fmt.Println(c.At.Format(time.TimeOnly), c.Why)
	}
	// Output: no worker has shared its limit yet
}

func ExamplePermanent() {
	err := natslimit.Permanent(os.ErrNotExist)
	fmt.Println(err, errors.Is(err, os.ErrNotExist))
	// Output: file does not exist true
}

func ExampleAnnounce() {
	js, consumer, end := demo()
	defer end()
	ctx := context.Background()
	busy, stop, ended := make(chan struct{}, 2), make(chan struct{}), make(chan error)
	go func() {
		limiter := sweetspot.New(sweetspot.Max(2), sweetspot.Start(2))
		ended <- natslimit.Consume(ctx, consumer, limiter, func(context.Context, jetstream.Msg) error {
			busy <- struct{}{}
			<-stop
			return nil
		}, natslimit.Announce(js.Conn(), "machine-1", nil), natslimit.Drain(stop))
	}()
	<-busy
	<-busy
	workers, err := natslimit.Workers(ctx, js.Conn(), "jobs", "work")
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range workers {
		fmt.Printf("%s: %d of %d\n", w.Name, w.InFlight, w.Limit)
	}
	close(stop)
	fmt.Println(<-ended)
	// Output:
	// machine-1: 2 of 2
	// <nil>
}

func ExampleScale() {
	scale := natslimit.Scale{Max: 10}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	info := &jetstream.ConsumerInfo{TimeStamp: at} // usually by consumer.Info
	workers := []natslimit.Worker{{Name: "machine-1", Limit: 8}}
	scale.Next(info, workers)

	// 15 s later 1,200 messages have come. The worker did 8 at a time, each in 0.2 s.
	info.TimeStamp = at.Add(15 * time.Second)
	info.Delivered.Consumer, info.NumPending = 608, 592
	info.NumAckPending = 8
	workers[0].Ended, workers[0].InFlight, workers[0].Occupancy = 600, 8, 120
	fmt.Println(scale.Next(info, workers).Reason)
	// Output: 1→4: 80/s arrive; a replica serves 40.53/s
}
