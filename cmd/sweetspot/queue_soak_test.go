//go:build unix

package main_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

var (
	queueJobs = flag.Int("queuejobs", 120, "how many jobs TestQueueSurvivesKill runs in each of its forms")
	queuePace = flag.Duration("queuepace", 400*time.Millisecond, "how often TestQueueSurvivesKill kills a worker")
)

const (
	queueWorkers = 3
	queueAtOnce  = 4 // jobs of a worker at a time
	serverKills  = 2
)

// Workers and the server of a queue are killed at random moments. Then every job has
// exactly one result, and only jobs that were running at a kill have run twice, or had
// run and were being recorded: as many again at most.
//
//	go test -run QueueSurvivesKill ./cmd/sweetspot -args -queuejobs 2000 -queuepace 1s
func TestQueueSurvivesKill(t *testing.T) {
	rerun.Skip(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for i, form := range []string{"server", "workers serve each other"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			s := &queueSoak{T: t, dir: t.TempDir(), random: rand.New(rand.NewPCG(seed, uint64(i)))}
			s.where = []string{"--dir", filepath.Join(s.dir, "queues")}
			if i == 0 {
				s.serve()
			}
			s.run()
		})
	}
}

// A queueSoak is a queue whose workers and server are killed.
type queueSoak struct {
	*testing.T
	dir     string
	where   []string // flags that lead to the queue
	address string   // of the server; "" if workers serve each other
	random  *rand.Rand

	server  *exec.Cmd
	workers [queueWorkers]*exec.Cmd
	spares  int // jobs that may have run twice
	kills   int
}

// start starts the program. Its messages are those of the test, if it fails.
func (s *queueSoak) start(args ...string) *exec.Cmd {
	s.Helper()
	c := exec.Command("sweetspot", append([]string{"queue"}, args...)...)
	c.Dir = s.dir
	messages := &bytes.Buffer{}
	c.Stderr = messages
	c.WaitDelay = time.Second // jobs of those that are killed live on
	if err := c.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		if s.Failed() {
			s.Logf("%v:\n%s", args, messages)
		}
	})
	return c
}

// command runs the program, and returns what it prints.
func (s *queueSoak) command(args ...string) string {
	s.Helper()
	c := exec.Command("sweetspot", append([]string{"queue"}, args...)...)
	c.Dir = s.dir
	messages := &bytes.Buffer{}
	c.Stderr = messages
	out, err := c.Output()
	if err != nil {
		s.Fatalf("%v: %v\n%s", args, err, messages)
	}
	return string(out)
}

// serve starts the server, at the same address each time.
func (s *queueSoak) serve() {
	if s.address == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			s.Fatal(err)
		}
		s.address = l.Addr().String()
		l.Close()
	}
	home := filepath.Join(s.dir, "queues")
	s.server = s.start("serve", "--dir", home, "--listen", s.address)
	s.where = []string{"--server", "nats://" + s.address, "--nkey", filepath.Join(home, "user.nk")}
	for until := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if c, err := net.Dial("tcp", s.address); err == nil {
			c.Close()
			return
		}
		if time.Now().After(until) {
			s.Fatal("the server does not come")
		}
	}
}

func (s *queueSoak) work(i int) {
	args := append([]string{"work", "q"}, s.where...)
	args = append(args, "--lease", "1s", "--tries", "100", "--pause", "10ms", "-j", strconv.Itoa(queueAtOnce),
		"-c", `echo {} >>starts; sleep 0.0$(printf %02d $(( (${1} * 7) % 46 + 5 )))`)
	s.workers[i] = s.start(args...)
}

func (s *queueSoak) run() {
	list := &strings.Builder{}
	for i := range *queueJobs {
		fmt.Fprintln(list, i+1)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "list"), []byte(list.String()), 0o600); err != nil {
		s.Fatal(err)
	}
	s.command(append([]string{"push", "q", "-a", "list"}, s.where...)...)
	for i := range s.workers {
		s.work(i)
	}
	done := make(chan error, 1)
	waiter := s.start(append([]string{"wait", "q"}, s.where...)...)
	go func() { done <- waiter.Wait() }()
	servers := 0
	for running := true; running; {
		select {
		case err := <-done:
			running = false
			if err != nil {
				s.Errorf("wait: %v", err)
			}
		case <-time.After(*queuePace/2 + time.Duration(s.random.Int64N(int64(*queuePace)))):
			i := s.random.IntN(queueWorkers)
			kill(s.workers[i])
			s.kills++
			s.spares += 2 * queueAtOnce
			if s.address != "" && servers < serverKills && s.random.IntN(2) == 0 {
				servers++
				kill(s.server)
				s.spares += 2 * queueAtOnce * queueWorkers // whose leases may end before it is back
				s.serve()
			}
			if s.address == "" {
				s.spares += 2 * queueAtOnce * queueWorkers // it may have been the one that serves
			}
			s.work(i)
		}
	}
	s.check()
}

func kill(c *exec.Cmd) {
	_ = c.Process.Kill()
	_ = c.Wait()
}

// check reads the results.
func (s *queueSoak) check() {
	var jobs int
	for line := range strings.Lines(s.command(append([]string{"results", "q"}, s.where...)...)) {
		var r struct {
			Job    int
			State  string
			Values []string
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			s.Fatal(err)
		}
		jobs++
		if r.Job != jobs || r.State != "done" || len(r.Values) != 1 || r.Values[0] != strconv.Itoa(jobs) {
			s.Errorf("line %d is %s", jobs, line)
		}
	}
	if jobs != *queueJobs {
		s.Errorf("%d results, want %d", jobs, *queueJobs)
	}
	text, err := os.ReadFile(filepath.Join(s.dir, "starts"))
	if err != nil {
		s.Fatal(err)
	}
	runs := strings.Count(string(text), "\n")
	if runs < *queueJobs || runs > *queueJobs+s.spares {
		s.Errorf("%d runs of %d jobs: want at most %d more, those that ran at one of %d kills", runs, *queueJobs, s.spares, s.kills)
	}
	s.Logf("%d runs of %d jobs, %d workers killed", runs, *queueJobs, s.kills)
}
