package sim

import "math"

// A letter is a message between a worker and the server of the queue.
type letter struct {
	at     float64 // when it arrives
	sent   float64 // when the batch was asked for
	kind   letterKind
	worker int32
	unit   int32 // of results and acknowledgements
	n, got int32 // jobs asked for and delivered
	more   bool  // there are more in the queue
}

type letterKind uint8

const (
	batch   letterKind = iota // as many jobs as there are, at once
	poll                      // one job, when there is one
	result                    // of a job
	ack                       // of a job
	deliver                   // jobs for a batch
	one                       // the job for a poll
	expire                    // no more jobs for this batch
)

// mail holds letters in the order in which they arrive, in a ring that doubles
// when it is full. All of one mail take the same time, so they arrive as they
// were sent.
type mail struct {
	ring    []letter
	head, n int
}

func (m *mail) send(l letter) {
	if m.n == len(m.ring) {
		grown := make([]letter, max(64, 2*m.n))
		for i := range m.n {
			grown[i] = m.ring[(m.head+i)&(len(m.ring)-1)]
		}
		m.ring, m.head = grown, 0
	}
	m.ring[(m.head+m.n)&(len(m.ring)-1)] = l
	m.n++
}

// next returns when the next letter arrives, +Inf if none is under way.
func (m *mail) next() float64 {
	if m.n == 0 {
		return math.Inf(1)
	}
	return m.ring[m.head].at
}

// take returns the letter that arrives next.
func (m *mail) take() letter {
	l := m.ring[m.head]
	m.head = (m.head + 1) & (len(m.ring) - 1)
	m.n--
	return l
}
