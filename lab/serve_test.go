package lab_test

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab"
)

// serveHere serves in this process, and returns the address and what ends it.
func serveHere(t *testing.T, service map[string]any) (address string, end func() error) {
	t.Helper()
	arg, err := json.Marshal(service)
	if err != nil {
		t.Fatal(err)
	}
	in, stop := io.Pipe()
	out, said := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := lab.Serve(string(arg), in, said)
		said.CloseWithError(errors.Join(err, io.EOF))
		ended <- err
	}()
	address, err = lab.ReadAddress(out)
	if err != nil {
		t.Fatal(err)
	}
	return address, func() error {
		stop.Close()
		return <-ended
	}
}

func TestServersEndWithTheirInput(t *testing.T) {
	for _, kind := range []string{"channel", "atomic"} {
		address, end := serveHere(t, map[string]any{"kind": kind, "first": 1, "step": 1})
		c, err := lab.Dial(address, 1)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := errors.Join(c.Ask(200), c.Check()); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
		// The connections are still open.
		if err := end(); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if c.Ask(64) == nil {
			t.Errorf("%s: there are replies after the end", kind)
		}
		c.Close()
	}
}

func TestBalancerUsesAllBackends(t *testing.T) {
	first, endFirst := serveHere(t, map[string]any{"kind": "channel", "first": 1, "step": 2})
	second, endSecond := serveHere(t, map[string]any{"kind": "atomic", "first": 2, "step": 2})
	address, end := serveHere(t, map[string]any{"kind": "balancer", "backends": []string{first, second}})
	c, err := lab.Dial(address, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Ask(640), c.Check()); err != nil {
		t.Error(err)
	}
	// Half of the connections each: numbers from both go on from there.
	one, err := lab.Dial(first, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	if err := one.Ask(1); err != nil {
		t.Fatal(err)
	}
	if one.Check() == nil {
		t.Error("the first backend has given no number before")
	}
	// A backend that ends takes its connections along.
	if err := endSecond(); err != nil {
		t.Error(err)
	}
	if c.Ask(640) == nil {
		t.Error("half of the backends are gone, and nobody noticed")
	}
	c.Close()
	if err := errors.Join(end(), endFirst()); err != nil {
		t.Error(err)
	}
}

// When the clock starts, each connection has had its first reply, so a balancer
// has made all of its own.
func TestConnectionsAreMadeBeforeTheRun(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	backend, end := serveHere(t, map[string]any{"kind": "channel", "first": 1, "step": 1})
	var replied atomic.Int64 // connections that have
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				b, err := net.Dial("tcp", backend)
				if err != nil {
					return
				}
				defer b.Close()
				go func() {
					io.Copy(b, c)
					b.Close()
				}()
				reply := make([]byte, 16)
				for first := true; ; first = false {
					if _, err := io.ReadFull(b, reply); err != nil {
						return
					}
					if first {
						replied.Add(1)
					}
					if _, err := c.Write(reply); err != nil {
						return
					}
				}
			}()
		}
	}()
	run, stop, err := lab.FleetTask(l.Addr().String(), 640)
	if err != nil {
		t.Fatal(err)
	}
	if n := replied.Load(); n != lab.CallerCount {
		t.Errorf("%d connections have had a reply before the run, want %d", n, lab.CallerCount)
	}
	if err := errors.Join(run(), stop(), end()); err != nil {
		t.Error(err)
	}
}

func TestServiceThatCannotBe(t *testing.T) {
	for service, want := range map[string]string{
		"":                    "not readable",
		`{`:                   "not readable",
		`{"kind":"oracle"}`:   `"oracle"`,
		`{"kind":"balancer"}`: "no backends",
	} {
		if err := lab.Serve(service, strings.NewReader(""), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %s", service, err, want)
		}
	}
}

func TestCallersCheck(t *testing.T) {
	for name, x := range map[string]struct {
		step int64
		got  [][]int64
		ok   bool
	}{
		"one numbering":  {1, [][]int64{{1, 3}, {2, 4}}, true},
		"two numberings": {2, [][]int64{{1, 3, 5}, {2}}, true},
		"a gap":          {1, [][]int64{{1}, {3}}, false},
		"twice":          {1, [][]int64{{1, 2}, {2}}, false},
		"disorder":       {1, [][]int64{{2, 1}}, false},
		"a gap in one":   {2, [][]int64{{1, 5}, {2, 4}}, false},
		"not from 1":     {1, [][]int64{{2}}, false},
	} {
		c := lab.CallersOf(x.step, x.got)
		if err := c.Check(); (err == nil) != x.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := lab.CallersOf(1, [][]int64{{1, 2}})
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	if c.Check() == nil {
		t.Error("a second run with the same numbers passed the check")
	}
	c.SetNumbers([][]int64{{3, 4}})
	if err := c.Check(); err != nil {
		t.Errorf("a second run that goes on: %v", err)
	}
}

// TestFleets runs each kind of servers as real processes.
func TestFleets(t *testing.T) {
	const cpus = 3
	want := map[string]int{"processes, balancer": cpus + 1}
	for _, label := range lab.Fleets() {
		t.Run(label, func(t *testing.T) {
			f, err := lab.StartFleet(label, cpus)
			if err != nil {
				t.Fatal(errors.Join(err, f.Stop()))
			}
			if n := max(want[label], 1); f.Processes() != n {
				t.Errorf("%d processes, want %d", f.Processes(), n)
			}
			c, err := lab.Dial(f.Address(), f.Step())
			if err != nil {
				t.Fatal(errors.Join(err, f.Stop()))
			}
			for range 2 {
				if err := errors.Join(c.Ask(640), c.Check()); err != nil {
					t.Error(err)
				}
			}
			if err := errors.Join(c.Close(), f.Stop()); err != nil {
				t.Error(err)
			}
			if _, err := lab.Dial(f.Address(), 1); err == nil {
				t.Error("somebody still listens")
			}
		})
	}
}

func TestKilledServersAreAnError(t *testing.T) {
	for _, label := range lab.Fleets() {
		f, err := lab.StartFleet(label, 2)
		if err != nil {
			t.Fatal(errors.Join(err, f.Stop()))
		}
		c, err := lab.Dial(f.Address(), f.Step())
		if err != nil {
			t.Fatal(errors.Join(err, f.Stop()))
		}
		if err := c.Ask(64); err != nil {
			t.Error(err)
		}
		f.Kill()
		if c.Ask(64) == nil {
			t.Errorf("%s: killed, and still there are replies", label)
		}
		c.Close()
	}
}
