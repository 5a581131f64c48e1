package asynqlimit_test

import (
	"context"
	"fmt"

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
