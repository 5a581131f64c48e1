//go:build unix

package main_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

var (
	queueJobs = flag.Int("queuejobs", 40, "how many jobs TestQueueHistory pushes in each of its forms")
	queuePace = flag.Duration("queuepace", 150*time.Millisecond, "how often TestQueueHistory lets something happen to a process or a network")
)

const (
	historyWorkers = 3
	historyAtOnce  = 4                // jobs of a worker at a time
	historyLease   = time.Second      // what is stopped or cut off for longer loses its jobs
	historyStop    = 2 * historyLease // at most
	historyBatch   = 10               // values of a push
	historyMost    = 2 * time.Minute  // to work off what is left
)

// The clocks of a history, if it has some: one for each worker, and these.
const (
	clockOfPushes = historyWorkers + iota
	clockOfServer
	clocksInAll
)

// historyJumps is how far clocks are from that of the machine.
var historyJumps = []time.Duration{0, time.Hour, -time.Hour, 24 * time.Hour, -24 * time.Hour}

// Jobs are pushed, run, tried anew and deleted while workers, the server and pushers are
// killed and stopped, and their networks cut, at random moments. Then every job whose
// push was confirmed has exactly one result, which is the first that was seen of it: that
// of a job which succeeds, or a dead letter of one that always fails. Of pushes that were
// cut short there may be one.
//
//	go test -run QueueHistory ./cmd/sweetspot -args -queuejobs 2000 -queuepace 500ms
func TestQueueHistory(t *testing.T) {
	rerun.Skip(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for i, form := range []string{"server", "workers serve each other", "clocks jump"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			h := &history{T: t, program: "sweetspot", dir: t.TempDir(), seed: seed + uint64(i), counts: map[string]int{}, confirmed: map[string]bool{}, doubtful: map[string]bool{}, seen: map[int]string{}}
			h.random = h.chance(0)
			h.home = []string{"--dir", filepath.Join(h.dir, "queues")}
			if form == "clocks jump" {
				h.program = withClocks(t)
				for range clocksInAll {
					h.clocks = append(h.clocks, newClock(t))
				}
				h.stamped = map[string]time.Time{}
			}
			if i != 1 {
				h.serve()
				// Who named the directory would serve it in the moment in which nobody does.
				h.home = []string{"--server", "nats://" + h.address, "--nkey", h.key()}
				for range historyWorkers + 1 {
					h.networks = append(h.networks, connects(t, h.address))
				}
			}
			h.run()
			h.check()
		})
	}
}

// A history is what happens to a queue, and what is known of it.
type history struct {
	*testing.T
	program  string
	clocks   []*clock
	stamped  map[string]time.Time // times that files were given
	dir      string
	home     []string // flags that lead to the queue, past all networks
	address  string   // of the server; "" if workers serve each other
	seed     uint64
	random   *rand.Rand // of the test's goroutine
	networks []*network // one for each worker, and one for pushes

	server  *exec.Cmd
	workers [historyWorkers]*exec.Cmd
	back    time.Duration // the longest time until a server was back

	mu                  sync.Mutex
	counts              map[string]int  // of what happened
	confirmed, doubtful map[string]bool // values
	seen                map[int]string  // results that were printed, by job
	last                []string        // values of the last queue that deletes has made
}

func (h *history) chance(of uint64) *rand.Rand { return rand.New(rand.NewPCG(h.seed, of)) }

func (h *history) count(what string) {
	h.mu.Lock()
	h.counts[what]++
	h.mu.Unlock()
}

// via returns the flags that lead to the queue over a network, with the key of who uses that: a
// worker, or behind them the pushes.
func (h *history) via(network int) []string {
	if h.address == "" {
		return h.home
	}
	key := "work.nk"
	if network == historyWorkers {
		key = "push.nk"
	}
	return []string{"--server", h.networks[network].url, "--nkey", filepath.Join(filepath.Dir(h.key()), key)}
}

func (h *history) key() string { return filepath.Join(h.dir, "queues", "user.nk") }

// command returns the program as it is called by those who have a clock.
func (h *history) command(ctx context.Context, clock int, args []string) *exec.Cmd {
	c := exec.CommandContext(ctx, h.program, append([]string{"queue"}, args...)...)
	c.Dir = h.dir
	if h.clocks != nil {
		c.Env = append(os.Environ(), h.clocks[clock].env())
	}
	return c
}

// start starts the program. Its messages are those of the test, if it fails. They go to a file: the
// children of one that is killed would keep a pipe open.
func (h *history) start(clock int, args ...string) *exec.Cmd {
	c := h.command(context.Background(), clock, args)
	messages, err := os.CreateTemp(h.dir, "said")
	if err == nil {
		defer messages.Close()
		c.Stderr = messages
		err = c.Start()
	}
	if err != nil {
		h.Error(err)
		return c
	}
	h.Cleanup(func() {
		kill(c)
		if h.Failed() {
			h.Logf("%v:\n%.5000s", args, written(messages.Name()))
		}
	})
	return c
}

