package queue

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A job is a message of the stream: the values, each with a NUL behind it, which no
// argument can hold. Its number is that of the message. A job that is tried anew after
// it failed is another message, whose headers hold its number and round.
type job struct {
	number     uint64
	message    uint64 // its number
	round      int    // from 1
	values     []string
	id         string // of its push, by which messages that are sent twice are known
	deliveries int    // of this message
	last       bool   // nobody had to be given another one then
}

const (
	numberHeader = "Sweetspot-Job"
	roundHeader  = "Sweetspot-Round"
)

func (q *queue) message(values []string) *nats.Msg {
	var b bytes.Buffer
	for _, v := range values {
		b.WriteString(v)
		b.WriteByte(0)
	}
	m := &nats.Msg{Subject: q.subject(), Data: b.Bytes(), Header: nats.Header{}}
	if q.forwarded() {
		m.Subject = pushSubject + q.name
	}
	return m
}

func (q *queue) anew(j *job) *nats.Msg {
	m := q.message(j.values)
	number, round := strconv.FormatUint(j.number, 10), strconv.Itoa(j.round)
	m.Header.Set(numberHeader, number)
	m.Header.Set(roundHeader, round)
	m.Header.Set(jetstream.MsgIDHeader, number+"."+round)
	return m
}

func readJob(m jetstream.Msg) (*job, error) {
	meta, err := m.Metadata()
	if err != nil {
		return nil, err
	}
	j := &job{number: meta.Sequence.Stream, message: meta.Sequence.Stream, round: 1, deliveries: int(meta.NumDelivered), last: meta.NumPending == 0}
	j.values, err = readValues(m.Data())
	if err != nil {
		return j, err
	}
	j.id = m.Headers().Get(jetstream.MsgIDHeader)
	if h := m.Headers(); h != nil && h.Get(roundHeader) != "" {
		number, err := strconv.ParseUint(h.Get(numberHeader), 10, 64)
		if err != nil {
			return j, fmt.Errorf("the header %s: %w", numberHeader, err)
		}
		round, err := strconv.Atoi(h.Get(roundHeader))
		if err != nil || round < 1 {
			return j, fmt.Errorf("the header %s is %q: want 1 or more", roundHeader, h.Get(roundHeader))
		}
		j.number, j.round = number, round
	}
	return j, nil
}

// readValues reads what message has written.
func readValues(data []byte) ([]string, error) {
	if len(data) == 0 {
		return nil, nil
	}
	text, whole := strings.CutSuffix(string(data), "\x00")
	if !whole {
		return nil, fmt.Errorf("%.40q is not a list of values: want a NUL behind each", data)
	}
	return strings.Split(text, "\x00"), nil
}
