package jobserver

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// run runs a command as a client. The error carries its exit status.
func (o *options) run(command []string) (err error) {
	path, err := run.Lookup(command[0], "sh -c")
	if err != nil {
		return fmt.Errorf("%w: want a program and its arguments, such as: sweetspot jobserver make", err)
	}
	if word := ownNumber(command); word != "" {
		return fmt.Errorf("with %s, %s does not use the tokens: leave it out, or give the number to sweetspot jobserver", word, command[0])
	}
	if w := warning(command); w != "" {
		fmt.Fprintf(os.Stderr, "%s: %s\n", program, w)
	}
	style, err := styleFor(o.style, command)
	if err != nil {
		return err
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
	w, err := newWatch(p.path)
	if err != nil && !o.number.Fixed() {
		return err
	}
	defer w.close()
	sensor := newSensor()
	limiter, err := o.number.Open(program, sensor)
	if err != nil {
		return err
	}
	s := newServer(p, limiter, sensor)
	s.writes, s.unused, s.tell, s.note = w.writes, p.unused, o.number.Tell, o.number.Sample
	defer func() {
		said := s.said()
		if w.fd < 0 { // a token that came back and was taken at once does not show
			said = "at least " + said
		}
		if e := o.number.Close(s.turns.done, int64(max(s.turns.most, 1)), said); err == nil {
			err = e
		}
	}()
	flags, more, ends := "--jobserver-auth="+fifo+p.path, []int(nil), []int(nil)
	if style == stylePipe {
		more = handedDown() // before the ends are open, which were not handed down
		if ends, err = p.ends(); err != nil {
			return err
		}
		flags = pipeFlags(firstMore+len(more), firstMore+len(more)+1)
	}
	c, err := startChild(path, command, environment(os.Environ(), flags, limiter.Limit()), append(more, ends...))
	for _, fd := range ends {
		unix.Close(fd)
	}
	if err != nil {
		return err
	}
	done := make(chan struct{})
	var serving sync.WaitGroup
	serving.Go(func() { s.serve(done) })
	err = c.wait()
	close(done)
	serving.Wait()
	return err
}

// handedDown returns the open files, beside the standard ones, that we were started with and a child inherits, up to
// where there is room for two more. A gap is -1.
func handedDown() (files []int) {
	const closed = -1
	file := func(fd int) int {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC != 0 {
			return closed // or it is ours
		}
		return fd
	}
	for fd := firstMore; file(fd) != closed || file(fd+1) != closed; fd++ {
		files = append(files, file(fd))
	}
	return files
}

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

// usable returns where MAKEFLAGS leads to a jobserver that is there, or "".
func usable(flags string) (auth string) {
	for _, w := range strings.Fields(flags) {
		switch name, v, _ := strings.Cut(w, "="); name {
		case "--jobserver-auth", "--jobserver-fds": // the second is that of make before 4.2
			auth = v // the last one counts
		}
	}
	if auth == "" || !reachable(auth) {
		return ""
	}
	return auth
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
