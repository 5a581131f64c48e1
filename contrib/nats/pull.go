package natslimit

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A puller asks the server for messages by requests of its own. The client's cost more:
// one for several messages has an inbox of its own, that the server hears of and forgets
// again, and one for a single message passes through more goroutines.
type puller struct {
	nc      *nats.Conn
	subject string
	inbox   string // where the answers to all requests come, one after the other
	sub     *nats.Subscription
	answers chan *nats.Msg
	timer   *time.Timer
}

// newPuller returns one for the consumer that info is of.
func newPuller(js jetstream.JetStream, info *jetstream.ConsumerInfo) (*puller, error) {
	prefix := jetstream.DefaultAPIPrefix
	switch o := js.Options(); {
	case o.APIPrefix != "":
		prefix = strings.TrimSuffix(o.APIPrefix, ".") + "."
	case o.Domain != "":
		prefix = "$JS." + o.Domain + ".API."
	}
	p := &puller{nc: js.Conn(), subject: prefix + "CONSUMER.MSG.NEXT." + info.Stream + "." + info.Name, timer: time.NewTimer(0)}
	return p, p.begin()
}

// begin has answers come to an inbox.
func (p *puller) begin() (err error) {
	p.inbox = p.nc.NewInbox()
	p.answers = make(chan *nats.Msg, 2*batchMost) // more than one request is answered with: the client drops what finds no room
	p.sub, err = p.nc.ChanSubscribe(p.inbox, p.answers)
	return err
}

// lateMost is how long the server's word that a request has run out may be under way.
const lateMost = time.Second

// fetch asks for n messages, and hands those to take that come. It returns how many did,
// and an error if that is not because there are no more, or not in time.
func (p *puller) fetch(n int, expiry time.Duration, take func(jetstream.Msg)) (got int, err error) {
	ask := make([]byte, 0, 48)
	ask = strconv.AppendInt(append(ask, `{"batch":`...), int64(n), 10)
	ask = append(strconv.AppendInt(append(ask, `,"expires":`...), int64(expiry), 10), '}')
	if err := p.nc.PublishRequest(p.subject, p.inbox, ask); err != nil {
		return 0, err
	}
	p.timer.Reset(expiry + lateMost)
	defer p.timer.Stop()
	for got < n {
		select {
		case m := <-p.answers:
			if said := status(m); said == "" {
				take(newMessage(m, p.nc))
				got++
			} else if said != "100" { // is a sign of life
				return got, meant(said, m.Header.Get("Description"))
			}
		case <-p.timer.C:
			// The request is lost, or under way to a server that is away: what it has
			// sent then is not to come any more, and nobody waits for it here.
			for _, m := range p.end() {
				if err := m.NakWithDelay(atOnce); err != nil {
					return got, err
				}
			}
			return got, p.begin()
		}
	}
	return got, nil
}

// end lets no more come. It returns what came in vain.
func (p *puller) end() (late []jetstream.Msg) {
	_ = p.sub.Unsubscribe() // else the connection is closed, and it is no more
	for {
		select {
		case m := <-p.answers:
			if status(m) == "" {
				late = append(late, newMessage(m, p.nc))
			}
		default:
			return late
		}
	}
}

// status returns the code of what is no message of the stream, but the server's own word.
func status(m *nats.Msg) string {
	if len(m.Data) > 0 || len(m.Header) == 0 {
		return ""
	}
	return m.Header.Get("Status")
}

// meant returns the error that the server means, nil if it is that there are no more
// messages now.
func meant(code, description string) error {
	switch code {
	case "404", "408":
		return nil
	case "400":
		return jetstream.ErrBadRequest
	case "503":
		return nats.ErrNoResponders
	}
	if strings.Contains(strings.ToLower(description), "consumer deleted") {
		return jetstream.ErrConsumerDeleted
	}
	return errors.New("the server says: " + strings.TrimSpace(code+" "+description))
}
