//go:build linux

package powercut_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/acceptance/powercut"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

var (
	cutsWanted = flag.Int("cuts", 1, "how often the power fails in each form of a test")
	seedWanted = flag.Uint64("seed", 0, "what the moments of the cuts are drawn from (default: the time)")
)

// The power fails at random moments under a server, two workers, and a program that pushes
// to them and one that reads results. Then each confirmed job has exactly one result, and no
// result is gone that was read. Without sync some are lost, but none is recorded twice.
//
//	go test -run QueueSurvivesPowerCuts ./acceptance/powercut -args -cuts 100
func TestQueueSurvivesPowerCuts(t *testing.T) {
	rerun.Skip(t)
	for _, form := range []struct {
		name   string
		disk   powercut.Options
		some   bool
		serve  []string
		losing bool
	}{
		{"all unsynced is lost", powercut.Options{}, false, nil, false},
		{"some unsynced is kept", powercut.Options{}, true, nil, false},
		{"fsync keeps no names", powercut.Options{Strict: true}, false, nil, false},
		{"without sync", powercut.Options{}, true, []string{"--sync=false"}, true},
	} {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			q := newQueueCuts(t, form.disk, form.serve...)
			q.some = form.some
			q.cuts(*cutsWanted)
			if lost := q.end(); lost+q.vanished > 0 && !form.losing {
				t.Errorf("%d of %d confirmed jobs are lost, and %d results that were read", lost, len(q.confirmed), q.vanished)
			}
		})
	}
}

// A server and two workers are killed in turn, at random moments, and started again.
//
//	go test -run QueueSurvivesKills ./acceptance/powercut -args -cuts 100
func TestQueueSurvivesKills(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	q := newQueueCuts(t, powercut.Options{})
	q.kills(max(*cutsWanted, len(q.parts)))
	if lost := q.end(); lost > 0 {
		t.Errorf("%d of %d confirmed jobs are lost", lost, len(q.confirmed))
	}
}

// The power fails while a queue is made, at each change of the disk that this takes. Then
// the queue is made all the same.
func TestQueueBeginsAfterPowerCut(t *testing.T) {
	rerun.Skip(t)
	for _, form := range []string{"all unsynced is lost", "some unsynced is kept"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			q := newQueueCuts(t, powercut.Options{})
			q.some = form != "all unsynced is lost"
			one := func() *process { return q.start(q.args("push", ":::", "a")...) }
			if err := q.wait(one()); err != nil {
				t.Fatal(err)
			}
			q.kill()
			changes := q.disk.Stats().Changes
			every := max(1, changes / *cutsWanted)
			for n := q.random.IntN(every); n < changes; n += every {
				q.replace()
				q.disk.FailAfter(n)
				first, second := one(), one() // one makes the queue, and the other may find it
				for _, p := range []*process{first, second} {
					select {
					case <-q.disk.Failed():
					case <-p.ended:
					}
				}
				q.cutPower()
				p := one()
				if err := q.wait(p); err != nil {
					t.Errorf("cut at change %d of %d: then push says %s", n, changes, p.stderr.String())
				}
				q.kill()
			}
			t.Logf("the power failed at every %d of %d changes", every, changes)
		})
	}
}

// A queueCuts is a queue on a machine whose power fails.
type queueCuts struct {
	*machine
	random *rand.Rand
	serve  []string // flags of the server
	some   bool     // of what is not synced is kept

	parts [3]*process // the server, and workers

	books     sync.Mutex
	pushed    int
	confirmed map[string]bool   // by value
	tried     map[string]bool   // pushed, confirmed or not
	read      map[string]string // results that were read, by value
	vanished  int               // of those
}

func newQueueCuts(t *testing.T, o powercut.Options, serve ...string) *queueCuts {
	seed := *seedWanted
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	return &queueCuts{
		machine: newMachine(t, o), random: rand.New(rand.NewPCG(seed, 1)), serve: serve,
		confirmed: map[string]bool{}, tried: map[string]bool{}, read: map[string]string{},
	}
}

// synced tells whether the server writes to the disk before it confirms.
func (q *queueCuts) synced() bool { return !slices.Contains(q.serve, "--sync=false") }

// args are those of a queue command.
func (q *queueCuts) args(verb string, more ...string) []string {
	args := []string{"queue", verb}
	if verb != "serve" {
		args = append(args, "q")
	}
	return append(append(args, "--dir", filepath.Join(q.dir, "queues")), more...)
}

// batch is how many jobs are pushed, and confirmed, at a time.
const batch = 5

// changesMost bounds the changes of the disk in a round: a hundred jobs or so.
const changesMost = 500

// cuts lets the power fail so many times.
func (q *queueCuts) cuts(n int) {
	for range n {
		failed := q.disk.Failed()
		q.disk.FailAfter(q.random.IntN(changesMost))
		q.round(failed, func() {
			select {
			case <-failed:
			case <-time.After(patience):
				q.Error("a round does not end")
			}
		})
		q.cutPower()
	}
}

