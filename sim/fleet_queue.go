package sim

// A fleetQueue is the queue of a fleet, with its server.
type fleetQueue struct {
	left    int   // jobs that nobody has
	pending int   // jobs delivered and not acknowledged
	line    queue // workers whose request waits

	ready            float64 // when the server has handled what it has
	busy             float64
	messages, stores int64
	peak             int
}

// handle takes a letter to the queue.
func (r *fleetRun) handle(l letter) {
	q := &r.queue
	switch l.kind {
	case batch:
		n := int32(min(int(l.n), q.left, max(0, r.shared.limit-q.pending)))
		r.give(letter{kind: deliver, worker: l.worker, sent: l.sent, n: l.n, got: n}, 1, n)
	case poll:
		r.serve(1, 0)
		q.line.push(l.worker)
		r.answerLine()
	case result:
		l.at = r.serve(2, 1) + r.fleet.Hop
		r.toCrew.send(l)
	case ack:
		l.at = r.serve(2, 1) + r.fleet.Hop
		r.toCrew.send(l)
		q.pending--
		r.answerLine()
	}
}

// answerLine delivers a job each to those who wait, first come, first served.
func (r *fleetRun) answerLine() {
	q := &r.queue
	for q.line.n > 0 && q.left > 0 && q.pending < r.shared.limit {
		r.give(letter{kind: one, worker: q.line.pop()}, 0, 1)
	}
}

// give delivers n jobs after so many other messages.
func (r *fleetRun) give(l letter, messages int, n int32) {
	q := &r.queue
	q.left -= int(n)
	q.pending += int(n)
	q.peak = max(q.peak, q.pending)
	l.more = q.left > 0
	if n < l.n {
		messages++ // that there is no more
	}
	l.at = r.serve(messages+int(n), int(n)) + r.fleet.Hop
	r.toCrew.send(l)
}

// serve lets the server handle messages, some of which change what it stores, and
// returns when it has.
func (r *fleetRun) serve(messages, stores int) float64 {
	q := &r.queue
	t := float64(messages)*r.fleet.Message + float64(stores)*r.fleet.Store
	q.messages += int64(messages)
	q.stores += int64(stores)
	q.busy += t
	q.ready = max(q.ready, r.now) + t
	return q.ready
}

// post sends a letter to the queue.
func (r *fleetRun) post(l letter) {
	l.at = r.now + r.fleet.Hop
	r.toQueue.send(l)
}
