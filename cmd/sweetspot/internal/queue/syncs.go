package queue

import (
	"time"

	"github.com/nats-io/nats.go"
)

// A flush takes half a millisecond of CPU time and more. One for each of the shortest jobs, which
// take a millisecond, would take a third of their rate. So results wait for others: up to
// resultsEvery after the last flush, or until resultsMany of them wait. Their workers run the next
// jobs meanwhile. A push has nothing else to do, and is flushed at once.
const (
	resultsEvery = 20 * time.Millisecond
	resultsMany  = 32
)

// sync answers the questions for the disk. One flush answers all that came since the last one
// began, which makes it cheap.
func (v *service) sync() {
	defer close(v.done)
	for flushed := (time.Time{}); ; {
		w := waiting{}
		for patience := (<-chan time.Time)(nil); !w.due; {
			select {
			case m := <-v.syncs:
				if w.add(m); w.count == 1 {
					patience = time.After(time.Until(flushed.Add(resultsEvery)))
				}
			case <-patience:
				w.due = true
			case <-v.stop:
				return
			}
		}
		for range len(v.syncs) {
			w.add(<-v.syncs)
		}
		flushed = time.Now()
		for q, all := range w.questions {
			err := v.disk.syncQueue(q.name, q.of)
			for _, m := range all {
				answer(m, err)
			}
		}
	}
}

// waiting is who waits for a flush.
type waiting struct {
	questions map[kept][]*nats.Msg
	count     int
	due       bool
}

// kept is what a question wants the disk to keep.
type kept struct {
	name string
	of   part
}

func (w *waiting) add(m *nats.Msg) {
	if w.questions == nil {
		w.questions = map[kept][]*nats.Msg{}
	}
	q := kept{last(m.Subject), whole}
	if part(m.Data) == results {
		q.of = results
	}
	w.questions[q] = append(w.questions[q], m)
	w.count++
	w.due = w.due || q.of != results || w.count >= resultsMany
}
