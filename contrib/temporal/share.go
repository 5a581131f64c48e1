package temporallimit

import (
	"context"

	"go.temporal.io/sdk/worker"
)

// A share is what one worker has of a SlotSupplier for one kind of activities. A poll
// brings tasks of that kind to that worker only; but the SDK names the queues of both
// kinds, and those of workers in other namespaces, maybe alike.
type share struct {
	*SlotSupplier
	id uint64 // 0: that of all who use the SlotSupplier itself
}

func (s *SlotSupplier) share() share {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shares++
	return share{s, s.shares}
}

// source returns what the activities of a task queue come from.
func (h share) source(taskQueue string) source { return source{taskQueue, h.id} }

func (h share) queue(info worker.SlotReservationInfo) queue {
	return queue{h.source(info.TaskQueue()), info.TaskQueueKind()}
}

// ReserveSlot is that of the SlotSupplier, for this share.
func (h share) ReserveSlot(ctx context.Context, info worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	return h.reserve(ctx, h.queue(info))
}

// TryReserveSlot is that of the SlotSupplier, for this share.
func (h share) TryReserveSlot(info worker.SlotReservationInfo) *worker.SlotPermit {
	return h.tryReserve(h.queue(info))
}
