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
	for name, taken := range map[string]int{"jobs are taken": 3, "none is": 0} {
		crew, scale := &queue.Crew{}, &natslimit.Scale{}
		for look := range 6 {
			var answers []natslimit.Worker
			if look < 2 {
				answers = three
			}
			info := &jetstream.ConsumerInfo{TimeStamp: at.Add(time.Duration(look) * time.Second), NumPending: 1, NumAckPending: taken}
			want := 3
			if taken == 0 && look >= 2 || look == 5 {
				want = 1
			}
			if got := scale.Next(info, crew.Present(answers, taken)).Replicas; got != want {
				t.Errorf("%s: at look %d there should be %d workers, want %d", name, look, got, want)
			}
		}
	}
}
