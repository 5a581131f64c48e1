package run

import (
	"io"
	"os"
	"sync"

	"github.com/sweetspot-go/sweetspot/internal/statusline"
)

// A console is where everything is written: the output of jobs, our messages
// and, on a terminal, the status line. One writes at a time, so that nothing is
// torn and the status line never ends up in the middle of an output.
type console struct {
	mu             sync.Mutex
	stdout, stderr io.Writer
	program        string // what our messages begin with
	terminal       bool   // stderr is one
	line           *statusline.Line
}

// A patient stream waits also if its file is non-blocking. O_NONBLOCK belongs to the open file, so
// another process that shares it may have set it, as ssh does.
type patient struct{ file *os.File }

func (p patient) Write(b []byte) (n int, err error) {
	for again := true; again; again = ready(p.file, err, true) {
		var m int
		m, err = p.file.Write(b[n:])
		n += m
	}
	return n, err
}

// Stat lets [outfile.Stream] find the file.
func (p patient) Stat() (os.FileInfo, error) { return p.file.Stat() }

func (p patient) Read(b []byte) (n int, err error) {
	for again := true; again; again = ready(p.file, err, false) {
		n, err = p.file.Read(b)
	}
	return n, err
}

// job lets write put out the output of one job.
func (c *console) job(write func(stdout, stderr io.Writer) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.line.Clear()
	return write(c.stdout, c.stderr)
}

// say writes one line to stderr.
func (c *console) say(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.line.Clear()
	if c.terminal {
		text = visible(text)
	}
	_, _ = io.WriteString(c.stderr, text+"\n") // there is no other place to complain
}

// tell writes a message of ours to stderr.
func (c *console) tell(text string) { c.say(c.program + ": " + text) }

// command returns a command for say to write.
func (c *console) command(argv []string) string {
	if c.terminal {
		return showCommand(argv)
	}
	return quoteCommand(argv)
}

// status replaces the status line; an empty one takes it away.
func (c *console) status(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.line.Show(line)
}
