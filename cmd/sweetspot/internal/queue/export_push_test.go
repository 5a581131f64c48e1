package queue

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/pflag"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// PushValues is queue push of a job for each value. It returns how many are there.
func (q Queue) PushValues(ctx context.Context, values ...string) (int, error) {
	list, err := run.NewLists(pflag.NewFlagSet("", pflag.ContinueOnError)).Open(ctx, append([]string{":::"}, values...))
	if err != nil {
		return 0, err
	}
	return q.push(ctx, list)
}

// PushFile is queue push of a job for each line of a file.
func (q Queue) PushFile(ctx context.Context, name string) (int, error) {
	list, err := run.NewLists(pflag.NewFlagSet("", pflag.ContinueOnError)).Open(ctx, []string{"::::", name})
	if err != nil {
		return 0, err
	}
	return q.push(ctx, list)
}

// Say has q say what it has to say by say.
func (q Queue) Say(say func(string)) { q.connection.say = say }

// RecordValue records that a job with a value is done.
func (q Queue) RecordValue(ctx context.Context, job uint64, value string, stdout []byte) error {
	r := &record{Version: recordVersion, Job: job, State: stateDone, Values: asTexts([]string{value}), Stdout: stdout}
	return q.write(ctx, r, 0)
}

// Objects returns how many parts of long outputs are in the store.
func (q Queue) Objects(ctx context.Context) (int, error) {
	store, err := q.stores.ObjectStore(ctx, prefix+q.name)
	if err != nil {
		return 0, err
	}
	all, err := store.List(ctx)
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		err = nil
	}
	return len(all), err
}
