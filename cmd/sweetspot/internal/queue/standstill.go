package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sweetspot-go/sweetspot/internal/pause"
)

// away reports whether an error is that of a server which does not answer now.
func away(err error) bool {
	if full(err) {
		return false
	}
	if isAny(err,
		nats.ErrTimeout, nats.ErrNoResponders, jetstream.ErrNoStreamResponse, nats.ErrDisconnected, nats.ErrConnectionReconnecting,
		nats.ErrReconnectBufExceeded, nats.ErrNoStreamResponse, context.DeadlineExceeded, jetstream.ErrJetStreamNotEnabled,
		jetstream.ErrAsyncPublishTimeout, jetstream.ErrTooManyStalledMsgs,
	) {
		return true
	}
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (api.Code == 503 || api.Code == 429) // 429: it has yet to store what came before
}

func isAny(err error, of ...error) bool {
	return slices.ContainsFunc(of, func(e error) bool { return errors.Is(err, e) })
}

// What a server says when there is no room, by server/errors.json of nats-server v2.15.2.
const (
	codeResources     = 10023 // all streams together have reached the bound of the server
	codeAccount       = 10002 // or that of the account
	codeStorage       = 10047 // there is no room for another stream
	codeStoreFailed   = 10077 // the stream has reached its own bound, if it is that which says
	boundOfStoreBegin = "maximum "
)

// full reports whether an error says that the server has no room.
func full(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (slices.Contains([]jetstream.ErrorCode{codeResources, codeAccount, codeStorage}, api.ErrorCode) ||
		api.ErrorCode == codeStoreFailed && strings.HasPrefix(api.Description, boundOfStoreBegin))
}

// errUnstored is what a server with a full disk does: it answers questions, and is silent about
// messages to be stored.
var errUnstored = errors.New("the server answers, but stores nothing: is its disk full?")

// makeRoom says what helps where a store is full.
const makeRoom = "queue delete of what is done makes room, queue work --keep bounds how long results stay, and queue serve --store-max says how much the server may keep"

// reason returns why nothing goes on, for messages, given the error of a question.
func (c *connection) reason(ctx context.Context, err error) error {
	switch {
	case full(err):
		return fmt.Errorf("the store is full (%w): %s", err, makeRoom)
	case !c.nc.IsConnected():
		return fmt.Errorf("no connection to the queues %s", c.place())
	}
	once, cancel := context.WithTimeout(ctx, askMost)
	defer cancel()
	switch _, ierr := c.js.AccountInfo(once); {
	case ierr == nil && errors.Is(err, errUnkept):
		return errUnkept
	case ierr == nil:
		return errUnstored
	case errors.Is(ierr, jetstream.ErrJetStreamNotEnabled), errors.Is(ierr, nats.ErrNoResponders):
		return errors.New("the server has no JetStream now, which it ends when its disk is full")
	}
	return errors.New("the server does not answer")
}

// A standstill is what the calls under way wait for, if the server does not let them go on.
type standstill struct {
	mu      sync.Mutex
	waiting int
	why     string
}

// standsAfter is how long a call waits before it is worth a word: a server that starts
// anew is away for less.
const standsAfter = 3 * time.Second

// wait takes down that so many more calls wait, and for what. It says what is new.
func (s *standstill) wait(more int, why string, say func(string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting += more
	if s.why != why {
		s.why = why
		say("waiting: " + why)
	}
}

// over takes down that a call does not wait any more. The last one says so, unless it has
// given up.
func (s *standstill) over(gone bool, say func(string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting--
	if s.waiting == 0 {
		s.why = ""
		if !gone {
			say("goes on")
		}
	}
}

// reason returns what is waited for, "" if nothing is.
func (s *standstill) reason() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// try calls f until the server has answered, or ctx is done. A patient connection also
// waits for room. The server does not answer what our key does not allow: that ends it too.
func (c *connection) try(ctx context.Context, f func(context.Context) error) (err error) {
	told, waits := time.Now(), 0
	defer func() {
		if waits > 0 {
			c.stands.over(err != nil, c.say)
		}
	}()
	for {
		before := c.denied.Load()
		once, cancel := context.WithTimeout(ctx, askMost)
		err = f(once)
		cancel()
		if err != nil && !full(err) && (!c.patient || away(err)) {
			if denied := c.denial(before); denied != nil {
				return denied
			}
		}
		if err == nil || ctx.Err() == nil && !away(err) && !(c.patient && full(err)) {
			return err
		}
		if ctx.Err() == nil && (time.Since(told) > standsAfter || waits == 0 && full(err)) {
			c.stands.wait(1-waits, c.reason(ctx, err).Error(), c.say)
			told, waits = time.Now(), 1
		}
		if err := pause.Sleep(ctx, reconnectWait); err != nil {
			return err
		}
	}
}

// asked returns what f returns, by try of a connection or a queue.
func asked[T any](ctx context.Context, try func(context.Context, func(context.Context) error) error, f func(context.Context) (T, error)) (v T, err error) {
	err = try(ctx, func(ctx context.Context) (err error) {
		v, err = f(ctx)
		return err
	})
	return v, err
}

// askMost is how long a question may take. One that was lost with a connection would
// else be waited for.
const askMost = 2 * time.Second
