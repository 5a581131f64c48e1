package asynqlimit_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/hibiken/asynq"

	"github.com/sweetspot-go/sweetspot"
	asynqlimit "github.com/sweetspot-go/sweetspot/contrib/asynq"
)

func ExampleNewServer() {
	limiter := sweetspot.New(sweetspot.Name("mails"))
	srv := asynqlimit.NewServer(asynq.RedisClientOpt{Addr: "redis.example:6379"}, asynq.Config{
		Queues: map[string]int{"urgent": 6, "default": 3},
	}, limiter)
	defer srv.Shutdown()
	mux := asynq.NewServeMux()
	mux.HandleFunc("mail", func(context.Context, *asynq.Task) error { return nil })
	// err := srv.Run(mux)
	fmt.Println(limiter.Name(), limiter.Stats().InFlight)
	// Output: mails 0
}

func ExampleServer_Run() {
	srv := asynqlimit.NewServer(asynq.RedisClientOpt{Addr: "redis.example:6379"}, asynq.Config{}, sweetspot.New())
	mux := asynq.NewServeMux()
	mux.HandleFunc("mail", func(context.Context, *asynq.Task) error { return nil })
	if err := srv.Run(mux); err != nil { // until SIGINT or SIGTERM
		fmt.Println(err)
	}
}

func ExampleServer_Start() {
	srv := asynqlimit.NewServer(asynq.RedisClientOpt{Addr: "redis.example:6379"}, asynq.Config{}, sweetspot.New())
	fmt.Println(srv.Start(nil))
	srv.Shutdown()
	// Output: asynq: server cannot run with nil handler
}

// The first signal ends the taking of tasks, as before an update; the next one ends the server.
func ExampleServer_Stop() {
	srv := asynqlimit.NewServer(asynq.RedisClientOpt{Addr: "redis.example:6379"}, asynq.Config{}, sweetspot.New())
	mux := asynq.NewServeMux()
	mux.HandleFunc("mail", func(context.Context, *asynq.Task) error { return nil })
	if err := srv.Start(mux); err != nil {
		fmt.Println(err)
		return
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	<-signals
	srv.Stop() // running tasks go on
	<-signals
	srv.Shutdown()
}

// A server that is part of a larger program ends with its context.
func ExampleServer_Shutdown() {
	serve := func(ctx context.Context, srv *asynqlimit.Server, handler asynq.Handler) error {
		if err := srv.Start(handler); err != nil {
			return err
		}
		<-ctx.Done()
		srv.Shutdown() // waits for running tasks, at most ShutdownTimeout
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	srv := asynqlimit.NewServer(asynq.RedisClientOpt{Addr: "redis.example:6379"},
		asynq.Config{ShutdownTimeout: 30 * time.Second}, sweetspot.New())
	mux := asynq.NewServeMux()
	mux.HandleFunc("mail", func(context.Context, *asynq.Task) error { return nil })
	if err := serve(ctx, srv, mux); err != nil {
		fmt.Println(err)
	}
}

// A program that Kubernetes asks whether it can work.
func ExampleServer_Ping() {
	srv := asynqlimit.NewServer(asynq.RedisClientOpt{Addr: "redis.example:6379"}, asynq.Config{}, sweetspot.New())
	http.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := srv.Ping(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	go http.ListenAndServe(":8080", nil)
	mux := asynq.NewServeMux()
	mux.HandleFunc("mail", func(context.Context, *asynq.Task) error { return nil })
	if err := srv.Run(mux); err != nil { // until SIGINT or SIGTERM
		fmt.Println(err)
	}
}
