package queue

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

type (
	Record  = record
	Records = texts
	Object  = object
)

// Marshal returns r as it is kept.
func Marshal(r *Record) ([]byte, error) { return marshal(r) }

// Decode reads what Marshal returned.
func Decode(data []byte) (r Record, err error) {
	err = json.Unmarshal(data, &r)
	return r, err
}

// DialEnded dials a server of this process that has ended by itself.
func DialEnded(dir string) (net.Conn, error) {
	h := newHome(dir)
	h.tell = func(string) {}
	defer h.close()
	if err := h.serve(hereOnly()); err != nil {
		return nil, nil
	}
	h.server.Shutdown()
	return h.Dial("", "")
}

// hereOnly returns the options of a server for this machine only, as Dial has them.
func hereOnly() *server.Options {
	return &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT}
}

// A Home is a home in a process of the tests.
type Home struct{ *home }

func OpenHome(dir string) Home { return Home{newHome(dir)} }

// Serve has h serve with what is confirmed on the disk or not, nil for as it is kept.
func (h Home) Serve(opts *server.Options, sync *bool) error {
	if sync != nil {
		h.alter(func(s *settings) { s.Sync = *sync })
	}
	if opts == nil {
		opts = hereOnly()
		opts.AllowNonTLS = true
	}
	return h.home.serve(opts)
}

func (h Home) URL() string   { return "nats://" + h.server.Addr().String() }
func (h Home) Durable() bool { return strings.HasPrefix(h.server.Name(), durableName) }
func (h Home) Close()        { h.home.close() }
func (h Home) Stop()         { h.home.stop() }

// StoreMax bounds the store from now on. It comes before Serve.
func (h Home) StoreMax(bytes run.Size) {
	h.alter(func(s *settings) { s.StoreMax = int64(bytes) })
}

// alter adds to what h changes of its settings.
func (h Home) alter(f func(*settings)) {
	before := h.change
	h.change = func(s *settings) {
		if before != nil {
			before(s)
		}
		f(s)
	}
}

// StoreMaxIs returns the bound of the server.
func (h Home) StoreMaxIs() int64 { return h.server.JetStreamConfig().MaxStore }

// Flush has flush called where the disk would keep a file. It comes before Serve.
func (h Home) Flush(flush func(*os.File) error) { h.flush = flush }

// A Queue is a queue of a home.
type Queue struct{ *queue }

// OpenQueue connects to the home in dir.
func OpenQueue(ctx context.Context, dir, name string) (Queue, func(), error) {
	c := &connection{dir: dir, most: time.Minute}
	if err := c.open(ctx, false, func(string) {}); err != nil {
		return Queue{}, c.close, err
	}
	q, err := c.queue(ctx, name, true)
	return Queue{q}, c.close, err
}

// Push pushes jobs, each with one value.
func (q Queue) Push(ctx context.Context, values ...string) error {
	_, err := q.publish(ctx, q.batch(values))
	return err
}

// PushOnly is Push without the disk.
func (q Queue) PushOnly(ctx context.Context, values ...string) error {
	_, err := q.sending().confirm(ctx, q.batch(values))
	return err
}

func (q Queue) batch(values []string) (batch []*nats.Msg) {
	for _, v := range values {
		m := q.message([]string{v})
		m.Header.Set(jetstream.MsgIDHeader, v)
		batch = append(batch, m)
	}
	return batch
}

// Acknowledge takes a job, and says that it is done.
func (q Queue) Acknowledge(ctx context.Context) error {
	m, err := q.consumer.Next(jetstream.FetchMaxWait(time.Minute))
	if err == nil {
		err = m.DoubleAck(ctx)
	}
	return err
}

// Record records that a job is done.
func (q Queue) Record(ctx context.Context, job uint64) error {
	r := &record{Version: recordVersion, Job: job, State: stateDone}
	return q.durably(ctx, results, func(ctx context.Context) error { return q.write(ctx, r, 0) })
}

// Bury takes a job and records that it failed for good, as a worker does. It returns the record.
func (q Queue) Bury(ctx context.Context, cause error) (*Record, error) {
	m, err := q.consumer.Next(jetstream.FetchMaxWait(time.Minute))
	if err != nil {
		return nil, err
	}
	w := &worker{workOptions: &workOptions{}, q: q.queue}
	if err := w.bury(ctx, m, cause); err != nil {
		return nil, err
	}
	j, err := readJob(m)
	if err != nil {
		return nil, err
	}
	return q.read(ctx, j.number)
}

