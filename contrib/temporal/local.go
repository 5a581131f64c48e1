package temporallimit

import (
	"context"

	"go.temporal.io/sdk/worker"
)

// localSlots supplies the local activities of a worker from the slots that its other
// activities have as well. The SDK names both after the same task queue, but a poll for
// one kind brings no task of the other.
type localSlots struct{ *SlotSupplier }

// ReserveSlot waits for a slot of a local activity.
func (s localSlots) ReserveSlot(ctx context.Context, info worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	return s.reserve(ctx, queueOf(info, true))
}

// TryReserveSlot returns a slot of a local activity if one is free.
func (s localSlots) TryReserveSlot(info worker.SlotReservationInfo) *worker.SlotPermit {
	return s.tryReserve(queueOf(info, true))
}
