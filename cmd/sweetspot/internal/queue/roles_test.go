package queue_test

import (
	"bytes"
	"os"
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
	if err := h.Serve(nil, nil); err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	q, done, err := connectTo(t, h, "q")
	defer done()
	if err == nil {
		err = q.Push(t.Context(), "a")
	}
	if err == nil {
		err = q.Record(t.Context(), 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	both := []string{
		"PUB $JS.API.STREAM.DELETE.sweetspot_q", "PUB $JS.API.STREAM.PURGE.sweetspot_q", "PUB $JS.API.STREAM.UPDATE.sweetspot_q",
		"PUB $JS.API.STREAM.MSG.DELETE.sweetspot_q", "PUB $JS.API.STREAM.MSG.GET.KV_sweetspot_q", "PUB $JS.API.DIRECT.GET.KV_sweetspot_q",
		"PUB $JS.API.STREAM.CREATE.sweetspot_copy", "PUB $JS.API.STREAM.SNAPSHOT.KV_sweetspot_q", "PUB $JS.API.STREAM.RESTORE.sweetspot_q",
		"PUB $JS.API.CONSUMER.CREATE.KV_sweetspot_q.workers", "PUB $JS.API.CONSUMER.CREATE.KV_sweetspot_q",
		"PUB $JS.API.CONSUMER.CREATE.KV_sweetspot_q.x.$KV.sweetspot_q.job.1", "PUB $JS.API.CONSUMER.DURABLE.CREATE.sweetspot_q.workers",
		"PUB $JS.API.CONSUMER.CREATE.sweetspot_q.x.sweetspot.jobs.q", "PUB $JS.API.CONSUMER.DELETE.sweetspot_q.workers",
		"PUB $KV.sweetspot_q.drain", "PUB $KV.sweetspot_q.anew.1", "PUB sweetspot.ping.q",
		"SUB _INBOX.>", "SUB >", "SUB $KV.>", "SUB sweetspot.jobs.*", "SUB sweetspot.make.*", "SUB $JS.API.>", "SUB sweetspot.sync.>",
	}
	for key, refused := range map[string][]string{
		"push.nk": append([]string{
			"PUB $JS.API.CONSUMER.MSG.NEXT.sweetspot_q.workers", "PUB $JS.ACK.sweetspot_q.workers.1.1.1.1.0",
			"PUB $JS.API.DIRECT.GET.KV_sweetspot_q.$KV.sweetspot_q.job.1", "PUB $KV.sweetspot_q.job.1", "PUB $O.sweetspot_q.C.x",
			"PUB sweetspot.tune.q", "SUB sweetspot.ping.*", "SUB sweetspot.fleet.>",
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
				case <-time.After(10 * time.Second):
					t.Errorf("%s is not refused", what)
				}
			}
			// What is allowed is not refused: the test would see it.
			if m, err := nc.Request("$JS.API.STREAM.INFO.sweetspot_q", nil, time.Minute); err != nil || !bytes.Contains(m.Data, []byte(`"messages":1`)) {
				t.Errorf("the queue is not to be found, or has changed: %v", err)
			}
			select {
			case err := <-denied:
				t.Error(err)
			default:
			}
		})
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
	nc, err := nats.Connect(h.URL(), nats.Nkey(public, pair.Sign), nats.CustomInboxPrefix("_INBOX."+public),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { denied <- err }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc, denied
}
