package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/pause"
)

// A jobError is the result of a try that failed.
type jobError struct{ *record }

func (e jobError) Error() string { return e.record.Error }

// handle runs a job and records its result, if it has none.
func (w *worker) handle(ctx context.Context, m jetstream.Msg) error {
	j, err := readJob(m)
	if err != nil {
		return natslimit.Permanent(err)
	}
	revision, recorded, err := w.before(ctx, j, w.look.Load())
	if err != nil || recorded {
		return natslimit.Uncounted(err)
	}
	res, err := w.try(ctx, j)
	if errors.Is(err, run.ErrCommand) {
		return natslimit.Permanent(err)
	}
	if err != nil {
		return natslimit.Uncounted(err)
	}
	r := newRecord(j, w.name, &res, int64(w.outputMax))
	if res.Failed() {
		if !natslimit.Final(ctx) {
			r.short()
		}
		return jobError{r}
	}
	// Nobody need wait for the server with a place among the running jobs.
	natslimit.Record(ctx, func(ctx context.Context) error {
		if err := w.write(ctx, r, revision); err != nil {
			return natslimit.Uncounted(err)
		}
		if j.last {
			select {
			case w.last <- struct{}{}:
			default:
			}
		}
		return nil
	})
	return nil
}

// before reports whether j has its result already, and else the revision of the
// record that this takes the place of.
func (w *worker) before(ctx context.Context, j *job, look bool) (revision uint64, recorded bool, err error) {
	if !look && j.deliveries == 1 && j.round == 1 {
		return 0, false, nil
	}
	if j.round > 1 {
		err := w.q.durably(ctx, results, func(ctx context.Context) error {
			return w.q.put(ctx, roundKey(j.message), "")
		})
		if err != nil {
			return 0, false, err
		}
	}
	r, err := w.q.read(ctx, j.number)
	if err != nil || r == nil {
		return 0, false, err
	}
	if r.State == stateAgain && r.Round < j.round {
		return r.revision, false, nil
	}
	// The worker that recorded it may have died before it was on the disk, and the job goes now.
	return 0, true, w.q.durably(ctx, results, func(ctx context.Context) error {
		r, err := w.q.read(ctx, j.number)
		if err == nil && r == nil {
			err = fmt.Errorf("the result of job %d was lost with the server", j.number)
		}
		return err
	})
}

const (
	scarcePause = 100 * time.Millisecond
	// scarceFor is how long a job waits in hand for the machine to have room; then
	// another worker may.
	scarceFor = 10 * time.Second
)

// try runs j, as soon as the machine has room for it.
func (w *worker) try(ctx context.Context, j *job) (run.Result, error) {
	for began := time.Now(); ; {
		res, err := w.x.Run(int64(j.number), j.values)
		if !errors.Is(err, run.ErrScarce) || time.Since(began) > scarceFor {
			return res, err
		}
		if pause.Sleep(ctx, scarcePause) != nil {
			return res, run.ErrCut
		}
	}
}

// recordMost is how long a worker that is to end tries to record what it has finished.
const recordMost = 5 * time.Second

// write records r, though ctx may be done: the job has run.
func (w *worker) write(ctx context.Context, r *record, revision uint64) error {
	defer r.close()
	last, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		_ = pause.Sleep(last, recordMost)
		cancel()
	})()
	if err := w.same(last, r); err != nil {
		return err
	}
	return w.q.durably(last, results, func(ctx context.Context) error {
		if r.State == stateFailed { // first where to find it
			if err := w.q.put(ctx, deadKey(r.Job), ""); err != nil {
				return err
			}
		}
		return w.q.write(ctx, r, revision)
	})
}

// longJob is how long a job must have taken for it to be looked whether the queue is still the
// same, even if the server was never away: one question costs nothing beside it.
const longJob = 10 * time.Second

// same returns an error if the queue was deleted since r began. There may be one of the
// same name, whose jobs have the same numbers: r is not a result of theirs.
func (w *worker) same(ctx context.Context, r *record) error {
	cuts := w.cuts.Load()
	if !w.gone.Load() && (cuts != w.known.Load() || time.Since(r.Began) > longJob) {
		_, err := w.q.waiting(ctx)
		switch {
		case errors.Is(err, errDeleted):
			w.gone.Store(true)
			w.stop()
		case err != nil:
			return err
		default:
			w.known.Store(cuts)
		}
	}
	if w.gone.Load() {
		return w.q.deleted()
	}
	return nil
}

// bury records that a job has failed for good.
func (w *worker) bury(ctx context.Context, m jetstream.Msg, cause error) error {
	j, err := readJob(m)
	if err != nil && j == nil {
		return err
	}
	revision, recorded, err := w.before(ctx, j, true)
	if err != nil || recorded {
		return err
	}
	e, ok := errors.AsType[jobError](cause)
	if !ok {
		now := time.Now()
		e.record = newRecord(j, w.name, &run.Result{Status: -1, Began: now}, 0)
		e.record.Error = cause.Error()
		if known, ok := errors.AsType[*natslimit.FailuresError](cause); ok {
			e.record.failed(known)
		} else if errors.Is(cause, natslimit.ErrDeliveries) {
			e.record.Error = fmt.Sprintf("its worker died, or was not heard of for the lease, %s: --deaths %d", humanize.Count(w.deaths, "times"), w.deaths)
		}
	}
	if err := w.write(ctx, e.record, revision); err != nil {
		return err
	}
	w.failed.Add(1)
	return nil
}

// backoff returns the pause before the try after so many.
func (w *worker) backoff(tries int) time.Duration {
	wait, most := w.pause, max(w.pause, time.Minute)
	for n := 1; n < tries && 0 < wait && wait < most; n++ {
		wait *= 2
	}
	return min(wait, most)
}
