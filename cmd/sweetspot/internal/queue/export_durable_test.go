package queue

import "context"

// Look looks for what there must be of a queue for somebody to use it.
func (h Home) Look(ctx context.Context, name string) error { return h.inside(name).look(ctx) }

// PushEarly pushes a job to a queue, and records a result, if the queue can be used.
func (h Home) PushEarly(ctx context.Context, name string) error {
	q := h.inside(name)
	if q.look(ctx) != nil {
		return nil
	}
	if _, err := q.js.PublishMsg(ctx, q.message([]string{"early"})); err != nil {
		return err
	}
	return q.put(ctx, jobKey(1), "{}")
}

// inside returns a queue as the service of the home has it.
func (h Home) inside(name string) *queue {
	h.mu.Lock()
	defer h.mu.Unlock()
	return &queue{connection: h.service.conn, name: name}
}

// WhyUnkept returns what a wait for the disk of the server is said to be for.
func (q Queue) WhyUnkept(ctx context.Context) string { return q.reason(ctx, errUnkept).Error() }
