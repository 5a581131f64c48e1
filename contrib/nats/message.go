package natslimit

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A message is what a puller got. It implements [jetstream.Msg].
type message struct {
	m        *nats.Msg
	nc       *nats.Conn
	meta     *jetstream.MsgMetadata // nil if it is of no consumer
	answered atomic.Bool
}

func newMessage(m *nats.Msg, nc *nats.Conn) *message {
	msg := &message{m: m, nc: nc}
	if n, err := m.Metadata(); err == nil { // always, from a consumer
		msg.meta = &jetstream.MsgMetadata{
			Sequence:     jetstream.SequencePair(n.Sequence),
			NumDelivered: n.NumDelivered, NumPending: n.NumPending, Timestamp: n.Timestamp,
			Stream: n.Stream, Consumer: n.Consumer, Domain: n.Domain,
		}
	}
	return msg
}

func (m *message) Metadata() (*jetstream.MsgMetadata, error) {
	if m.meta == nil {
		return nil, jetstream.ErrNotJSMessage
	}
	meta := *m.meta
	return &meta, nil
}

func (m *message) Data() []byte         { return m.m.Data }
func (m *message) Headers() nats.Header { return m.m.Header }
func (m *message) Subject() string      { return m.m.Subject }
func (m *message) Reply() string        { return m.m.Reply }

// What a message is answered with, by the protocol of JetStream.
const (
	wordAck        = "+ACK"
	wordNak        = "-NAK"
	wordInProgress = "+WPI"
	wordTerm       = "+TERM"
)

func (m *message) Ack() error  { return m.answer(wordAck) }
func (m *message) Nak() error  { return m.answer(wordNak) }
func (m *message) Term() error { return m.answer(wordTerm) }

func (m *message) TermWithReason(reason string) error { return m.answer(wordTerm + " " + reason) }

func (m *message) NakWithDelay(delay time.Duration) error {
	return m.answer(wordNak + ` {"delay": ` + strconv.FormatInt(int64(delay), 10) + "}")
}

// InProgress may be said again and again, until there is an answer.
func (m *message) InProgress() error {
	if m.answered.Load() {
		return jetstream.ErrMsgAlreadyAckd
	}
	return m.nc.Publish(m.m.Reply, []byte(wordInProgress))
}

// answer gives the one answer that there may be.
func (m *message) answer(word string) error {
	if m.answered.Load() {
		return jetstream.ErrMsgAlreadyAckd
	}
	err := m.nc.Publish(m.m.Reply, []byte(word))
	if err == nil {
		m.answered.Store(true)
	}
	return err
}

// DoubleAck acknowledges the message and waits for the server to confirm it. Without a
// deadline of ctx it waits as long as the client does by default.
func (m *message) DoubleAck(ctx context.Context) error {
	if m.answered.Load() {
		return jetstream.ErrMsgAlreadyAckd
	}
	if _, bound := ctx.Deadline(); !bound {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, confirmMost)
		defer cancel()
	}
	_, err := m.nc.RequestWithContext(ctx, m.m.Reply, []byte(wordAck))
	if err == nil {
		m.answered.Store(true)
	}
	return err
}

const confirmMost = 5 * time.Second