// kills kills so many processes, one after the other.
func (q *queueCuts) kills(n int) {
	stop := make(chan struct{})
	q.round(stop, func() {
		defer close(stop)
		for range n {
			for want := q.disk.Stats().Changes + q.random.IntN(changesMost/2); q.disk.Stats().Changes < want; {
				time.Sleep(time.Millisecond)
			}
			i := q.random.IntN(len(q.parts))
			_ = q.parts[i].Process.Kill()
			<-q.parts[i].ended
			q.parts[i] = q.begin(i)
		}
	})
	q.cut(nil)
}

func (q *queueCuts) cutPower() {
	var random *rand.Rand
	if q.some {
		random = q.random
	}
	q.cut(random)
}

// begin starts the server, which is part 0, or a worker.
func (q *queueCuts) begin(part int) *process {
	if part > 0 {
		return q.start(q.args("work", "-j", "4", "--lease", "1s", "--tries", "100", "--pause", "10ms", "-c", "echo out {}")...)
	}
	server := q.start(q.args("serve", append(q.serve, "--listen", "127.0.0.1:0")...)...)
	if !q.says(server, " serv") { // or a worker does: "another process serves"
		select {
		case <-q.disk.Failed():
		default:
			q.Fatalf("the server does not come:\n%s", server.stderr.String())
		}
	}
	return server
}

// round works meanwhile, until stopped.
func (q *queueCuts) round(stopped <-chan struct{}, meanwhile func()) {
	for i := range q.parts {
		q.parts[i] = q.begin(i)
	}
	var group sync.WaitGroup
	group.Go(func() { q.push(stopped) })
	group.Go(func() { q.look(stopped) })
	meanwhile()
	q.kill()
	group.Wait()
}

// push pushes jobs until stopped.
func (q *queueCuts) push(stopped <-chan struct{}) {
	for {
		values := q.values()
		p := q.start(q.args("push", append([]string{":::"}, values...)...)...)
		if err := q.wait(p); err == nil {
			q.confirm(values...)
			continue
		}
		select {
		case <-stopped:
			return
		default:
			q.Errorf("push: %v\n%s", p.err, p.stderr.String())
			return
		}
	}
}

// values returns those of the next jobs.
func (q *queueCuts) values() (values []string) {
	q.books.Lock()
	defer q.books.Unlock()
	for range batch {
		q.pushed++
		v := fmt.Sprint("v", q.pushed)
		q.tried[v] = true
		values = append(values, v)
	}
	return values
}

func (q *queueCuts) confirm(values ...string) {
	q.books.Lock()
	defer q.books.Unlock()
	for _, v := range values {
		q.tried[v], q.confirmed[v] = true, true
	}
}

// lookEvery is how long who looks for results waits in between.
const lookEvery = 100 * time.Millisecond

// look reads results until stopped. Those it has seen must stay.
func (q *queueCuts) look(stopped <-chan struct{}) {
	for {
		p := q.start(q.args("results")...)
		err := q.wait(p)
		if err == nil {
			q.check(p.stdout.String())
		}
		select {
		case <-stopped:
			return
		case <-time.After(lookEvery):
		}
	}
}

// check compares results with those that were read before, and remembers them.
func (q *queueCuts) check(lines string) {
	q.books.Lock()
	defer q.books.Unlock()
	results := map[string]string{}
	for line := range strings.Lines(lines) {
		var r struct {
			State, Stdout string
			Values        []string
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			q.Errorf("%v in the result %q", err, line)
			continue
		}
		v := strings.Join(r.Values, " ")
		switch {
		case !q.tried[v]:
			q.Errorf("a result of %q, which nobody pushed", v)
		case results[v] != "":
			q.Errorf("%s is recorded twice:\n%s%s", v, results[v], line)
		case r.State != "done" || r.Stdout != "out "+v+"\n":
			q.Errorf("the result of %s is %s", v, line)
		}
		results[v] = line
	}
	for v, line := range q.read {
		switch results[v] {
		case line:
		case "":
			q.vanished++
		default: // its job is done again, which is right only where the first result may be gone
			q.vanished++
			if q.synced() {
				q.Errorf("the result of %s was\n%sand is\n%s", v, line, results[v])
			}
		}
	}
	q.read = results
}

// end has the queue worked off, and returns how many confirmed jobs have no result.
func (q *queueCuts) end() (lost int) {
	q.begin(0)
	q.run(q.args("push", ":::", "last")...)
	q.confirm("last")
	q.run(q.args("work", "-j", "4", "--until-empty", "-c", "echo out {}")...)
	if p := q.start(q.args("wait")...); q.wait(p) != nil && (q.synced() || !strings.Contains(p.stderr.String(), " are gone")) {
		q.Fatalf("wait: %v\n%s", p.err, p.stderr.String())
	}
	q.check(q.run(q.args("results")...))
	for v := range q.confirmed {
		if q.read[v] == "" {
			lost++
		}
	}
	q.kill()
	s := q.disk.Stats()
	q.Logf("%d cuts: %d of %d confirmed jobs lost, %d results gone that were read; %d changes and %d syncs of the disk",
		s.Cuts, lost, len(q.confirmed), q.vanished, s.Changes, s.Syncs)
	return lost
}
