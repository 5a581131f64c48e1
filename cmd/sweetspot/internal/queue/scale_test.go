package queue_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// Workers that have yet to connect again, as after a restart of the server, are neither let go nor
// replaced. Those that stay away are.
func TestScaleAfterRestart(t *testing.T) {
	t.Parallel()
	at := time.Unix(1e9, 0)
	three := []natslimit.Worker{{Name: "a", Limit: 1, InFlight: 1}, {Name: "b", Limit: 1, InFlight: 1}, {Name: "c", Limit: 1, InFlight: 1}}
	for _, c := range []struct {
		about  string
		taken  int
		answer []natslimit.Worker // from the third look on
		want   [7]int
	}{
		{"none is back", 3, nil, [7]int{3, 3, 3, 3, 3, 1, 1}},
		{"one is back", 3, three[:1], [7]int{3, 3, 3, 3, 3, 3, 1}},
		{"no job is taken", 0, nil, [7]int{3, 3, 1, 1, 1, 1, 1}},
	} {
		crew, scale := &queue.Crew{}, &natslimit.Scale{}
		for look, want := range c.want {
			answer := c.answer
			if look < 2 {
				answer = three
			}
			info := &jetstream.ConsumerInfo{TimeStamp: at.Add(time.Duration(look) * time.Second), NumPending: 1, NumAckPending: c.taken}
			if got := scale.Next(info, crew.Present(answer, c.taken)).Replicas; got != want {
				t.Errorf("%s: at look %d there should be %d workers, want %d", c.about, look, got, want)
			}
		}
	}
}
