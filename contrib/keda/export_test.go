package kedascale

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"

	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
)

// NewSimulated returns a Server that measures by calling f.
func NewSimulated(f func() (*jetstream.ConsumerInfo, []natslimit.Worker)) *Server {
	s := &Server{objects: map[key]*object{}}
	s.info = func(context.Context, target) (*jetstream.ConsumerInfo, error) {
		info, _ := f()
		return info, nil
	}
	s.measure = func(context.Context, target) (*jetstream.ConsumerInfo, []natslimit.Worker, error) {
		info, workers := f()
		return info, workers, nil
	}
	return s
}
