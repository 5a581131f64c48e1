package riverlimit_test

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/sweetspot-go/sweetspot"
	riverlimit "github.com/sweetspot-go/sweetspot/contrib/river"
)

type letter struct{}

func (letter) Kind() string { return "letter" }

func ExampleNewMiddleware() {
	limiter := sweetspot.New(sweetspot.Name("letters"))
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(context.Context, *river.Job[letter]) error { return nil }))
	pool, err := pgxpool.New(context.Background(), "postgres://postgres.example/app")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		Queues:          map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 100}},
		Middleware:      []rivertype.Middleware{riverlimit.NewMiddleware(limiter)},
		SoftStopTimeout: 20 * time.Second,
		Workers:         workers,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = client // client.Start(ctx)
	fmt.Println(limiter.Name(), limiter.Stats().InFlight)
	// Output: letters 0
}

// river does this for each job.
func ExampleMiddleware_Work() {
	m := riverlimit.NewMiddleware(sweetspot.New())
	err := m.Work(context.Background(), &rivertype.JobRow{}, func(context.Context) error {
		fmt.Println("worked")
		return nil
	})
	fmt.Println(err)
	// Output:
	// worked
	// <nil>
}
