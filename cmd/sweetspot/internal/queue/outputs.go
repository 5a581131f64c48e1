package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// outputs are what a job wrote, as far as it is kept.
type outputs struct {
	stdout, stderr *io.SectionReader
	close          func() // gives back the files that they are in
}

// inMemory returns outputs that are not in files.
func inMemory(stdout, stderr []byte) *outputs {
	section := func(b []byte) *io.SectionReader { return io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b))) }
	return &outputs{section(stdout), section(stderr), func() {}}
}

// cut leaves the first most bytes of each, and returns how long they were, 0 if they are
// whole.
func (o *outputs) cut(most int64) (stdout, stderr int64) {
	cut := func(s **io.SectionReader) (whole int64) {
		if n := (*s).Size(); n > most {
			whole, *s = n, io.NewSectionReader(*s, 0, most)
		}
		return whole
	}
	return cut(&o.stdout), cut(&o.stderr)
}

// An object says where long outputs are: stdout, and behind it stderr, in so many objects
// of the store whose names are Name and a number.
type object struct {
	Name   string `json:"name"`
	Stdout int64  `json:"stdout"` // how long it is
	Parts  int    `json:"parts"`
}

// partMost is the length of a part. The client sends an object without waiting, and a
// server of NATS refuses what exceeds 128 MB of a stream that it has yet to store: 16
// workers may send one part each.
const partMost = 8 << 20

func (o *object) parts() []string {
	names := make([]string, o.Parts)
	for i := range names {
		names[i] = o.Name + "." + strconv.Itoa(i)
	}
	return names
}

// upload puts outputs into the store, and never has more than a part of them in memory.
func (q *queue) upload(ctx context.Context, job uint64, out *outputs) (*object, error) {
	// The name is new, so that of two workers with the same job each reads its own.
	o := &object{Name: fmt.Sprintf("%d.%s", job, nuid.Next()), Stdout: out.stdout.Size()}
	for _, s := range []*io.SectionReader{out.stdout, out.stderr} {
		for at := int64(0); at < s.Size(); at += partMost {
			name := o.Name + "." + strconv.Itoa(o.Parts)
			o.Parts++
			err := q.try(ctx, func(context.Context) error {
				store, err := orMade(ctx, q, makeOutputs, q.stores.ObjectStore, prefix+q.name)
				if err == nil {
					_, err = store.Put(ctx, jetstream.ObjectMeta{Name: name}, io.NewSectionReader(s, at, min(partMost, s.Size()-at)))
				}
				return err
			})
			if err != nil {
				q.discard(context.WithoutCancel(ctx), o)
				return nil, fmt.Errorf("the outputs of job %d: %w", job, err)
			}
		}
	}
	return o, nil
}

// download returns the outputs that are in the store, part by part.
func (q *queue) download(ctx context.Context, job uint64, o *object, take func([]byte) error) error {
	for _, name := range o.parts() {
		part, err := asked(ctx, q.try, func(context.Context) ([]byte, error) {
			store, err := q.stores.ObjectStore(ctx, prefix+q.name)
			if err != nil {
				return nil, err
			}
			return get(ctx, store, name)
		})
		if err != nil {
			return fmt.Errorf("the outputs of job %d: %w", job, err)
		}
		if err := take(part); err != nil {
			return err
		}
	}
	return nil
}

const (
	// silenceMost is how long nothing may come of a part: 128 KiB, which come at a time, take that
	// over 100 kbit/s.
	silenceMost = 10 * time.Second
	// readMost is how long a read may wait until it is looked whether somebody still wants it.
	readMost = 100 * time.Millisecond
)

// get returns an object of the store. Only the time in which nothing comes is bounded: the client
// would bound that of the whole, which is too little over a slow link.
func get(ctx context.Context, store jetstream.ObjectStore, name string) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(silenceMost, func() { cancel(nats.ErrTimeout) })
	defer silence.Stop()
	var data []byte
	object, err := store.Get(nearing{ctx}, name)
	if err == nil {
		data, err = io.ReadAll(heard{object, silence})
		_ = object.Close()
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return data, err
}

// A nearing context has a deadline that is always readMost away, and is not done then. The client
// asks for it at each read of an object.
type nearing struct{ context.Context }

func (nearing) Deadline() (time.Time, bool) { return time.Now().Add(readMost), true }

// heard reads on where a read has met its deadline, and puts off the end of the silence when
// something comes.
type heard struct {
	io.Reader
	silence *time.Timer
}

func (h heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if n > 0 {
		h.silence.Reset(silenceMost)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	return n, err
}

// discard deletes outputs that nothing leads to any more. What is left disturbs nobody.
func (q *queue) discard(ctx context.Context, o *object) {
	if o == nil {
		return
	}
	once, cancel := context.WithTimeout(ctx, askMost)
	defer cancel()
	store, err := q.stores.ObjectStore(once, prefix+q.name)
	for _, name := range o.parts() {
		if err != nil {
			return
		}
		if err = store.Delete(once, name); errors.Is(err, jetstream.ErrObjectNotFound) {
			err = nil // the part that failed
		}
	}
}

// outputsLonger is how much longer long outputs stay than results. They are stored before the
// result that leads to them, and read after it: neither may take longer.
const outputsLonger = time.Hour

// outputsAge returns how long long outputs stay where results stay for so long, 0 for ever.
func outputsAge(results time.Duration) time.Duration {
	if results == 0 {
		return 0
	}
	return results + outputsLonger
}

func (q *queue) makeOutputs(ctx context.Context) error {
	id := prefix + q.name
	results, err := q.bucket(ctx)
	if err != nil {
		return err
	}
	made, err := ensure(ctx, q.home, "OBJ_"+id, id, q.js.ObjectStore, q.js.CreateObjectStore,
		jetstream.ObjectStoreConfig{Bucket: id, Storage: jetstream.FileStorage, TTL: outputsAge(results.CachedInfo().Config.MaxAge)})
	if !made {
		return err
	}
	return q.home.keep("OBJ_" + id)
}
