package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// A record is the result of a job, as it is kept and as queue results prints it: the
// README of the command describes it.
type record struct {
	Version int       `json:"version"`
	Job     uint64    `json:"job"`
	State   string    `json:"state"`
	Values  texts     `json:"values"`
	Status  int       `json:"status"`
	Signal  int       `json:"signal,omitempty"`
	Error   string    `json:"error,omitempty"`
	Tries   int       `json:"tries"`
	Round   int       `json:"round"`
	Worker  string    `json:"worker"`
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Stdout  text      `json:"stdout"`
	Stderr  text      `json:"stderr"`
	Push    string    `json:"push,omitempty"` // the id of its push; it is not printed
	// Outputs names the object that holds both outputs, where they are too long for
	// a message. It is not printed.
	Outputs *object `json:"outputs,omitempty"`

	revision uint64
}

// An object is where long outputs are: stdout, and behind it stderr.
type object struct {
	Name   string `json:"name"`
	Stdout int    `json:"stdout"` // how long it is
}

// States of a record.
const (
	stateDone   = "done"
	stateFailed = "failed"
	stateAgain  = "again" // it failed, and is to be tried anew
)

const recordVersion = 1

// inlineMost is the longest record that is one message. Longer ones would hold up
// those behind them, and a server may not take them.
const inlineMost = 256 << 10

// newRecord returns the record of a job that has ended.
func newRecord(j *job, worker string, r *run.Result) *record {
	rec := &record{
		Version: recordVersion, Job: j.number, State: stateDone, Values: asTexts(j.values), Tries: j.deliveries, Round: j.round, Push: j.id,
		Worker: worker, Status: r.Status, Signal: r.Signal, Began: r.Began.UTC(), Seconds: r.Took.Seconds(),
		Stdout: text(r.Stdout), Stderr: text(r.Stderr),
	}
	switch {
	case r.TimedOut:
		rec.Error = "it ran out of time"
	case r.Signal != 0:
		rec.Error = fmt.Sprintf("signal %d", r.Signal)
	case r.Status != 0:
		rec.Error = fmt.Sprintf("exit status %d", r.Status)
	}
	if r.Failed() {
		rec.State = stateFailed
	}
	return rec
}

// write records r unless the job has a result already: of one that was delivered twice,
// the first result counts. revision is that of the record it takes the place of, 0 if
// there is none. It returns nil once there is a record.
func (q *queue) write(ctx context.Context, r *record, revision uint64) error {
	data, err := r.encode()
	if err != nil {
		return err
	}
	if len(data) > inlineMost || int64(len(data)) > q.nc.MaxPayload() {
		if data, err = q.putOutputs(ctx, r); err != nil {
			return err
		}
	}
	err = q.try(ctx, func(ctx context.Context) error {
		if q.put(ctx, jobKey(r.Job), data, revision) {
			return nil
		}
		var err error
		if revision == 0 {
			_, err = q.kv.Create(ctx, jobKey(r.Job), data)
		} else {
			_, err = q.kv.Update(ctx, jobKey(r.Job), data, revision)
		}
		return err
	})
	if errors.Is(err, jetstream.ErrKeyExists) {
		return nil // perhaps ours, whose confirmation was lost
	}
	return err
}

// put does what Create and Update of the bucket do, as far as all goes well: each job has
// one record, and most of what they cost is to read what the server says to it. It reports
// whether the record is there; if not, they may find out why.
func (q *queue) put(ctx context.Context, key string, data []byte, revision uint64) bool {
	bucket := "KV_" + prefix + q.name
	answer, err := q.nc.RequestMsgWithContext(ctx, &nats.Msg{
		Subject: "$KV." + prefix + q.name + "." + key, Data: data,
		Header: nats.Header{jetstream.ExpectedLastSubjSeqHeader: {strconv.FormatUint(revision, 10)}},
	})
	return err == nil && bytes.HasPrefix(answer.Data, []byte(`{"stream":"`+bucket+`",`)) && !bytes.Contains(answer.Data, []byte(`"error"`))
}

// putOutputs puts the outputs of r into an object, and returns r without them.
func (q *queue) putOutputs(ctx context.Context, r *record) ([]byte, error) {
	short := *r
	short.Stdout, short.Stderr = nil, nil
	// The name is new, so that of two workers with the same job each reads its own.
	short.Outputs = &object{Name: fmt.Sprintf("%d.%s", r.Job, nuid.Next()), Stdout: len(r.Stdout)}
	err := q.try(ctx, func(context.Context) error {
		store, err := q.outputs(ctx, true)
		if err != nil {
			return err
		}
		_, err = store.Put(ctx, jetstream.ObjectMeta{Name: short.Outputs.Name}, io.MultiReader(bytes.NewReader(r.Stdout), bytes.NewReader(r.Stderr)))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the outputs of job %d: %w", r.Job, err)
	}
	return short.encode()
}

// outputs returns the store of long outputs.
func (q *queue) outputs(ctx context.Context, create bool) (jetstream.ObjectStore, error) {
	store, err := q.js.ObjectStore(ctx, prefix+q.name)
	if errors.Is(err, jetstream.ErrBucketNotFound) && create && q.ours() {
		if err := q.ask(ctx, makeSubject, []byte(makeOutputs)); err != nil {
			return nil, err
		}
		return q.js.ObjectStore(ctx, prefix+q.name)
	}
	if errors.Is(err, jetstream.ErrBucketNotFound) && create {
		return q.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: prefix + q.name, Storage: jetstream.FileStorage})
	}
	return store, err
}

// read returns the record of a job, nil if there is none. Long outputs are left where
// they are.
func (q *queue) read(ctx context.Context, number uint64) (r *record, err error) {
	err = q.try(ctx, func(ctx context.Context) error {
		e, err := q.kv.Get(ctx, jobKey(number))
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		r = &record{revision: e.Revision()}
		return json.Unmarshal(e.Value(), r)
	})
	if err != nil {
		return nil, fmt.Errorf("the result of job %d: %w", number, err)
	}
	return r, nil
}

// fetch gives r the outputs that are elsewhere.
func (q *queue) fetch(ctx context.Context, r *record) error {
	if r.Outputs == nil {
		return nil
	}
	return q.try(ctx, func(context.Context) error {
		store, err := q.outputs(ctx, false)
		if err != nil {
			return err
		}
		data, err := store.GetBytes(ctx, r.Outputs.Name)
		if err != nil {
			return fmt.Errorf("the outputs of job %d: %w", r.Job, err)
		}
		n := min(r.Outputs.Stdout, len(data))
		r.Stdout, r.Stderr, r.Outputs = data[:n], data[n:], nil
		return nil
	})
}

// workerName is how results and status call this process.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s:%d", host, os.Getpid())
}
