//go:build unix

package main_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// --keep bounds how long results stay, with all that belongs to them, and stays as it is
// where it is not given. Long outputs go after the results that lead to them. wait does not miss
// what is gone for that.
func TestQueueKeep(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	to, nc := elsewhere(t, t.TempDir())
	do := func(args ...string) string {
		t.Helper()
		out, err := queueCommand(concat([]string{args[0], "q"}, to, args[1:])...)
		if err != nil {
			t.Fatalf("%v: %v, %s", args, err, out)
		}
		return out
	}
	do("push", ":::", "1")
	if out, err := queueCommand(concat([]string{"work", "q"}, to, []string{"--keep", "1m", "true"})...); err == nil || !strings.Contains(out, "--keep 1m0s: want 1h0m0s or more, or 0 for ever") {
		t.Errorf("--keep 1m: %v, %s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	js := need(jetstream.New(nc))(t)
	for _, test := range []struct {
		args []string
		want time.Duration
	}{
		{nil, 0},
		{[]string{"--keep", "48h"}, 48 * time.Hour},
		{[]string{"-c", "head -c 300000 /dev/zero"}, 48 * time.Hour},
		{[]string{"--keep", "2h"}, 2 * time.Hour},
		{[]string{"--keep", "0"}, 0},
	} {
		command := []string{"true"}
		if len(test.args) > 0 && test.args[0] == "-c" {
			command = nil
		}
		do("push", ":::", "1")
		do(append(append([]string{"work", "--until-empty"}, test.args...), command...)...)
		for _, name := range []string{"KV_sweetspot_q", "OBJ_sweetspot_q"} {
			s, err := js.Stream(ctx, name)
			if err != nil && name == "OBJ_sweetspot_q" && command != nil {
				continue // as yet
			}
			want := test.want
			if name == "OBJ_sweetspot_q" && want > 0 {
				want += time.Hour
			}
			if got := need(s, err)(t).CachedInfo().Config.MaxAge; got != want {
				t.Errorf("%v: %s is kept for %v, want %v", test.args, name, got, want)
			}
		}
		if test.want > 0 {
			if err := need(js.Stream(ctx, "KV_sweetspot_q"))(t).Purge(ctx, jetstream.WithPurgeSubject("$KV.sweetspot_q.job.1")); err != nil {
				t.Fatal(err)
			}
			do("wait")
		}
	}
}