// Unread returns those of some jobs without a result whose result is damaged.
func (q Queue) Unread(ctx context.Context, without ...uint64) ([]uint64, error) {
	return q.unread(ctx, without)
}

// Delete deletes the queue.
func (q Queue) Delete(ctx context.Context) error { return q.delete(ctx) }

// BreakStore has the server empty the stream no more, as after a fault of its store.
func (q Queue) BreakStore() { q.stream = brokenStream{q.stream} }

type brokenStream struct{ jetstream.Stream }

func (brokenStream) Purge(context.Context, ...jetstream.StreamPurgeOpt) error {
	return &jetstream.APIError{Code: 500, ErrorCode: 10051, Description: "lmb missing"}
}

// Durably is [queue.durably].
func (q Queue) Durably(ctx context.Context, write func(context.Context) error) error {
	return q.durably(ctx, whole, write)
}

// Left returns how many jobs have no result, and how many have one.
func (q Queue) Left(ctx context.Context) (waiting uint64, results int, err error) {
	if waiting, err = q.waiting(ctx); err != nil {
		return 0, 0, err
	}
	all, err := q.numbers(ctx, jobKeys)
	return waiting, len(all), err
}

// LockHome takes the lock of the home in dir, and keeps it.
func LockHome(dir string) error {
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = run.LockFile(lock)
	}
	held = lock
	return err
}

var held *os.File

const HomeFormat = homeFormat

// CutService has the server end the connection of its service.
func (h Home) CutService() error {
	id, err := h.service.conn.nc.GetClientID()
	if err == nil {
		err = h.server.DisconnectClientByID(id)
	}
	return err
}

// Path returns the name of a file of the home.
func (h Home) Path(name string) string { return filepath.Join(h.dir, name) }

// OpenServer connects to a server, with the key in a file.
func OpenServer(ctx context.Context, url, key, name string) (Queue, func(), error) {
	c := &connection{server: url, nkey: key, most: time.Minute, pushes: filepath.Base(key) == pushKey}
	if err := c.open(ctx, false, func(string) {}); err != nil {
		return Queue{}, c.close, err
	}
	q, err := c.queue(ctx, name, true)
	return Queue{q}, c.close, err
}

// Intact reports whether the result of job 1 is there, and no order to end.
func (q Queue) Intact(ctx context.Context) (bool, error) {
	r, err := q.read(ctx, 1)
	if err != nil || r == nil || r.Job != 1 {
		return false, err
	}
	_, err = q.kv.Get(ctx, drainName)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return true, nil
	}
	return false, err
}

// Runnable takes n jobs, and returns the values of those that a worker would run.
func (q Queue) Runnable(ctx context.Context, n int) (values []string, err error) {
	batch, err := q.consumer.Fetch(n, jetstream.FetchMaxWait(time.Minute))
	if err != nil {
		return nil, err
	}
	for m := range batch.Messages() {
		if j, err := readJob(m); err == nil {
			values = append(values, j.values...)
		}
	}
	return values, batch.Error()
}

// Upload puts a long output of a job into the store.
func (q Queue) Upload(ctx context.Context, job uint64, stdout []byte) (*Object, error) {
	return q.upload(ctx, job, inMemory(stdout, nil))
}

// Download returns what Upload has put there. The client bounds a request by d where nobody else does.
func (q Queue) Download(ctx context.Context, job uint64, o *Object, d time.Duration) (stdout []byte, err error) {
	if q.stores, err = jetstream.NewWithAPIPrefix(q.nc, storesPrefix, jetstream.WithDefaultTimeout(d)); err != nil {
		return nil, err
	}
	err = q.download(ctx, job, o, func(part []byte) error {
		stdout = append(stdout, part...)
		return nil
	})
	return stdout, err
}

// Backoff returns the pause after so many failures, with that --pause.
func Backoff(pause time.Duration, tries int) time.Duration {
	return (&worker{workOptions: &workOptions{pause: pause}}).backoff(tries)
}
