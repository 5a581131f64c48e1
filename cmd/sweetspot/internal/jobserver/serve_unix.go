//go:build unix

package jobserver

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"
)

// run runs a command as a client. The error carries its exit status.
func (o *options) run(command []string) (err error) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	if word := ownNumber(command); word != "" {
		return fmt.Errorf("with %s, %s does not use the tokens: leave it out, or give the number to sweetspot jobserver", word, command[0])
	}
	if auth := usable(os.Getenv(makeFlags)); auth != "" {
		fmt.Fprintf(os.Stderr, "%s: there is a jobserver already (%s), and its number holds\n", program, auth)
		c, err := startChild(path, command, os.Environ(), nil)
		if err != nil {
			return err
		}
		return c.wait()
	}
	p, err := newPool()
	if err != nil {
		return err
	}
	defer p.close()
	var w *watch
	if o.number.Found() {
		if w, err = newWatch(p.path); err != nil {
			return err
		}
		defer w.close()
	}
	sensor := newSensor()
	limiter, err := o.number.Open(program, sensor)
	if err != nil {
		return err
	}
	s := newServer(p, limiter)
	s.look, s.unused, s.tell, s.note = sensor.look, p.unused, o.number.Tell, o.number.Sample
	if w != nil {
		s.writes = w.writes
	}
	defer func() {
		if e := o.number.Close(s.turns.done, int64(max(s.turns.most, 1)), s.said()); err == nil {
			err = e
		}
	}()
	flags, ends := fifoFlags(p.path), []int(nil)
	if o.style.of(command) == stylePipe {
		if ends, err = p.ends(); err != nil {
			return err
		}
		flags = pipeFlags(firstEnd, firstEnd+1)
	}
	c, err := startChild(path, command, environment(os.Environ(), flags, limiter.Limit()), ends)
	for _, fd := range ends {
		unix.Close(fd)
	}
	if err != nil {
		return err
	}
	done, served := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(served)
		s.serve(done)
	}()
	err = c.wait()
	close(done)
	<-served
	return err
}

// firstEnd is the first descriptor that a child gets beside the standard ones.
const firstEnd = 3

// ends opens descriptors for a client: one to read from and one to write to. The name of the pipe goes, as nobody needs it
// any more; a watch stays.
func (p *pool) ends() ([]int, error) {
	r, err := p.end(unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	w, err := p.end(unix.O_WRONLY)
	if err != nil {
		unix.Close(r)
		return nil, err
	}
	p.remove()
	return []int{r, w}, nil
}

// reachable reports whether what --jobserver-auth says leads to a pipe.
func reachable(auth string) bool {
	var st unix.Stat_t
	var r, w int
	if path, ok := strings.CutPrefix(auth, fifo); ok {
		return unix.Stat(path, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO
	}
	if n, _ := fmt.Sscanf(auth, "%d,%d", &r, &w); n != 2 {
		return false
	}
	for _, fd := range []int{r, w} {
		if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
			return false
		}
	}
	return true
}
