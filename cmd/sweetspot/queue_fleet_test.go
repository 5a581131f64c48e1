//go:build unix

package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// The limit of a fleet that is over does not hold for workers without --fleet that come later.
func TestQueueFleetIsOver(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	dir := t.TempDir()
	to, nc := elsewhere(t, t.TempDir())
	push := func(values ...string) {
		t.Helper()
		if out, err := queueCommand(concat([]string{"push", "q"}, to, []string{":::"}, values)...); err != nil {
			t.Fatalf("%v, %s", err, out)
		}
	}
	push("1")
	end := filepath.Join(dir, "end")
	fleet, said := backgroundQueue(t, concat([]string{"work", "q"}, to, []string{"--fleet", "--fleet-max", "1", "--until-empty", "-c", fmt.Sprintf("until [ -e %s ]; do sleep 0.01; done", end)})...)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	consumer := need(need(jetstream.New(nc))(t).Consumer(ctx, "sweetspot_q", "workers"))(t)
	for need(consumer.Info(ctx))(t).Config.MaxAckPending != 1 {
		time.Sleep(10 * time.Millisecond)
	}
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := awaitEnd(fleet); err != nil {
		t.Fatalf("%v, %s", err, said)
	}

	push("2", "3", "4", "5")
	began := filepath.Join(dir, "began")
	worker, said := backgroundQueue(t, concat([]string{"work", "q"}, to, []string{"-j", "4", "--until-empty", "-c", fmt.Sprintf("touch %[1]s.{}; until set -- %[1]s.*; [ $# = 4 ]; do sleep 0.01; done", began)})...)
	if err := awaitEnd(worker); err != nil {
		t.Errorf("jobs that wait for each other: %v, %s", err, said)
	}
}
