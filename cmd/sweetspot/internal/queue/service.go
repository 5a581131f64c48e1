package queue

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Names of servers of ours. Clients read them before they send anything.
const (
	serverName  = "sweetspot"
	durableName = "sweetspot-durable-" // + run of the machine: what it confirms is on the disk once syncSubject says so
)

// Subjects of a server of ours. The name of a queue follows.
const (
	apiPrefix    = "sweetspot.api"    // + what is asked of JetStream, or is put into a bucket
	storesPrefix = "sweetspot.stores" // + what is asked of the JetStream of long outputs
	pushSubject  = "sweetspot.push."  // adds a job, and has the stream answer
	sentSubject  = "sweetspot.sent."  // says which of some jobs have a result, as [which] asks
	makeSubject  = "sweetspot.make."  // makes what the message says
	tuneSubject  = "sweetspot.tune."  // changes what a [tuning] says
	syncSubject  = "sweetspot.sync."  // + run of the machine + ".": see [disk]
)

// What a message to makeSubject may say.
const (
	makeQueue   = ""        // makes the queue
	makeOutputs = "outputs" // makes the store of long outputs
	makeTries   = "tries"   // makes the bucket of failures
	makeNothing = "nothing" // says whether there is a queue
	makeWay     = "way"     // removes jobs that cannot be read
)

// A service answers the questions that NATS itself does not. The answer is empty, or says
// what went wrong.
type service struct {
	conn  *connection
	disk  *disk
	syncs chan *nats.Msg
	stop  chan struct{}
	aside sync.WaitGroup
}

// syncsMost is how many questions wait for the disk at a time. Those beyond are asked again.
const syncsMost = 16 << 10

// startService starts a service beside a server. The clock may be behind what the last server noted.
func (h *home) startService(s *server.Server, store string, behind bool) (*service, error) {
	path, err := h.seed(userKey)
	if err != nil {
		return nil, err
	}
	key, err := nats.NkeyOptionFromSeed(path)
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect("", nats.InProcessServer(s), key, nats.Name("sweetspot service"),
		nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(0, 0))
	if err != nil {
		return nil, err
	}
	v := &service{
		conn:  &connection{nc: nc, home: h, say: h.tell},
		disk:  newDisk(streamsIn(store), h.dir, h.flush),
		syncs: make(chan *nats.Msg, syncsMost), stop: make(chan struct{}),
	}
	if h.service != nil { // it may have been started anew, but the disk was not
		v.disk.failed = h.service.disk.failed
	}
	v.conn.js, err = jetstream.New(nc)
	for subject, answer := range map[string]nats.MsgHandler{
		apiPrefix + ".>": v.forward, storesPrefix + ".>": v.forward, pushSubject + "*": v.forward,
		makeSubject + "*": v.of(v.make), tuneSubject + "*": v.of(v.tune), sentSubject + "*": v.sent,
	} {
		if err == nil {
			_, err = nc.Subscribe(subject, answer)
		}
	}
	if err == nil {
		_, err = nc.ChanSubscribe(syncSubject+strings.TrimPrefix(s.Name(), durableName)+".*", v.syncs)
	}
	if err == nil {
		err = nc.FlushTimeout(askMost)
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	v.aside.Go(v.sync)
	v.aside.Go(func() { v.watchClock(behind) })
	return v, nil
}

// streamsIn returns where a server keeps its streams in a store.
func streamsIn(store string) string { return filepath.Join(store, "jetstream", "$G", "streams") }

func (v *service) close() {
	v.conn.nc.Close()
	close(v.stop)
	v.aside.Wait()
}

func last(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// answerable reports whether an answer goes to a client. NATS lets a question name any subject for
// it, also one that its sender may not write to: a stream's, or one that deletes streams.
func answerable(m *nats.Msg) bool { return strings.HasPrefix(m.Reply, nats.InboxPrefix) }

// answer says how a question went. One that the server itself did not answer is asked again.
func answer(m *nats.Msg, err error) {
	switch {
	case !answerable(m):
	case err == nil:
		_ = m.Respond(nil)
	case !away(err):
		_ = m.Respond(refusal(err))
	}
}

// refusal returns an error as it is sent: those of JetStream with their code.
func refusal(err error) []byte {
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		if data, jerr := json.Marshal(api); jerr == nil {
			return data
		}
	}
	return []byte(err.Error())
}

func readRefusal(data []byte) error {
	var api jetstream.APIError
	if json.Unmarshal(data, &api) == nil && api.ErrorCode != 0 {
		return &api
	}
	return errors.New(string(data))
}

// forward has JetStream answer.
func (v *service) forward(m *nats.Msg) {
	if !answerable(m) {
		return
	}
	to, pushed := strings.CutPrefix(m.Subject, pushSubject)
	of, stored := strings.CutPrefix(to, storesPrefix+".")
	to = strings.TrimPrefix(to, apiPrefix+".")
	switch {
	case pushed:
		to = jobsSubject + to
	case stored && !ofOutputs(of):
		return
	case stored:
		to = jetstream.DefaultAPIPrefix + of
	case !strings.HasPrefix(to, "$KV."):
		to = jetstream.DefaultAPIPrefix + to
	}
	_ = v.conn.nc.PublishMsg(&nats.Msg{Subject: to, Reply: m.Reply, Header: m.Header, Data: m.Data})
}

// ofOutputs reports whether a question to JetStream, such as STREAM.PURGE.NAME or
// DIRECT.GET.NAME.SUBJECT, is one about long outputs. To delete these, a worker may purge their
// stream, and no other.
func ofOutputs(question string) bool {
	tokens := strings.SplitN(question, ".", 4)
	return len(tokens) > 2 && strings.HasPrefix(tokens[2], "OBJ_"+prefix)
}

// of answers questions about a queue by f.
func (v *service) of(f func(ctx context.Context, q *queue, data []byte) error) nats.MsgHandler {
	return func(m *nats.Msg) {
		ctx, cancel := context.WithTimeout(context.Background(), askMost)
		defer cancel()
		answer(m, f(ctx, &queue{connection: v.conn, name: last(m.Subject)}, m.Data))
	}
}

func (v *service) make(ctx context.Context, q *queue, what []byte) error {
	return q.provide(ctx, string(what))
}

func (v *service) tune(ctx context.Context, q *queue, data []byte) error {
	var t tuning
	if err := json.Unmarshal(data, &t); err != nil {
		return err
	}
	return q.apply(ctx, t)
}

// sync answers the questions for the disk. One flush answers all that came during the last one,
// which makes it cheap.
func (v *service) sync() {
	for {
		waiting := map[wanted][]*nats.Msg{}
		add := func(m *nats.Msg) {
			w := wanted{last(m.Subject), whole}
			if part(m.Data) == results {
				w.of = results
			}
			waiting[w] = append(waiting[w], m)
		}
		select {
		case m := <-v.syncs:
			add(m)
		case <-v.stop:
			return
		}
		for range len(v.syncs) {
			add(<-v.syncs)
		}
		for w, all := range waiting {
			err := v.disk.syncQueue(w.queue, w.of)
			for _, m := range all {
				answer(m, err)
			}
		}
	}
}

// wanted is what a question wants the disk to keep.
type wanted struct {
	queue string
	of    part
}