// ends runs the program, kills it after a while if that is not 0, and returns its exit
// status, -1 if it was killed, and what it says.
func (h *history) ends(after time.Duration, args ...string) (int, string) {
	ctx := context.Background()
	if after > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(h.Context(), after)
		defer cancel()
	}
	c := h.command(ctx, clockOfPushes, args)
	c.WaitDelay = patience // children of one that is killed may keep the pipe
	out, err := c.CombinedOutput()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return e.ExitCode(), string(out)
	}
	if err != nil {
		return -1, err.Error()
	}
	return 0, string(out)
}

func kill(c *exec.Cmd) {
	_ = c.Process.Kill()
	_ = c.Wait()
}

// serve starts the server, at the same address each time.
func (h *history) serve() {
	began := time.Now()
	if h.address == "" {
		h.address = reserve(h.T)
	}
	h.server = h.start(clockOfServer, "serve", "--dir", filepath.Dir(h.key()), "--listen", h.address)
	for until := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if c, err := net.Dial("tcp", h.address); err == nil {
			c.Close()
			h.back = max(h.back, time.Since(began))
			return
		}
		if time.Now().After(until) {
			h.Fatal("the server does not come")
		}
	}
}

// reserve returns an address at which a server may listen again and again. A socket that does not
// listen keeps the system from giving its port to anybody else meanwhile.
func reserve(t *testing.T) (address string) {
	t.Helper()
	fd := need(syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0))(t)
	release := func() { _ = syscall.Close(fd) }
	syscall.CloseOnExec(fd)
	if err := errors.Join(syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1),
		syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})); err != nil {
		t.Fatal(err)
	}
	bound := need(syscall.Getsockname(fd))(t).(*syscall.SockaddrInet4)
	if runtime.GOOS == "linux" {
		t.Cleanup(release)
	} else { // it would keep the port from the server as well
		release()
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(bound.Port))
}

// historyJob succeeds, fails, or fails twice, as its value says. Only the tries are bounded:
// whatever is killed meanwhile must not count.
const historyJob = `echo {} >>starts
case {} in
*bad) exit 3 ;;
*flaky) [ "$(grep -cFx {} starts)" -gt 2 ] || exit 4 ;;
*big) head -c 300000 /dev/zero | tr '\0' x ;;
esac
sleep 0.0$(( ${1%%.*} % 5 ))
echo out {}`

// value returns the value of the job n.
func value(n int) string {
	return fmt.Sprintf("%d.%s", n, map[int]string{3: "bad", 5: "flaky", 8: "big"}[n%10])
}

func (h *history) work(i int) {
	args := append([]string{"work", "q"}, h.via(i)...)
	h.workers[i] = h.start(i, append(args, "--lease", historyLease.String(), "--tries", "3", "--deaths", "1000", "--pause", "10ms", "-j", strconv.Itoa(historyAtOnce), "-c", historyJob)...)
}

// run lets things happen until all jobs are pushed, and then waits for their results.
func (h *history) run() {
	if status, out := h.ends(0, append([]string{"push", "q"}, append(h.home, ":::", "0.")...)...); status != 0 {
		h.Fatal(out)
	}
	h.confirmed["0."] = true
	for i := range h.workers {
		h.work(i)
	}
	over := make(chan struct{})
	var aside sync.WaitGroup
	aside.Go(func() { defer close(over); h.push() })
	aside.Go(func() { h.retry(over) })
	aside.Go(func() { h.deletes(over) })
	for going := true; going; {
		select {
		case <-over:
			going = false
		case <-time.After(*queuePace/2 + time.Duration(h.random.Int64N(int64(*queuePace)))):
			h.fault()
		}
	}
	aside.Wait()
	if h.last != nil { // not before, when a server may be away
		status, out := h.ends(0, append([]string{"results", "gone", "--stdout"}, h.home...)...)
		got := strings.Fields(out)
		slices.Sort(got)
		if status != 0 || !slices.Equal(got, h.last) {
			h.Errorf("the last queue of the name has the results %q (%d), want %q", out, status, h.last)
		}
	}
	status, out := h.ends(historyMost, append([]string{"wait", "q"}, h.home...)...)
	failed := 0
	for _, line := range h.look() {
		if strings.Contains(line, `"state":"failed"`) {
			failed++
		}
	}
	if status != min(failed, 101) {
		h.Errorf("wait ends with %d, want %d: %s", status, min(failed, 101), out)
	}
}

