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
	inbox   string // below it is where the answers to a request come
	asked   uint64 // requests: each has a subject of its own, and so has what the server says of it
	sub     *nats.Subscription
	answers chan *nats.Msg
	timer   *time.Timer
	back    func(jetstream.Msg) // gives back what came too late
}

// newPuller returns one for the consumer that info is of.
func newPuller(js jetstream.JetStream, info *jetstream.ConsumerInfo, back func(jetstream.Msg)) (*puller, error) {
	prefix := jetstream.DefaultAPIPrefix
	switch o := js.Options(); {
	case o.APIPrefix != "":
		prefix = strings.TrimSuffix(o.APIPrefix, ".") + "."
	case o.Domain != "":
		prefix = "$JS." + o.Domain + ".API."
	}
	p := &puller{nc: js.Conn(), subject: prefix + "CONSUMER.MSG.NEXT." + info.Stream + "." + info.Name, timer: time.NewTimer(0), back: back}
	return p, p.begin()
}

// begin has answers come to an inbox.
func (p *puller) begin() (err error) {
	p.inbox = p.nc.NewInbox() + "."
	p.answers = make(chan *nats.Msg, 2*batchMost) // more than one request is answered with: the client drops what finds no room
	p.sub, err = p.nc.ChanSubscribe(p.inbox+"*", p.answers)
	return err
}

// lateMost is how long the next answer, or the server's word that a request has run out,
// may be under way.
const lateMost = time.Second

// fetch asks for n messages, and hands those to take that come. It returns how many did,
// and an error if that is not because there are no more, or not in time.
func (p *puller) fetch(n int, expiry time.Duration, take func(jetstream.Msg)) (got int, err error) {
	p.asked++
	reply := p.inbox + strconv.FormatUint(p.asked, 10)
	ask := make([]byte, 0, 48)
	ask = strconv.AppendInt(append(ask, `{"batch":`...), int64(n), 10)
	ask = append(strconv.AppendInt(append(ask, `,"expires":`...), int64(expiry), 10), '}')
	if err := p.nc.PublishRequest(p.subject, reply, ask); err != nil {
		return 0, err
	}
	p.timer.Reset(expiry + lateMost)
	defer p.timer.Stop()
	for seen := 0; got < n; {
		select {
		case m := <-p.answers:
			switch said := status(m); {
			case said == "":
				take(newMessage(m, p.nc))
				got++
			case said == "100", m.Subject != reply: // a sign of life, or said of an earlier request
			default:
				if err := meant(said, m.Header.Get("Description")); err != nil {
					return got, errors.Join(err, p.renew())
				}
				return got, nil
			}
		case <-p.timer.C:
			if got > seen { // over a slow network the rest of them is under way
				seen = got
				p.timer.Reset(expiry + lateMost)
				continue
			}
			return got, p.renew()
		}
	}
	return got, nil
}

// renew is for a request that is lost, or under way to a server that is away, or has
// failed, of which the server may still send messages: they are not to be counted for the
// next request, and nobody waits for them here.
func (p *puller) renew() error {
	p.end()
	return p.begin()
}

// end lets no more come, and gives back what came in vain.
func (p *puller) end() {
	_ = p.sub.Unsubscribe() // else the connection is closed, and it is no more
	for {
		select {
		case m := <-p.answers:
			if status(m) == "" {
				p.back(newMessage(m, p.nc))
			}
		default:
			return
		}
	}
}

// status returns the code of what is not a message of the stream, but the server's own word.
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
