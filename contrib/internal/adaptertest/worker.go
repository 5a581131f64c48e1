package adaptertest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// workerVariable makes a test binary a worker of the server at that address.
const workerVariable = "SWEETSPOT_TEST_WORKER"

// Worker returns the address of the server that this process is to work for, or "" if it
// is not a worker. A worker ends with the process that started it, even if that is killed.
func Worker() string {
	address := os.Getenv(workerVariable)
	if address != "" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // our end of a pipe, which closes then
			os.Exit(0)
		}()
	}
	return address
}

// A Crew is a number of workers, one after another or together, that write lines into one pipe. So
// the lines come in the order of the work.
type Crew struct {
	*bufio.Scanner // of the lines; it ends with an error after five minutes

	t       *testing.T
	address string
	stdout  *os.File
}

// NewCrew returns a crew without workers for the server at address.
func NewCrew(t *testing.T, address string) *Crew {
	t.Helper()
	lines, stdout, err := os.Pipe()
	if err == nil {
		t.Cleanup(func() { lines.Close(); stdout.Close() })
		err = lines.SetReadDeadline(time.Now().Add(5 * time.Minute))
	}
	if err != nil {
		t.Fatal(err)
	}
	return &Crew{bufio.NewScanner(lines), t, address, stdout}
}

// Start starts a worker: this test binary, whose TestMain asks Worker. kill sends it SIGKILL,
// and returns when it has ended.
func (c *Crew) Start() (kill func()) {
	c.t.Helper()
	w := exec.Command(os.Args[0])
	w.Env = append(os.Environ(), workerVariable+"="+c.address)
	w.Stdout, w.Stderr = c.stdout, os.Stderr
	_, err := w.StdinPipe() // see Worker
	if err == nil {
		err = w.Start()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return func() {
		_ = w.Process.Kill()
		_ = w.Wait()
	}
}
