package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
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
	// StdoutBytes and StderrBytes say how much the job wrote, where less is kept.
	StdoutBytes int64  `json:"stdout_bytes,omitempty"`
	StderrBytes int64  `json:"stderr_bytes,omitempty"`
	Push        string `json:"push,omitempty"` // the id of its push; it is not printed
	// Outputs names the object that holds both outputs, where they are too long for
	// a message. It is not printed.
	Outputs *object `json:"outputs,omitempty"`

	long     *outputs // instead of Stdout and Stderr; nil if they are short, or in the store
	revision uint64
}

// States of a record.
const (
	stateDone   = "done"
	stateFailed = "failed"
	stateAgain  = "again" // it failed, and is to be tried anew
)

const recordVersion = 1

// What the error of a job begins with that ended by itself, or by a signal.
const (
	endedError  = "exit status "
	signalError = "signal "
)

// inlineMost is the longest record that is one message. Longer ones would hold up
// those behind them, and a server may not take them.
const inlineMost = 256 << 10

// newRecord returns the record of a job that has ended, with the first most bytes of each
// of its outputs. It is to be closed.
func newRecord(j *job, worker string, r *run.Result, most int64) *record {
	rec := &record{
		Version: recordVersion, Job: j.number, State: stateDone, Values: asTexts(j.values), Tries: j.deliveries, Round: j.round, Push: j.id,
		Worker: worker, Status: r.Status, Signal: r.Signal, Began: r.Began.UTC(), Seconds: r.Took.Seconds(),
	}
	out := inMemory(r.Stdout, r.Stderr)
	if r.Long != nil {
		out = &outputs{r.Long.Stdout, r.Long.Stderr, r.Long.Close}
		rec.long = out
	}
	rec.StdoutBytes, rec.StderrBytes = out.cut(most)
	if r.Long == nil {
		rec.Stdout, rec.Stderr = r.Stdout[:out.stdout.Size()], r.Stderr[:out.stderr.Size()]
	}
	switch {
	case r.TimedOut:
		rec.Error = "it ran out of time"
	case r.Signal != 0:
		rec.Error = signalError + strconv.Itoa(r.Signal)
	case r.Status != 0:
		rec.Error = endedError + strconv.Itoa(r.Status)
	}
	if r.Failed() {
		rec.State = stateFailed
	}
	return rec
}

// failed takes over what is known of a last failure whose worker did not come to record it.
func (r *record) failed(known *natslimit.FailuresError) {
	if n, _ := fmt.Sscanf(known.Last, endedError+"%d", &r.Status); n == 0 {
		_, _ = fmt.Sscanf(known.Last, signalError+"%d", &r.Signal)
	}
	r.Error = fmt.Sprintf("it failed %s, the last time with: %s; its worker ended before it could record that, and its output is lost",
		humanize.Count(known.Failures, "times"), cmp.Or(known.Last, "an unknown error"))
}

// close gives back what r holds beside its memory.
func (r *record) close() {
	if r.long != nil {
		r.long.close()
		r.long = nil
	}
}

// short drops long outputs: those of a try that is not the last are read by nobody.
func (r *record) short() {
	if r.long != nil {
		r.StdoutBytes, r.StderrBytes = max(r.StdoutBytes, r.long.stdout.Size()), max(r.StderrBytes, r.long.stderr.Size())
		r.close()
	}
}

// write records r unless the job has a result already: of one that was delivered twice,
// the first result counts. revision is that of the record it takes the place of, 0 if
// there is none. It returns nil once there is a record.
func (q *queue) write(ctx context.Context, r *record, revision uint64) error {
	data, err := marshal(r)
	if err != nil {
		return err
	}
	var stored *object
	if r.long != nil || len(data) > inlineMost || int64(len(data)) > q.nc.MaxPayload() {
		out := r.long
		if out == nil {
			out = inMemory(r.Stdout, r.Stderr)
		}
		// On the disk before what leads to it: others may have it keep the record at any time.
		err = q.durably(ctx, results, func(ctx context.Context) (err error) {
			q.discard(ctx, stored)
			stored, err = q.upload(ctx, r.Job, out)
			return err
		})
		if err != nil {
			return err
		}
		short := *r
		short.Stdout, short.Stderr, short.Outputs = nil, nil, stored
		if data, err = marshal(&short); err != nil {
			return err
		}
	}
	err = q.try(ctx, func(ctx context.Context) error {
		if revision != 0 {
			_, err := q.kv.Update(ctx, jobKey(r.Job), data, revision)
			if !errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
				return err
			}
			// Another result is there, or none any more: the one before has expired.
		}
		_, err := q.kv.Create(ctx, jobKey(r.Job), data)
		return err
	})
	if errors.Is(err, nats.ErrMaxPayload) { // never sent, so nothing leads to them
		q.discard(ctx, stored)
	}
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return err
	}
	if stored != nil { // unless it is ours, whose confirmation was lost
		first, err := q.read(ctx, r.Job)
		if err == nil && first != nil && (first.Outputs == nil || first.Outputs.Name != stored.Name) {
			q.discard(ctx, stored)
		}
	}
	return nil
}

// read returns the record of a job, nil if there is none. Long outputs are left where
// they are.
func (q *queue) read(ctx context.Context, number uint64) (r *record, err error) {
	e, err := q.entry(ctx, jobKey(number))
	if err == nil && e != nil {
		r = &record{revision: e.Revision()}
		err = json.Unmarshal(e.Value(), r)
	}
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
	var data []byte
	err := q.download(ctx, r.Job, r.Outputs, func(part []byte) error {
		data = append(data, part...)
		return nil
	})
	if err != nil {
		return err
	}
	n := min(int(r.Outputs.Stdout), len(data))
	r.Stdout, r.Stderr, r.Outputs = data[:n], data[n:], nil
	return nil
}

// entry returns that of a key, nil if it is not there.
func (q *queue) entry(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	return asked(ctx, q.try, func(ctx context.Context) (jetstream.KeyValueEntry, error) {
		e, err := q.kv.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil, nil
		}
		return e, err
	})
}

// revision returns that of a key, 0 if it is not there.
func (q *queue) revision(ctx context.Context, key string) (uint64, error) {
	e, err := q.entry(ctx, key)
	if err != nil || e == nil {
		return 0, err
	}
	return e.Revision(), nil
}

// put sets a key. Most say all by being there: their value is "".
func (q *queue) put(ctx context.Context, key, value string) error {
	return q.try(ctx, func(ctx context.Context) error {
		_, err := q.kv.PutString(ctx, key, value)
		return err
	})
}

// workerName names the worker that is a process of this machine.
func workerName(pid int) string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%s:%d", cmp.Or(host, "unknown"), pid)
}
