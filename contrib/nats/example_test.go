package natslimit_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
)

// demo starts a server with a stream of jobs, two jobs and a consumer of them. It counts a job
// that is there before it at once, and a later one a little later.
func demo() (js jetstream.JetStream, consumer jetstream.Consumer, end func()) {
	dir := must(os.MkdirTemp("", "jobs"))
	s := must(server.NewServer(&server.Options{DontListen: true, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true}))
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		log.Fatal("the server does not start")
	}
	nc := must(nats.Connect("", nats.InProcessServer(s), nats.Timeout(time.Minute)))
	js = must(jetstream.New(nc))
	ctx := context.Background()
	must(js.CreateStream(ctx, jetstream.StreamConfig{Name: "jobs", Subjects: []string{"jobs.>"}}))
	must(js.Publish(ctx, "jobs.resize", []byte("cat.jpg")))
	must(js.Publish(ctx, "jobs.resize", []byte("dog.jpg")))
	consumer = must(js.CreateConsumer(ctx, "jobs", jetstream.ConsumerConfig{
		Durable: "work", AckPolicy: jetstream.AckExplicitPolicy, MaxDeliver: -1, MaxAckPending: -1,
	}))
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
	for err == nil && len(workers) == 0 { // it did not answer in time
		workers, err = natslimit.Workers(ctx, js.Conn(), "jobs", "work")
	}
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

func ExampleWorkers() {
	js, _, end := demo()
	defer end()
	workers, err := natslimit.Workers(context.Background(), js.Conn(), "jobs", "work")
	if err != nil {
		log.Fatal(err)
	}
	if len(workers) == 0 {
		fmt.Println("nobody works on the jobs, or nobody announces itself")
	}
	// Output: nobody works on the jobs, or nobody announces itself
}

// A job may fail twice. If its worker dies instead, that does not count.
func ExampleFailures() {
	js, consumer, end := demo()
	defer end()
	ctx := context.Background()
	bucket := must(js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "failures"}))
	stop := make(chan struct{})
	err := natslimit.Consume(ctx, consumer, sweetspot.New(), func(ctx context.Context, msg jetstream.Msg) error {
		if string(msg.Data()) == "dog.jpg" {
			return errors.New("cannot read the picture")
		}
		return nil
	},
		natslimit.Failures(2, bucket),
		natslimit.Backoff(func(failures int) time.Duration {
			fmt.Println("failures:", failures)
			return time.Millisecond
		}),
		natslimit.DeadLetter(func(ctx context.Context, msg jetstream.Msg, err error) error {
			fmt.Printf("%s: %v\n", msg.Data(), err)
			close(stop)
			return nil
		}),
		natslimit.Drain(stop))
	fmt.Println(err)
	// Output:
	// failures: 1
	// dog.jpg: cannot read the picture
	// <nil>
}

// A job may fail once. A full disk is not its fault.
func ExampleUncounted() {
	js, consumer, end := demo()
	defer end()
	ctx := context.Background()
	bucket := must(js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "failures"}))
	stop, full := make(chan struct{}), true
	err := natslimit.Consume(ctx, consumer, sweetspot.New(sweetspot.Max(1)), func(ctx context.Context, msg jetstream.Msg) error {
		switch {
		case string(msg.Data()) != "dog.jpg":
			return nil
		case full:
			full = false // somebody makes room
			fmt.Println("the disk is full")
			return natslimit.Uncounted(errors.New("no space left"))
		}
		fmt.Println("done")
		close(stop)
		return nil
	},
		natslimit.Failures(1, bucket),
		natslimit.Backoff(func(int) time.Duration { return time.Millisecond }),
		natslimit.Drain(stop))
	fmt.Println(err)
	// Output:
	// the disk is full
	// done
	// <nil>
}

// Why did a message end in the dead letters?
func ExampleFailuresError() {
	why := func(err error) string {
		var failed *natslimit.FailuresError
		switch {
		case errors.Is(err, natslimit.ErrDeliveries):
			return "its workers died"
		case errors.As(err, &failed):
			return fmt.Sprintf("it has failed %d times before: %s", failed.Failures, failed.Last)
		}
		return err.Error() // of the last try
	}
	fmt.Println(why(natslimit.ErrDeliveries))
	fmt.Println(why(&natslimit.FailuresError{Failures: 3, Last: "out of paper"}))
	fmt.Println(why(errors.New("out of ink")))
	// Output:
	// its workers died
	// it has failed 3 times before: out of paper
	// out of ink
}

// Only the last failure is worth waking somebody.
func ExampleFinal() {
	_, consumer, end := demo()
	defer end()
	stop := make(chan struct{})
	err := natslimit.Consume(context.Background(), consumer, sweetspot.New(), func(ctx context.Context, msg jetstream.Msg) error {
		if string(msg.Data()) != "dog.jpg" {
			return nil
		}
		if natslimit.Final(ctx) {
			fmt.Println("failed for good")
			close(stop)
		} else {
			fmt.Println("failed")
		}
		return errors.New("cannot read the picture")
	},
		natslimit.Deliveries(3),
		natslimit.Backoff(func(int) time.Duration { return time.Millisecond }),
		natslimit.Drain(stop))
	fmt.Println(err)
	// Output:
	// failed
	// failed
	// failed for good
	// <nil>
}