// fault lets something happen to a process or a network, for a while.
func (h *history) fault() {
	i := h.random.IntN(historyWorkers)
	long := time.Duration(h.random.Int64N(int64(historyStop)))
	if h.clocks != nil && h.random.IntN(2) == 0 {
		clock := h.random.IntN(clocksInAll)
		if clock == clockOfServer {
			h.notice()
		}
		h.count("clocks set")
		h.clocks[clock].set(h.T, historyJumps[h.random.IntN(len(historyJumps))])
		return
	}
	switch n := h.random.IntN(12); {
	case n < 4:
		h.count("workers killed")
		kill(h.workers[i])
		h.work(i)
	case n < 6:
		h.count("workers stopped")
		h.stop(h.workers[i], long)
	case n < 7:
		h.count("workers told to end")
		_ = h.workers[i].Process.Signal(syscall.SIGTERM)
		_ = h.workers[i].Wait()
		h.work(i)
	case h.address == "": // it may be the one that serves
		h.count("workers killed")
		kill(h.workers[i])
		h.work(i)
	case n < 9:
		h.count("servers killed")
		h.notice()
		h.killServer()
		h.serve()
	case n < 10:
		h.count("servers stopped")
		h.stop(h.server, long)
	default:
		h.count("networks cut")
		cut := h.networks[h.random.IntN(len(h.networks))]
		cut.gate.Lock()
		time.Sleep(long)
		if h.random.IntN(2) == 0 {
			cut.reset() // else what was under way arrives now
		}
		cut.gate.Unlock()
	}
}

// notice waits until the server has noticed that its clock was set: it looks once a second.
func (h *history) notice() {
	if h.clocks != nil {
		time.Sleep(time.Until(h.clocks[clockOfServer].last().Add(2 * time.Second)))
	}
}

func (h *history) stop(c *exec.Cmd, long time.Duration) {
	_ = c.Process.Signal(syscall.SIGSTOP)
	time.Sleep(long)
	_ = c.Process.Signal(syscall.SIGCONT)
}

// push pushes all jobs, and each value once: one in six pushes is killed.
func (h *history) push() {
	random := h.chance(1)
	for next := 1; next < *queueJobs && !h.Failed(); {
		var values []string
		for range historyBatch {
			values = append(values, value(next))
			next++
		}
		after := time.Duration(0)
		if random.IntN(6) == 0 {
			after = 20*time.Millisecond + time.Duration(random.Int64N(int64(50*time.Millisecond)))
		}
		status, out := h.ends(after, append(append([]string{"push", "q"}, h.via(len(h.networks)-1)...), append([]string{":::"}, values...)...)...)
		into := h.confirmed
		switch {
		case status == 0:
			h.count("pushes confirmed")
		case status == -1 && after > 0:
			into = h.doubtful
			h.count("pushes killed")
		case strings.Contains(out, "cannot connect"), strings.Contains(out, "context deadline exceeded"), strings.Contains(out, "the server has no JetStream for us"), strings.Contains(out, "the server does not answer"):
			into = h.doubtful
			h.count("pushes refused")
		default:
			h.Errorf("push ends with %d: %s", status, out)
		}
		for _, v := range values {
			into[v] = true
		}
		time.Sleep(*queuePace)
	}
}

// deletes pushes to another queue, works on it and deletes it, again and again. What was
// deleted does not come back.
func (h *history) deletes(over <-chan struct{}) {
	random := h.chance(3)
	for round := 0; ; round++ {
		values := []string{fmt.Sprint(round, "a"), fmt.Sprint(round, "b")}
		if status, _ := h.ends(0, append(append([]string{"push", "gone"}, h.home...), append([]string{":::"}, values...)...)...); status != 0 {
			// It may have pushed all the same: the next delete takes it.
			values = nil
		}
		worker := h.start(0, append(append([]string{"work", "gone"}, h.home...), "--lease", historyLease.String(), "--until-empty", "echo")...)
		ended := false
		select {
		case <-over:
			ended = values != nil
		case <-time.After(time.Duration(random.Int64N(int64(*queuePace)))):
		}
		if ended {
			_ = worker.Wait()
			h.last = values
			return
		}
		for status, until := -1, time.Now().Add(patience); status != 0; {
			var out string
			status, out = h.ends(0, append([]string{"delete", "gone", "--force"}, h.home...)...)
			if strings.Contains(out, "there is no queue") {
				break // a delete whose server died had gone so far
			}
			if h.Context().Err() != nil {
				return
			}
			if time.Now().After(until) {
				h.Errorf("delete ends with %d for two minutes: %s", status, out)
				return
			}
		}
		h.count("deletes")
		_ = worker.Wait()
	}
}
