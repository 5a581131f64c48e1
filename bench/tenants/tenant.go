package main

import (
	"context"
	"time"
)

const (
	work  = 20 * time.Millisecond // what a request of the others takes
	short = time.Millisecond      // the deadlines of a tenant that has them
)

// A call is one request on a connection. It reports whether it succeeded.
type call func(ctx context.Context) bool

// A site is a server under test.
type site interface {
	// connect returns the requests that can be made on a new connection: that of another
	// client, of the hostile tenant and of its harmless twin.
	connect() (other, hostile, harmless call, err error)
	limit() int
	close()
}

// A tenant is a hostile client with its harmless twin.
type tenant struct {
	name, about string
	open        func() (site, error)
}

func tenants() []tenant {
	return []tenant{
		{"http-quota", "is answered 429 at once", func() (site, error) { return openHTTP(quota) }},
		{"http-unavailable", "is answered 503 at once, which Classify calls an overload", func() (site, error) { return openHTTP(unavailable) }},
		{"grpc-quota", "is answered ResourceExhausted at once", func() (site, error) { return openGRPC(false) }},
		{"grpc-deadline", "has deadlines of 1 ms for calls of 20 ms", func() (site, error) { return openGRPC(true) }},
	}
}
