package temporallimit

import (
	"fmt"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"go.temporal.io/sdk/worker"
)

// A slot is what the permit of a worker stands for. It is guarded by the mutex of
// its SlotSupplier.
type slot struct {
	queue  queue
	state  state
	timer  *time.Timer    // ends polling
	marked uint64         // when it got a task, in the order of its SlotSupplier
	unit   sweetspot.Unit // if it holds a permit
}

// A state says where a slot is on its way, and whether it holds a permit of the
// Limiter.
type state uint8

const (
	polling  state = iota // holds a permit, as a task may be there
	idle                  // no task was there; no permit
	timed                 // runs a task, with a permit since then
	owing                 // runs a task, without a permit
	untimed               // runs a task, with a permit that came later
	released              // is over
)

func (s state) String() string {
	return [...]string{"polling", "idle", "in use", "in use", "in use", "released"}[s]
}

func slotOf(p *worker.SlotPermit) *slot {
	if p != nil {
		if sl, ok := p.UserData.(*slot); ok {
			return sl
		}
	}
	panic(fmt.Sprintf("sweetspot: a permit that no SlotSupplier of this package has made: %+v", p))
}
