package queue_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// A process of its own has the lock of a home, or serves it: a lock is the process's.
const processVariable = "SWEETSPOT_QUEUE_TEST"

func TestMain(m *testing.M) {
	dir := os.Getenv("SWEETSPOT_QUEUE_TEST_DIR")
	var err error
	switch os.Getenv(processVariable) {
	case "lock":
		err = queue.LockHome(dir)
	case "serve":
		err = queue.OpenHome(dir).Serve(nil, nil)
	case "serve before a restart":
		h := queue.OpenHome(dir)
		h.Boot("before")
		err = h.Serve(nil, nil)
	default:
		os.Exit(m.Run())
	}
	fmt.Println(err)
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
}

// process returns such a process.
func process(ctx context.Context, t *testing.T, what, dir string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(ctx, program)
	c.Env = append(os.Environ(), processVariable+"="+what, "SWEETSPOT_QUEUE_TEST_DIR="+dir)
	c.Stderr = os.Stderr
	return c
}

// start starts such a process, and returns what kills it.
func start(t *testing.T, what, dir string) (kill func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := process(ctx, t, what, dir)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	kill = func() { cancel(); _ = in.Close(); _ = c.Wait() }
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "<nil>\n" {
		t.Fatalf("%s: %s, %v", what, line, err)
	}
	return kill
}
