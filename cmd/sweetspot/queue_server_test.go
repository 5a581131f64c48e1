//go:build unix

package main_test

import (
	"bufio"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// startServer starts queue serve, and returns its URL.
func startServer(t *testing.T, home string, args ...string) string {
	t.Helper()
	c := exec.Command("sweetspot", append([]string{"queue", "serve", "--dir", home, "--listen", "127.0.0.1:0"}, args...)...)
	stderr, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		if err := c.Wait(); err != nil {
			t.Errorf("serve ended with %v, want nothing after TERM", err)
		}
	})
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatalf("serve says %q: %v", line, err)
	}
	fields := strings.Fields(line)
	return fields[len(fields)-1]
}

// elsewhere starts queue serve, and returns the flags of a client on another machine that may
// do everything, and a connection of its kind.
func elsewhere(t *testing.T, home string) (flags []string, nc *nats.Conn) {
	t.Helper()
	url, key := startServer(t, home), filepath.Join(home, "user.nk")
	nc = need(nats.Connect(url, need(nats.NkeyOptionFromSeed(key))(t)))(t)
	t.Cleanup(nc.Close)
	return []string{"--server", url, "--nkey", key}, nc
}

// startNATS starts a server of NATS with nothing of ours, and returns its URL.
func startNATS(t *testing.T, config string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "server.conf")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	opts := need(server.ProcessConfigFile(path))(t)
	opts.NoSigs, opts.NoLog = true, true
	s := need(server.NewServer(opts))(t)
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not get ready")
	}
	return s.ClientURL()
}

// queueCommand runs a command of queue, and returns what it writes to both streams.
func queueCommand(args ...string) (string, error) {
	out, err := exec.Command("sweetspot", append([]string{"queue"}, args...)...).CombinedOutput()
	return string(out), err
}

// A server of ours serves nobody without the key.
func TestQueueAuthentication(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	home := t.TempDir()
	url := startServer(t, home)
	if out, err := queueCommand("push", "q", "--server", url, ":::", "1"); err == nil || !strings.Contains(out, "Authorization Violation: give --creds, or --nkey") {
		t.Errorf("without the key: %v, %s", err, out)
	}
	if out, err := queueCommand("push", "q", "--server", url, "--nkey", filepath.Join(home, "user.nk"), ":::", "1"); err != nil {
		t.Errorf("with the key: %v, %s", err, out)
	}
	if out, err := queueCommand("status", "q", "--dir", home); err != nil || !strings.Contains(out, "q: 1 waiting") {
		t.Errorf("on the same machine: %v, %s", err, out)
	}
}

// Drained workers finish what they run, and leave the rest. Workers that get TERM give
// back what they run, and others have it at once.
func TestQueueWorkersEnd(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	startServer(t, home)
	work := func(name, line string) *exec.Cmd {
		// A job that is not given back comes again after the lease: not in this test.
		c := exec.Command("sweetspot", "queue", "work", name, "--dir", home, "--lease", "1h", "-j", "1", "-c", line)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill() })
		return c
	}
	run := func(args ...string) string {
		t.Helper()
		out, err := queueCommand(append([]string{args[0], "--dir", home}, args[1:]...)...)
		if err != nil {
			t.Fatalf("%v: %v, %s", args, err, out)
		}
		return out
	}
	begun := func(name string) {
		t.Helper()
		for until := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				return
			}
			if time.Now().After(until) {
				t.Fatal("no job starts")
			}
		}
	}

	run("push", "drained", ":::", "1", "2", "3")
	c := work("drained", "touch "+dir+"/drained; until [ -e "+dir+"/end ]; do sleep 0.01; done")
	begun("drained")
	drain, said := backgroundQueue(t, "drain", "drained", "--dir", home)
	for until := time.Now().Add(time.Minute); !strings.Contains(run("status", "drained"), "; ends"); {
		if time.Now().After(until) {
			t.Fatal("the worker is not told to end")
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "end"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := awaitEnd(drain); err != nil {
		t.Errorf("drain: %v, %s", err, said)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("a drained worker ended with %v", err)
	}
	if out, want := run("status", "drained"), "drained: 2 waiting, of which 0 taken; 1 done, 0 failed\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}

	run("push", "ended", ":::", "1", "2")
	c = work("ended", "touch "+dir+"/ended; exec sleep 1000")
	begun("ended")
	_ = c.Process.Signal(syscall.SIGTERM)
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != 143 {
		t.Errorf("after TERM the exit status is %d, want 143", code)
	}
	hup := make(chan os.Signal, 1) // lest it is ignored, as under nohup: that is inherited
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	c = work("ended", "true")
	run("wait", "ended")
	out := run("results", "ended")
	if strings.Count(out, `"state":"done"`) != 2 || strings.Count(out, `"tries":2`) != 1 {
		t.Errorf("want two jobs done, one of them at its second try:\n%s", out)
	}
	_ = c.Process.Signal(syscall.SIGHUP)
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != 0 {
		t.Errorf("after HUP the exit status is %d, want 0", code)
	}
}
