package kedascale_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sweetspot-go/sweetspot"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
)

// workerVariable makes the test binary a worker, as it says.
const workerVariable = "SWEETSPOT_KEDA_TEST_WORKER"

// An order tells a worker process what to do.
type order struct {
	URL, Name string
	Startup   time.Duration // before it takes its first message
	Fixed     int           // limit; 0 for the automatic one, up to Max
	Max       int
}

// A done is what a worker says of a message, on the subject "done".
type done struct {
	Message uint64
	Wait    time.Duration // from its publication to its permit
}

func TestMain(m *testing.M) {
	if text := os.Getenv(workerVariable); text != "" {
		if err := work(text); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// work takes messages, each of which says how long it takes, until stdin ends.
func work(text string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	drain := make(chan struct{})
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); close(drain) }()
	select {
	case <-time.After(o.Startup):
	case <-drain:
		return nil
	}
	nc, err := nats.Connect(o.URL, nats.Timeout(time.Minute))
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	ctx := context.Background()
	consumer, err := js.Consumer(ctx, "orders", "billing")
	if err != nil {
		return err
	}
	limiter := sweetspot.New(sweetspot.Max(max(o.Max, 1)))
	if o.Fixed > 0 {
		limiter.SetLimit(o.Fixed)
	}
	err = natslimit.Consume(ctx, consumer, limiter, func(_ context.Context, m jetstream.Msg) error {
		began := time.Now()
		takes, err := time.ParseDuration(string(m.Data()))
		if err != nil {
			return natslimit.Permanent(err)
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		time.Sleep(takes)
		said, err := json.Marshal(done{meta.Sequence.Stream, began.Sub(meta.Timestamp)})
		if err != nil {
			return err
		}
		return nc.Publish("done", said)
	}, natslimit.Announce(nc, o.Name, nil), natslimit.Drain(drain))
	if err != nil {
		return err
	}
	return nc.Flush()
}

// A deployment keeps a number of worker processes.
type deployment struct {
	t     testing.TB
	order order

	mu    sync.Mutex
	pods  []pod // those that shall stay, oldest first
	begun int
	all   sync.WaitGroup
	cost  time.Duration // of those that have ended
	alive map[int]time.Time
}

type pod struct {
	number int
	stdin  io.Closer
}

func newDeployment(t testing.TB, o order) *deployment {
	d := &deployment{t: t, order: o, alive: map[int]time.Time{}}
	t.Cleanup(func() { d.scale(0); d.all.Wait() })
	return d
}

// scale starts and drains processes.
func (d *deployment) scale(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.pods) > n {
		last := len(d.pods) - 1
		_ = d.pods[last].stdin.Close()
		d.pods = d.pods[:last]
	}
	for len(d.pods) < n {
		d.start()
	}
}

func (d *deployment) start() {
	d.begun++
	number := d.begun
	o := d.order
	o.Name = fmt.Sprintf("pod-%d", number)
	text, err := json.Marshal(o)
	if err != nil {
		d.t.Error(err)
		return
	}
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), workerVariable+"="+string(text))
	c.Stderr = os.Stderr
	stdin, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		d.t.Error(err)
		return
	}
	d.pods = append(d.pods, pod{number, stdin})
	began := time.Now()
	d.alive[number] = began
	d.all.Go(func() {
		if err := c.Wait(); err != nil {
			d.t.Errorf("a worker ended: %v", err)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.cost += time.Since(began)
		delete(d.alive, number)
	})
}

// replicas returns how many there should be, and how many processes there are.
func (d *deployment) replicas() (want, alive int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.pods), len(d.alive)
}

// replicaSeconds returns the cost so far.
func (d *deployment) replicaSeconds() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := d.cost
	for _, began := range d.alive {
		all += time.Since(began)
	}
	return all.Seconds()
}
