package queue_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// The keys that push and work are refused what would read results, take others' jobs or change a
// queue, however a client asks for it. What they may do, the tests of the command do.
func TestRolesAreRefused(t *testing.T) {
	t.Parallel()
	h := queue.OpenHome(t.TempDir())
	q := serving(t, h)
	if err := errors.Join(q.Push(t.Context(), "a"), q.Record(t.Context(), 1)); err != nil {
		t.Fatal(err)
	}
	both := []string{
		"PUB $JS.API.STREAM.DELETE.sweetspot_q", "PUB $JS.API.STREAM.PURGE.sweetspot_q", "PUB $JS.API.STREAM.UPDATE.sweetspot_q",
		"PUB $JS.API.STREAM.MSG.DELETE.sweetspot_q", "PUB $JS.API.STREAM.MSG.GET.KV_sweetspot_q", "PUB $JS.API.DIRECT.GET.KV_sweetspot_q",
		"PUB $JS.API.STREAM.CREATE.sweetspot_copy", "PUB $JS.API.STREAM.SNAPSHOT.KV_sweetspot_q", "PUB $JS.API.STREAM.RESTORE.sweetspot_q",
		"PUB $JS.API.CONSUMER.CREATE.KV_sweetspot_q.workers", "PUB $JS.API.CONSUMER.CREATE.KV_sweetspot_q",
		"PUB $JS.API.CONSUMER.CREATE.KV_sweetspot_q.x.$KV.sweetspot_q.job.1", "PUB $JS.API.CONSUMER.DURABLE.CREATE.sweetspot_q.workers",
		"PUB $JS.API.CONSUMER.CREATE.sweetspot_q.x.sweetspot.jobs.q", "PUB $JS.API.CONSUMER.DELETE.sweetspot_q.workers",
		"PUB $JS.API.DIRECT.GET.KV_sweetspot_q.$KV.sweetspot_q.job.1", "PUB sweetspot.api.STREAM.DELETE.sweetspot_q", "PUB sweetspot.api.STREAM.PURGE.sweetspot_q",
		"PUB sweetspot.api.STREAM.CREATE.sweetspot_copy", "PUB sweetspot.api.CONSUMER.CREATE.KV_sweetspot_q.workers", "PUB sweetspot.api.CONSUMER.DELETE.sweetspot_q.workers",
		"PUB sweetspot.api.STREAM.MSG.GET.KV_sweetspot_q", "PUB sweetspot.api.$KV.sweetspot_q.drain",
		"PUB sweetspot.stores.STREAM.DELETE.OBJ_sweetspot_q", "PUB sweetspot.stores.CONSUMER.CREATE.OBJ_sweetspot_q",
		"PUB $KV.sweetspot_q.drain", "PUB $KV.sweetspot_q.anew.1", "PUB sweetspot.workers.sweetspot_q.workers",
		"SUB _INBOX.>", "SUB >", "SUB $KV.>", "SUB sweetspot.jobs.*", "SUB sweetspot.make.*", "SUB $JS.API.>", "SUB sweetspot.sync.>",
	}
	for key, refused := range map[string][]string{
		"push.nk": append([]string{
			"PUB $JS.API.STREAM.INFO.sweetspot_q", "PUB $JS.API.INFO", "PUB sweetspot.jobs.q",
			"PUB $JS.API.CONSUMER.MSG.NEXT.sweetspot_q.workers", "PUB $JS.ACK.sweetspot_q.workers.1.1.1.1.0",
			"PUB sweetspot.api.DIRECT.GET.KV_sweetspot_q.$KV.sweetspot_q.job.1", "PUB sweetspot.api.STREAM.INFO.sweetspot_q", "PUB $KV.sweetspot_q.job.1", "PUB $O.sweetspot_q.C.x",
			"PUB sweetspot.stores.STREAM.INFO.OBJ_sweetspot_q", "PUB sweetspot.stores.STREAM.PURGE.OBJ_sweetspot_q",
			"PUB sweetspot.tune.q", "SUB sweetspot.workers.sweetspot_q.workers", "SUB sweetspot.fleet.>",
		}, both...),
		"work.nk": append([]string{"PUB sweetspot.jobs.q"}, both...),
		"user.nk": nil,
	} {
		t.Run(key, func(t *testing.T) {
			nc, denied := raw(t, h, key)
			for _, what := range refused {
				if verb, subject := what[:3], what[4:]; verb == "PUB" {
					if err := nc.PublishRequest(subject, nc.NewInbox(), nil); err != nil {
						t.Fatal(err)
					}
				} else if _, err := nc.SubscribeSync(subject); err != nil {
					t.Fatal(err)
				}
				if err := nc.FlushTimeout(time.Minute); err != nil {
					t.Fatal(err)
				}
				select {
				case err := <-denied:
					if !bytes.Contains([]byte(err.Error()), []byte(what[4:])) {
						t.Errorf("%s: %v", what, err)
					}
				case <-time.After(time.Minute):
					t.Errorf("%s is not refused", what)
				}
			}
			// What is allowed is not refused: the test would see it.
			if m, err := nc.Request("sweetspot.make.q", nil, time.Minute); err != nil || len(m.Data) > 0 {
				t.Errorf("%v, %s; want an empty answer", err, m.Data)
			}
			select {
			case err := <-denied:
				t.Error(err)
			default:
			}
		})
	}
	if jobs, results, err := q.Left(t.Context()); jobs != 1 || results != 1 || err != nil {
		t.Errorf("%d jobs and %d results, %v; want that there is 1 of each still", jobs, results, err)
	}
}