// A message that may kill its worker is delivered twice, and no more.
func ExampleDeliveries() {
	_, consumer, end := demo()
	defer end()
	stop := make(chan struct{})
	err := natslimit.Consume(context.Background(), consumer, sweetspot.New(), func(ctx context.Context, msg jetstream.Msg) error {
		if string(msg.Data()) == "dog.jpg" {
			return errors.New("out of memory")
		}
		return nil
	},
		natslimit.Deliveries(2),
		natslimit.Backoff(func(int) time.Duration { return time.Millisecond }),
		natslimit.DeadLetter(func(ctx context.Context, msg jetstream.Msg, err error) error {
			fmt.Println("deliveries:", must(msg.Metadata()).NumDelivered)
			close(stop)
			return nil
		}),
		natslimit.Drain(stop))
	fmt.Println(err)
	// Output:
	// deliveries: 2
	// <nil>
}

// Ten seconds after the first failure, twenty after the second.
func ExampleBackoff() {
	_, consumer, end := demo()
	defer end()
	stop := make(chan struct{})
	err := natslimit.Consume(context.Background(), consumer, sweetspot.New(), func(ctx context.Context, msg jetstream.Msg) error {
		if string(msg.Data()) == "dog.jpg" {
			return errors.New("the service is away")
		}
		return nil
	},
		natslimit.Backoff(func(deliveries int) time.Duration {
			wait := time.Duration(deliveries) * 10 * time.Second
			fmt.Println("again in", wait)
			close(stop) // too long for an example
			return wait
		}),
		natslimit.Drain(stop))
	fmt.Println(err)
	// Output:
	// again in 10s
	// <nil>
}

// A worker that gets a signal finishes what it does, and leaves the rest to others.
func ExampleDrain() {
	_, consumer, end := demo()
	defer end()
	signalled, signal := context.WithCancel(context.Background()) // usually of signal.NotifyContext
	err := natslimit.Consume(context.Background(), consumer, sweetspot.New(sweetspot.Max(1)), func(ctx context.Context, msg jetstream.Msg) error {
		signal() // now
		time.Sleep(10 * time.Millisecond)
		fmt.Printf("%s is done; cancelled: %v\n", msg.Data(), ctx.Err() != nil)
		return nil
	}, natslimit.Drain(signalled.Done()))
	fmt.Println(err)
	// Output:
	// cat.jpg is done; cancelled: false
	// <nil>
}

// The file of a result says that a job is done, so that one may well come twice.
func ExampleUnconfirmed() {
	js, consumer, end := demo()
	defer end()
	dir := must(os.MkdirTemp("", "small"))
	defer os.RemoveAll(dir)
	done, stop := make(chan struct{}, 2), make(chan struct{})
	go func() {
		<-done
		<-done
		close(stop)
	}()
	err := natslimit.Consume(context.Background(), consumer, sweetspot.New(), func(ctx context.Context, msg jetstream.Msg) error {
		file := filepath.Join(dir, string(msg.Data()))
		if _, err := os.Stat(file); err == nil {
			return nil // it was done before
		}
		defer func() { done <- struct{}{} }()
		return os.WriteFile(file, []byte("small"), 0o600)
	}, natslimit.Unconfirmed(), natslimit.Drain(stop))
	fmt.Println(err, js.Conn().Flush()) // the last acknowledgements are sent
	fmt.Println(len(must(os.ReadDir(dir))), "results")
	// Output:
	// <nil> <nil>
	// 2 results
}

// Two workers ask a service that bears a certain number of requests from both together.
func ExampleShare() {
	js, consumer, end := demo()
	defer end()
	ctx := context.Background()
	bucket := must(js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "fleets"}))
	done, stop := make(chan struct{}, 2), make(chan struct{})
	worker := func() error {
		fleet := natslimit.NewFleet(js, bucket) // each worker has its own
		return natslimit.Consume(ctx, consumer, sweetspot.New(), func(context.Context, jetstream.Msg) error {
			done <- struct{}{} // asks the service
			return nil
		}, natslimit.Share(fleet), natslimit.Drain(stop))
	}
	ended := make(chan error)
	go func() { ended <- worker() }()
	go func() { ended <- worker() }()
	<-done
	<-done
	close(stop)
	fmt.Println(<-ended, <-ended)
	// Output: <nil> <nil>
}

func ExampleLogger() {
	_, consumer, end := demo()
	defer end()
	// Without the time, for the sake of the example.
	h := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	stop := make(chan struct{})
	err := natslimit.Consume(context.Background(), consumer, sweetspot.New(), func(ctx context.Context, msg jetstream.Msg) error {
		if string(msg.Data()) == "dog.jpg" {
			close(stop)
			return natslimit.Permanent(errors.New("dogs are not supported"))
		}
		return nil
	}, natslimit.Logger(slog.New(h)), natslimit.Drain(stop))
	fmt.Println(err)
	// Output:
	// level=WARN msg=dead subject=jobs.resize deliveries=1 error="dogs are not supported"
	// <nil>
}

func ExampleActive() {
	_, consumer, end := demo()
	defer end()
	ctx := context.Background()
	fmt.Println("two messages wait:", natslimit.Active(must(consumer.Info(ctx))))
	batch := must(consumer.Fetch(2))
	for msg := range batch.Messages() {
		if err := msg.DoubleAck(ctx); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("both are done:", natslimit.Active(must(consumer.Info(ctx))))
	// Output:
	// two messages wait: true
	// both are done: false
}

// How many workers to run; asked every 15 s, say.
func ExampleScale_Next() {
	js, consumer, end := demo()
	defer end()
	ctx := context.Background()
	scale := natslimit.Scale{Max: 20}
	info := must(consumer.Info(ctx))
	workers := must(natslimit.Workers(ctx, js.Conn(), info.Stream, info.Name))
	n := scale.Next(info, workers).Replicas
	if !natslimit.Active(info) {
		n = 0 // nothing is to be done
	}
	fmt.Println(len(workers), "run,", n, "should")
	// Output: 0 run, 1 should
}
