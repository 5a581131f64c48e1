package jobserver_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/jobserver"
)

// patience is how long something that must happen may take on a busy machine.
const patience = 2 * time.Minute

// eventually waits for something.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not in time: " + what)
		}
	}
}

// Fifty clients die by kill -9 with a token each, and no token stays lost.
func TestKilledClients(t *testing.T) {
	const tokens, together, rounds = 12, 10, 5
	p, w, err := jobserver.NewPool()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	defer w.Close()
	sensor := jobserver.NewBuildSensor()
	l := sweetspot.New(sweetspot.Sensor(sensor))
	l.SetLimit(tokens + 1)
	done, served := make(chan struct{}), make(chan struct{})
	lost := 0
	go func() {
		defer close(served)
		_, lost, _ = jobserver.Serve(p, l, sensor, w.Writes, p.Unused, 50*time.Millisecond, done)
	}()
	top := exec.Command("sleep", "1000") // the job that needs no token
	if err := top.Start(); err != nil {
		t.Fatal(err)
	}
	full := func() bool { return p.Level() == tokens }
	eventually(t, "all tokens", full)
	for range rounds {
		var clients []*exec.Cmd
		for range together {
			clients = append(clients, startClient(t, p, "dd bs=1 count=1 <&3 >/dev/null 2>&1 && exec sleep 1000"))
		}
		eventually(t, "a token for each", func() bool { return p.Level() == tokens-together })
		for _, c := range clients {
			c.Process.Kill()
		}
		for _, c := range clients {
			_ = c.Wait() // it was killed
		}
		eventually(t, "new tokens for those that died", full)
	}
	close(done)
	<-served
	top.Process.Kill()
	_ = top.Wait()
	if lost != rounds*together {
		t.Errorf("%d tokens counted as lost, want %d", lost, rounds*together)
	}
}

// startClient starts a shell with both ends of the pipe as 3 and 4.
func startClient(t *testing.T, p *jobserver.Pool, script string) *exec.Cmd {
	t.Helper()
	c := exec.Command("sh", "-c", script)
	c.ExtraFiles = p.Ends(t)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for _, f := range c.ExtraFiles {
		f.Close()
	}
	t.Cleanup(func() { c.Process.Kill() })
	return c
}

// Each write to the pipe is reported, even if the token is taken at once. A read is not.
func TestWatch(t *testing.T) {
	p, w, err := jobserver.NewPool()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	defer w.Close()
	const moves = 100
	go func() {
		for range moves {
			p.Put(1)
			p.Take(1)
		}
	}()
	told := 0
	eventually(t, "all writes told", func() bool {
		told += w.Writes()
		return told >= moves
	})
	if told += w.Writes(); told > moves {
		t.Errorf("%d writes told, want %d", told, moves)
	}
}

// Two writes that the kernel tells as one are two tokens that came back, and hide none that comes back later.
func TestMergedWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w, err := jobserver.NewPool()
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		defer w.Close()
		m := newMachine(8, 0, 0)
		sensor := jobserver.NewSensor(m, m.look)
		l := sweetspot.New(sweetspot.Sensor(sensor))
		l.SetLimit(3)
		done, served := make(chan struct{}), make(chan struct{})
		var turns int64
		go func() {
			defer close(served)
			turns, _, _ = jobserver.Serve(p, l, sensor, w.Writes, func() int { return 0 }, time.Second, done)
		}()
		pause := func() { // of some steps
			time.Sleep(200 * time.Millisecond)
			synctest.Wait()
		}
		pause()
		p.Take(2)
		pause()
		p.Put(1)
		p.Put(1) // nobody has read in between
		pause()
		p.Take(1)
		pause()
		p.Put(1)
		p.Take(1) // before the server looks
		pause()
		close(done)
		<-served
		if turns != 3 {
			t.Errorf("%d tokens came back, want 3", turns)
		}
	})
}

// However high the limit, a client can write a token back that it took.
func TestRoomToReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w, err := jobserver.NewPool()
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		defer w.Close()
		m := newMachine(8, 0, 0)
		sensor := jobserver.NewSensor(m, m.look)
		l := sweetspot.New(sweetspot.Sensor(sensor), sweetspot.Max(100_000))
		l.SetLimit(100_000)
		done, served := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(served)
			jobserver.Serve(p, l, sensor, w.Writes, func() int { return 0 }, time.Second, done)
		}()
		time.Sleep(10 * time.Second) // of steps, each of which puts in what fits
		close(done)
		<-served
		if p.Level() < 2000 {
			t.Errorf("%d tokens, want all that there is room for", p.Level())
		}
		for i := range 10_000 {
			if took, put := p.Take(1), p.Put(1); took != 1 || put != 1 {
				t.Fatalf("client %d took %d of %d tokens and wrote %d back", i, took, p.Level(), put)
			}
		}
	})
}

// A pipe of one page, as kernels before 5.14 give to users with many, holds one token: who took it can write it back.
func TestRoomOfOnePage(t *testing.T) {
	for _, page := range []int{4096, 65536} {
		if n := jobserver.Room(page, page); n < 1 {
			t.Errorf("room for %d tokens in a page of %d bytes, want 1 or more", n, page)
		}
	}
}

// A token that comes back is caught, though a client waits for it, too, sooner or later.
func TestCatch(t *testing.T) {
	p, w, err := jobserver.NewPool()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	defer w.Close()
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c := exec.Command("sh", "-c", "while dd bs=1 count=1 <&3 2>/dev/null; do printf + >&4; done")
	c.ExtraFiles, c.Stdout = p.Ends(t), out
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // to end the dd with its shell
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	for _, f := range c.ExtraFiles {
		f.Close()
	}
	defer func() {
		syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		_ = c.Wait()
	}()
	p.Put(1)
	if _, err := bufio.NewReader(r).ReadByte(); err != nil { // the client moves it round and round
		t.Fatal(err)
	}
	p.Catch()
	eventually(t, "a token caught", p.Caught)
	if n := p.Level(); n != 0 {
		t.Errorf("%d tokens are there, want none", n)
	}
}

// A make before 4.2 names its pipe in another word than later ones do.
func TestJobserverOfAnyMake(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	ends := fmt.Sprintf("%d,%d", r.Fd(), w.Fd())
	for flags, want := range map[string]string{
		"k -j4 --jobserver-auth=" + ends:                            ends,
		"k --jobserver-fds=" + ends + " -j":                         ends,
		"--jobserver-auth=900,901 -j4":                              "",
		"--jobserver-auth=-2,-2":                                    "",
		"--jobserver-auth=fifo:/nowhere":                            "",
		"--jobserver-auth=" + ends + " --jobserver-auth=fifo:/none": "",
		"k -j4": "",
	} {
		if got := jobserver.Usable(flags); got != want {
			t.Errorf("MAKEFLAGS=%q: %q, want %q", flags, got, want)
		}
	}
}