// A question may name any subject for its answer. Such answers neither delete, nor change what is
// recorded, nor end workers, nor are they run.
func TestAnswersAreHarmless(t *testing.T) {
	t.Parallel()
	for key, asks := range map[string][]string{
		"push.nk": {"sweetspot.push.q", "sweetspot.make.q", "sweetspot.sync.ID.q"},
		"work.nk": {"sweetspot.make.q", "sweetspot.tune.q", "sweetspot.sync.ID.q", "sweetspot.api.STREAM.INFO.sweetspot_q", "sweetspot.api.DIRECT.GET.KV_sweetspot_q.$KV.sweetspot_q.job.9", "$KV.sweetspot_q.job.9"},
	} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			h := queue.OpenHome(t.TempDir())
			q := serving(t, h)
			if err := errors.Join(q.Push(t.Context(), "a"), q.Record(t.Context(), 1)); err != nil {
				t.Fatal(err)
			}
			nc, _ := raw(t, h, key)
			tos := []string{"$JS.API.STREAM.PURGE.sweetspot_q", "$JS.API.STREAM.DELETE.sweetspot_q", "$JS.API.STREAM.DELETE.KV_sweetspot_q", "sweetspot.jobs.q"}
			if key == "push.nk" {
				tos = append(tos, "$KV.sweetspot_q.job.1", "$KV.sweetspot_q.drain")
			} else if _, err := nc.Request("$KV.sweetspot_q.job.9", []byte("evil\x00"), time.Minute); err != nil { // as a result
				t.Fatal(err)
			}
			for _, ask := range asks {
				for _, to := range tos {
					if err := nc.PublishRequest(strings.Replace(ask, "ID", strings.TrimPrefix(nc.ConnectedServerName(), "sweetspot-durable-"), 1), to, nil); err != nil {
						t.Fatal(err)
					}
				}
			}
			if key == "work.nk" { // of the stores it may purge, only those of long outputs
				for _, stream := range []string{"sweetspot_q", "KV_sweetspot_q"} {
					if err := nc.PublishRequest("sweetspot.stores.STREAM.PURGE."+stream, nc.NewInbox(), nil); err != nil {
						t.Fatal(err)
					}
				}
				asks = append([]string{"sweetspot.stores.STREAM.INFO.OBJ_sweetspot_q"}, asks...)
			}
			// The answers to these come after all those.
			for _, ask := range asks[:2] {
				if _, err := nc.Request(ask, []byte("{}"), time.Minute); err != nil {
					t.Fatal(err)
				}
			}
			jobs, results, err := q.Left(t.Context())
			if err != nil || jobs < 1 || results < 1 {
				t.Fatalf("%d jobs and %d results, %v; want that none is gone", jobs, results, err)
			}
			if ok, err := q.Intact(t.Context()); !ok || err != nil {
				t.Errorf("the result of job 1 has changed, or workers are told to end; %v", err)
			}
			values, err := q.Runnable(t.Context(), int(jobs))
			if err != nil || strings.Join(values, " ") != "a" && key == "work.nk" {
				t.Errorf("%q would be run, %v; want only a", values, err)
			}
		})
	}
}

// A queue that is deleted is told from a server that is away, also where the key allows no more
// than to push.
func TestPushAfterDelete(t *testing.T) {
	t.Parallel()
	h := queue.OpenHome(t.TempDir())
	if err := h.Serve(nil, nil); err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	q, done, err := queue.OpenServer(t.Context(), h.URL(), h.Path("push.nk"), "q")
	defer done()
	if err == nil {
		err = q.Push(t.Context(), "a")
	}
	if err != nil {
		t.Fatal(err)
	}
	of, done, err := connectTo(t, h, "q")
	defer done()
	if err == nil {
		err = of.Delete(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Push(t.Context(), "b"); err == nil || err.Error() != "the queue q was deleted" {
		t.Errorf("push: %v, want that the queue was deleted", err)
	}
}

// raw connects with a key, and returns what is refused.
func raw(t *testing.T, h queue.Home, key string) (*nats.Conn, chan error) {
	t.Helper()
	seed, err := os.ReadFile(h.Path(key))
	if err != nil {
		t.Fatal(err)
	}
	pair, err := nkeys.ParseDecoratedNKey(seed)
	if err != nil {
		t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	denied := make(chan error, 1)
	nc, err := nats.Connect(h.URL(), nats.Nkey(public, pair.Sign), nats.CustomInboxPrefix("_INBOX."+public), nats.Timeout(time.Minute),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { denied <- err }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc, denied
}
