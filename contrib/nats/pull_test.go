package natslimit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// TestOver: all is as with the client's requests.
func TestOver(t *testing.T) {
	rerun.Skip(t)
	for name, test := range map[string]func(*testing.T){
		"failures come again": TestFailuresComeAgain, "dead letters": TestDeadLetters, "poison": TestPoison,
		"panics": TestPanics, "goexit": TestGoexit, "away": TestAway, "deleted": TestDeleted,
		"deleted under handlers": TestDeletedUnderHandlers, "unconfirmed": TestUnconfirmed,
		"all": TestConsumeHandlesAll, "no more": TestConsumeTakesNoMore, "cancel": TestConsumeCancel,
		"record": TestRecordHoldsNoPermit, "record in the end": TestRecordInTheEnd, "record fails": TestRecordFails,
	} {
		t.Run(name, test)
	}
}

// TestOverPrefix: a JetStream with another prefix is asked there.
func TestOverPrefix(t *testing.T) {
	for name, open := range map[string]func(*service) (jetstream.JetStream, error){
		"prefix": func(s *service) (jetstream.JetStream, error) { return jetstream.NewWithAPIPrefix(s.nc, "$JS.here.API") },
		"domain": func(s *service) (jetstream.JetStream, error) { return jetstream.NewWithDomain(s.nc, "here") },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
			s.server.Shutdown()
			s.server.WaitForShutdown()
			s.options.JetStreamDomain = "here"
			s.start()
			s.nc, s.js = s.connect()
			s.js = must(open(s))
			s.consumer = must(s.js.Consumer(t.Context(), "jobs", "work"))
			s.over = true
			s.push(0, 20)
			var c tally
			end := s.consume(setTo(sweetspot.New(), 3), c.handle)
			s.eventually("all are done", func() bool { return c.different() == 20 && s.finished() })
			must(0, end())
		})
	}
}

// TestMessage: a message that Consume got itself says and does what one of the client does.
func TestMessage(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	s.over = true
	must(s.js.PublishMsg(t.Context(), &nats.Msg{Subject: "jobs.b", Data: []byte("7"), Header: nats.Header{"Colour": {"red"}}}))
	s.push(8, 1) // there is more than one, so that the first is not waited for
	looked := make(chan error, 10)
	end := s.consume(setTo(sweetspot.New(), 1), func(ctx context.Context, m jetstream.Msg) error {
		meta, err := m.Metadata()
		n := number(m)
		switch {
		case err != nil:
		case fmt.Sprintf("%T", m) != "*natslimit.message":
			err = nil // of the poll
		case n == 8 && (meta.Sequence.Stream != 2 || meta.NumPending != 0 || meta.Stream != "jobs" || meta.Consumer != "work" || meta.Timestamp.IsZero()):
			err = fmt.Errorf("the metadata are %+v", meta)
		case m.Subject() != "jobs.a" || len(m.Headers()) != 0 || !strings.HasPrefix(m.Reply(), "$JS.ACK.jobs.work."):
			err = fmt.Errorf("%s %v, to be answered at %s", m.Subject(), m.Headers(), m.Reply())
		default:
			err = errors.Join(m.InProgress(), m.DoubleAck(ctx))
			if err == nil {
				err = errors.New("it was not answered once")
				if errors.Is(m.Ack(), jetstream.ErrMsgAlreadyAckd) && errors.Is(m.InProgress(), jetstream.ErrMsgAlreadyAckd) && errors.Is(m.Nak(), jetstream.ErrMsgAlreadyAckd) {
					err = errOurs
				}
			}
		}
		looked <- err
		return nil
	}, natslimit.Unconfirmed()) // the handler has acknowledged by itself
	if err := errors.Join(<-looked); err != nil {
		t.Error(err)
	}
	if err := <-looked; err != errOurs {
		t.Errorf("the second one: %v", err)
	}
	s.eventually("both are done", s.finished)
	must(0, end())
	defer func() {
		if v := recover(); !strings.Contains(fmt.Sprint(v), "sweetspot: Over(nil)") {
			t.Errorf("recovered %v, want that nil is not JetStream", v)
		}
	}()
	natslimit.Over(nil)
}

var errOurs = errors.New("as it should be")
