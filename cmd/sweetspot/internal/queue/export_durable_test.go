package queue

import "context"

// PushEarly pushes a job to a queue, and records a result, if the queue can be used.
func (h Home) PushEarly(ctx context.Context, name string) error {
	h.mu.Lock()
	q := &queue{connection: h.service.conn, name: name}
	h.mu.Unlock()
	if q.look(ctx) != nil {
		return nil
	}
	if _, err := q.js.PublishMsg(ctx, q.message([]string{"early"})); err != nil {
		return err
	}
	return q.put(ctx, jobKey(1), "{}")
}
