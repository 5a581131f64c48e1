package queue

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

type (
	Record  = record
	Records = texts
	Object  = object
)

// Encode returns r as it is kept.
func Encode(r *Record) ([]byte, error) { return r.encode() }

// Marshal returns r as encoding/json writes it.
func Marshal(r *Record) ([]byte, error) { return marshal(r) }

// Decode reads what Encode returned.
func Decode(data []byte) (r Record, err error) {
	err = json.Unmarshal(data, &r)
	return r, err
}

// DialEnded dials a server of this process that has ended by itself.
func DialEnded(dir string) (net.Conn, error) {
	h := &home{dir: dir}
	defer h.close()
	if err := h.serve(h.options()); err != nil {
		return nil, nil
	}
	h.server.Shutdown()
	return h.Dial("", "")
}

// A Home is a home in a process of the tests.
type Home struct{ *home }

func OpenHome(dir string) Home { return Home{&home{dir: dir}} }

// Serve has h serve with what is confirmed on the disk or not, nil for as it is kept.
func (h Home) Serve(opts *server.Options, sync *bool) error {
	h.sync = sync
	if opts == nil {
		opts = h.options()
		opts.AllowNonTLS = true
	}
	return h.home.serve(opts)
}

func (h Home) Durable() bool { return h.server.JetStreamConfig().SyncAlways }
func (h Home) Close()        { h.home.close() }

// A Queue is a queue of a home.
type Queue struct{ *queue }

// OpenQueue connects to the home in dir.
func OpenQueue(ctx context.Context, dir, name string) (Queue, func(), error) {
	c := &connection{dir: dir, most: time.Minute}
	if err := c.open(ctx, false, nil); err != nil {
		return Queue{}, c.close, err
	}
	q, err := c.queue(ctx, name, true)
	return Queue{q}, c.close, err
}

// Left returns how many jobs have no result, and how many have one.
func (q Queue) Left(ctx context.Context) (waiting uint64, results int, err error) {
	if waiting, err = q.waiting(ctx); err != nil {
		return 0, 0, err
	}
	all, err := q.numbers(ctx, jobKeys)
	return waiting, len(all), err
}

// Warnings returns what queue serve warns of with such flags.
func Warnings(listen, config string, noAuth, noTLS bool, dir string) ([]string, error) {
	o := &serveOptions{listen: listen, config: config, noAuth: noAuth, noTLS: noTLS, keep: true}
	opts, err := o.options()
	if err == nil && config == "" {
		err = (&home{dir: dir, open: noAuth}).secure(opts)
	}
	return warnings(opts), err
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
