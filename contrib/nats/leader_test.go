package natslimit

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
)

// TestLateAnswersDoNotStandForNewOnes has two workers answer one question after the
// reading that asked it. The next reading must wait for the answers to its own: those
// of the last one tell of the time before the limit changed.
func TestLateAnswersDoNotStandForNewOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &leader{Fleet: &Fleet{}, inbox: "inbox", replies: make(chan *nats.Msg, 16), crew: map[string]*member{}}
		workers := []string{"a", "b"}
		answer := func(subject string, completed int64) {
			for _, w := range workers {
				d.replies <- &nats.Msg{Subject: subject, Data: encode(report{Worker: w, Completed: completed})}
			}
		}
		read := func(after time.Duration, completed int64) (took time.Duration) {
			d.asked++
			reply := d.reply()
			go func() {
				time.Sleep(after)
				answer(reply, completed)
			}()
			began := time.Now()
			d.gather(context.Background(), 20*time.Millisecond)
			return time.Since(began)
		}
		read(time.Millisecond, 10) // who they are is not known before
		if took := read(2*time.Millisecond, 20); took != 2*time.Millisecond || d.reading.Completed != 20 {
			t.Errorf("a reading took %v and saw %d completed, want those of 2 workers, 10 each, after 2ms", took, d.reading.Completed)
		}
		if took := read(30*time.Millisecond, 30); took != 20*time.Millisecond || d.reading.Completed != 20 {
			t.Errorf("a reading without answers took %v and saw %d completed, want 20 after 20ms", took, d.reading.Completed)
		}
		time.Sleep(20 * time.Millisecond)
		if took := read(time.Millisecond, 50); took != time.Millisecond || d.reading.Completed != 80 {
			t.Errorf("a reading after late answers took %v and saw %d completed, want 80 after 1ms", took, d.reading.Completed)
		}
	})
}
