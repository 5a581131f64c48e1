//go:build unix

package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A tool is a running sweetspot.
type tool struct {
	*testing.T
	cmd            *exec.Cmd
	dir            string
	stdout, stderr bytes.Buffer
	waited         chan error
}

// start starts sweetspot in a directory of its own.
func start(t *testing.T, stdin *os.File, args ...string) *tool {
	t.Helper()
	cmd := exec.Command("sweetspot", args...)
	if stdin != nil {
		cmd.Stdin = stdin
	}
	return startCommand(t, cmd)
}

func startCommand(t *testing.T, cmd *exec.Cmd) *tool {
	t.Helper()
	return startCommandTo(t, cmd, nil)
}

// startCommandTo starts a command whose output goes to a file, if there is one.
func startCommandTo(t *testing.T, cmd *exec.Cmd, stdout *os.File) *tool {
	t.Helper()
	s := &tool{T: t, cmd: cmd, dir: t.TempDir(), waited: make(chan error, 1)}
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = s.dir, &s.stdout, &s.stderr
	if stdout != nil {
		s.cmd.Stdout = stdout
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.waited <- s.cmd.Wait() }()
	t.Cleanup(func() { s.cmd.Process.Kill() })
	return s
}

// patience is how long something that must happen may take on a busy machine.
const patience = 2 * time.Minute

// await waits for files to appear in the directory and to have content, and
// returns the numbers in them.
func (s *tool) await(names ...string) []int {
	s.Helper()
	var pids []int
	deadline := time.Now().Add(patience)
	for _, name := range names {
		for {
			b, err := os.ReadFile(filepath.Join(s.dir, name))
			if err == nil && bytes.HasSuffix(b, []byte("\n")) {
				for _, f := range strings.Fields(string(b)) {
					pid, err := strconv.Atoi(f)
					if err != nil {
						s.Fatal(err)
					}
					pids = append(pids, pid)
				}
				break
			}
			if time.Now().After(deadline) {
				s.Fatalf("%s did not appear; stderr: %s", name, s.stderr.String())
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
	return pids
}

func (s *tool) signal(sig os.Signal) {
	s.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.Fatal(err)
	}
}

// taken waits until no signal is on its way to the process any more, where that
// can be seen.
func (s *tool) taken() {
	s.Helper()
	pending := regexp.MustCompile(`(?m)^(Sig|Shd)Pnd:.*[1-9a-f]`)
	for deadline := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
		if err != nil || !pending.Match(status) {
			break
		}
		if time.Now().After(deadline) {
			s.Fatal("a signal is not taken")
		}
	}
	time.Sleep(50 * time.Millisecond) // from its handler to who waits for it
}

// heeded waits until the run has heeded the signals that it was sent. It heeds one after the
// other, so that is so when another one has stopped it.
func (s *tool) heeded() {
	s.Helper()
	s.taken()
	s.signal(syscall.SIGTSTP)
	s.state(s.cmd.Process.Pid, "T")
	s.signal(syscall.SIGCONT)
}

// ends waits for the end and checks the exit code.
func (s *tool) ends(code int) {
	s.Helper()
	if got := s.status(); got != code {
		s.Errorf("exit code %d, want %d; stderr: %s", got, code, s.stderr.String())
	}
}

// status waits for the end, and returns the exit code, or the number of the signal that killed it,
// negated.
func (s *tool) status() int {
	s.Helper()
	select {
	case err := <-s.waited:
		e, ok := errors.AsType[*exec.ExitError](err)
		switch {
		case err == nil:
			return 0
		case !ok:
			s.Fatal(err)
		}
		if status := e.Sys().(syscall.WaitStatus); status.Signaled() {
			return -int(status.Signal())
		}
		return e.ExitCode()
	case <-time.After(patience):
		s.Fatal("does not end")
	}
	return 0
}

// gone checks that no process is left. A zombie that its new parent has not
// reaped yet is gone.
func (s *tool) gone(pids []int) {
	s.Helper()
	for _, pid := range pids {
		deadline := time.Now().Add(patience)
		for alive(pid) {
			if time.Now().After(deadline) {
				s.Errorf("process %d survived", pid)
				syscall.Kill(pid, syscall.SIGKILL)
				break
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
}

func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !bytes.Contains(stat, []byte(") Z "))
}

// write makes a file appear with its content.
func (s *tool) write(name, text string) {
	s.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		s.Fatal(err)
	}
}

func (s *tool) has(name string) bool {
	_, err := os.Stat(filepath.Join(s.dir, name))
	return err == nil
}

// family is a job of three processes: a shell, its child and a grandchild. The
// file named after the value then holds the numbers of all three.
const (
	family = `while ! test -e child; do sleep 0.01; done; sh child {} & while ! test -e {}.c; do sleep 0.01; done; { echo $$; cat {}.c; } >{}.t; mv {}.t {}; wait`
	child  = "sleep 100 & echo $$ $! >$1.u; mv $1.u $1.c; wait\n"
)

func TestSignalsEndWholeJobs(t *testing.T) {
	rerun.Skip(t)
	for _, c := range []struct {
		sig  os.Signal
		code int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}, {syscall.SIGQUIT, 131}} {
		t.Run(c.sig.String(), func(t *testing.T) {
			t.Parallel()
			s := start(t, nil, "run", "-j", "2", "-c", family, ":::", "a", "b", "c")
			s.write("child", child)
			pids := s.await("a", "b")
			if len(pids) != 6 {
				t.Fatalf("%d processes, want 2 jobs of 3", len(pids))
			}
			s.signal(c.sig)
			s.ends(c.code)
			s.gone(pids)
			if s.has("c") {
				t.Error("a job was started after the signal")
			}
		})
	}
}

// A job that does not heed TERM is killed after the grace, and so is a process
// that it leaves behind.
func TestGrace(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	s := start(t, nil, "run", "-j", "2", "--grace", "0.3", "-c",
		`trap '' TERM; { sleep 100 & echo $$ $!; } >{}.t; test {} = a || trap 'exit 0' TERM; mv {}.t {}; while :; do sleep 0.05; done`, ":::", "a", "b")
	pids := s.await("a", "b")
	s.signal(syscall.SIGTERM)
	s.ends(143)
	s.gone(pids)
}

// A second signal kills at once, long before the grace is over.
func TestSecondSignal(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	s := start(t, nil, "run", "--grace", "1h", "-c", `trap 'echo $$ >heard' TERM; echo $$ >{}.t; mv {}.t {}; while :; do sleep 0.05; done`, ":::", "a")
	pids := s.await("a")
	s.signal(syscall.SIGINT)
	s.await("heard")
	select {
	case <-s.waited:
		t.Fatal("ended within the grace")
	default:
	}
	s.signal(syscall.SIGINT)
	s.ends(130)
	s.gone(pids)
}

// TERM lets jobs clean up, and what they say then is printed.
func TestTermIsHeard(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	s := start(t, nil, "run", "--grace", "1m", "--json", "sum.json", "-c", `trap 'echo bye; exit 0' TERM; echo $$ >{}.t; mv {}.t {}; while :; do sleep 0.02; done`, ":::", "a")
	s.await("a")
	s.signal(syscall.SIGTERM)
	s.ends(143)
	if got := s.stdout.String(); got != "bye\n" {
		t.Errorf("stdout %q", got)
	}
	if b, err := os.ReadFile(filepath.Join(s.dir, "sum.json")); err != nil || !bytes.Contains(b, []byte(`"jobs": 1`)) {
		t.Errorf("summary %s, %v", b, err)
	}
}

// HUP lets the running jobs finish and starts no other.
func TestHangupDrains(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	// A test under nohup has the signal ignored, and so would the command, which
	// does not drain then. Of a signal that is handled here, it knows nothing.
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	s := start(t, nil, "run", "-j", "1", "-c", `echo $$ >{}.t; mv {}.t {}; while ! test -e go; do sleep 0.01; done; echo done {}`, ":::", "a", "b")
	s.await("a")
	s.signal(syscall.SIGHUP)
	s.heeded()
	s.write("go", "")
	s.ends(129)
	if got := s.stdout.String(); got != "done a\n" || s.has("b") {
		t.Errorf("stdout %q", got)
	}
}

// A signal ends a wait for input, too.
func TestSignalWhileWaitingForInput(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	s := start(t, r, "run", "-c", `echo $$ >{}.t; mv {}.t {}`)
	if _, err := w.WriteString("a\n"); err != nil {
		t.Fatal(err)
	}
	s.await("a") // so a line is run before the next one comes
	s.signal(syscall.SIGINT)
	s.ends(130)
}

// TestSignalWithEndOfInput: a ^C ends the producer of the list as well, whose end may
// be seen before the signal. The list was not done all the same.
func TestSignalWithEndOfInput(t *testing.T) {
	rerun.Skip(t)
	for range 10 {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		s := start(t, in, "run", "touch")
		in.Close()
		fmt.Fprintln(out, "a")
		for deadline := time.Now().Add(patience); !s.has("a") && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		s.signal(os.Interrupt)
		out.Close()
		// A thread that has taken the signal may be held up until the run is over. The signal then
		// kills it, which a shell reports as 130, too.
		if got := s.status(); got != 130 && got != -int(syscall.SIGINT) {
			s.Errorf("exit code %d, want 130; stderr: %s", got, s.stderr.String())
		}
	}
}

// HUP that was ignored at our start stays ignored, as nohup wants it.
func TestIgnoredSignals(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	s := startCommand(t, exec.Command("sh", "-c", `trap '' HUP; exec sweetspot run -c 'echo $$ >{}.t; mv {}.t {}; while ! test -e go; do sleep 0.01; done' ::: a b`))
	s.await("a")
	s.signal(syscall.SIGHUP)
	s.write("go", "")
	s.ends(0)
	s.await("b")
}

// A job that waits to be tried again is not waited for, however long --delay is.
func TestSignalBetweenTries(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	s := start(t, nil, "run", "-j", "1", "--delay", "1000", "--retries", "0", "-c", "echo 1 >>{}; exit 1", ":::", "a", "b")
	s.await("a")
	time.Sleep(50 * time.Millisecond) // most likely it waits then
	s.signal(syscall.SIGTERM)
	s.ends(143)
	if n := s.await("a"); len(n) != 1 || s.has("b") {
		t.Errorf("%d tries, want 1, or the next job has begun", len(n))
	}
}

// closed closes what a shell may have open by whoever runs the tests, and which counts.
const closed = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; "

// Where the machine has no room for more processes, jobs wait and none is lost.
func TestScarceProcesses(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	// Each job needs files; 40 are enough for some jobs at a time, not for all.
	for _, flags := range []string{"", "--delay 0.002", "--results " + t.TempDir()} {
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			s := startCommand(t, exec.Command("sh", "-c", closed+`ulimit -n 40; seq 20 | exec sweetspot run -j 20 -k `+flags+` -c 'sleep 0.2; echo {}'`))
			s.ends(0)
			var want strings.Builder
			for i := range 20 {
				fmt.Fprintln(&want, i+1)
			}
			if s.stdout.String() != want.String() || s.stderr.Len() > 0 {
				t.Errorf("stdout %q, stderr %q", s.stdout.String(), s.stderr.String())
			}
		})
	}
}

// With --pipe a job that waits has its block in a file. There are files for some of the jobs
// at a time, and at first none above them to start the last with.
func TestScarcePipe(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	for _, n := range []int{46, 60, 100} {
		s := startCommand(t, exec.Command("sh", "-c", fmt.Sprintf(closed+`ulimit -n %d; seq 40 | exec sweetspot run -j 40 --pipe -N 1 -c 'sleep 0.1; cat' 2>&1`, n)))
		s.ends(0)
		got := strings.Fields(s.stdout.String())
		slices.Sort(got)
		if len(slices.Compact(got)) != 40 {
			t.Errorf("%d files: %q", n, got)
		}
	}
}

// Jobs that wait to be tried again hold no files, which the others need to start.
func TestScarceBetweenTries(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	s := startCommand(t, exec.Command("sh", "-c", closed+`ulimit -n 40; seq 40 | exec sweetspot run -j 40 --delay 0.05 --retries 3 -c 'exit 1'`))
	s.ends(40)
}

// Where there are files for no job at all, the run ends at once; with a few more
// it does what it can, and never waits for what cannot come.
func TestTooFewFiles(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	for n := 16; n <= 70; n += 6 {
		for _, flags := range []string{"", "--pipe -N 1", "-k -j 40"} {
			jobs, command, want, enough := 3, "echo x", "x\nx\nx\n", 46
			if strings.HasPrefix(flags, "-k") { // outputs that wait in files for an earlier job
				jobs, command, want, enough = 40, "head -c 70000 /dev/zero", strings.Repeat("\x00", 40*70000), 52
			}
			s := startCommand(t, exec.Command("sh", "-c", fmt.Sprintf(closed+`ulimit -n %d; seq %d | exec sweetspot run %s -c '%s'`, n, jobs, flags, command)))
			var err error
			select {
			case err = <-s.waited:
			case <-time.After(patience):
				t.Fatalf("%d files, flags %q: does not end", n, flags)
			}
			switch out, errs := s.stdout.String(), s.stderr.String(); {
			case err == nil && out == want:
			case n < enough && s.cmd.ProcessState.ExitCode() == 255 && strings.Contains(errs, "ulimit -n"):
			default:
				t.Errorf("%d files, flags %q: %v, %d bytes on stdout, stderr %q", n, flags, err, len(out), errs)
			}
		}
	}
}

// Ctrl-Z stops the jobs with us, though the terminal reaches only us.
func TestSuspend(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	// The loop starts no process: a shell whose child is stopped before it is
	// another program waits in state D instead.
	s := start(t, nil, "run", "-c", `echo $$ >{}.t; mv {}.t {}; while ! test -e go; do :; done; echo done`, ":::", "a")
	job := s.await("a")[0]
	s.signal(syscall.SIGTSTP)
	s.state(job, "T")
	s.state(s.cmd.Process.Pid, "T")
	s.write("go", "")
	s.signal(syscall.SIGCONT)
	s.ends(0)
	if got := s.stdout.String(); got != "done\n" {
		t.Errorf("stdout %q", got)
	}
}

// state waits until a process is in a state, by /proc or else ps(1).
func (s *tool) state(pid int, want string) {
	s.Helper()
	deadline := time.Now().Add(patience)
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, out, _ := bytes.Cut(stat, []byte(") "))
		if _, e := os.Stat("/proc/self/stat"); err != nil && e != nil {
			if out, err = exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output(); errors.Is(err, exec.ErrNotFound) {
				s.Skip("no /proc, and no ps: ", err)
			}
		}
		if bytes.HasPrefix(out, []byte(want)) {
			return
		}
		if time.Now().After(deadline) {
			s.Fatalf("process %d is in state %s, want %s", pid, out, want)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// A reader that never reads cannot keep us from ending, not even where we have something to say
// meanwhile, as of a file of -j that is gone.
func TestEndsWithBlockedOutput(t *testing.T) {
	rerun.Skip(t)
	for _, jobs := range []string{"1", filepath.Join(t.TempDir(), "jobs")} {
		t.Run(filepath.Base(jobs), func(t *testing.T) {
			t.Parallel()
			if filepath.IsAbs(jobs) {
				if err := os.WriteFile(jobs, []byte("1"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			cmd := exec.Command("sweetspot", "run", "--grace", "0", "-j", jobs, "-c", `seq 100000; echo $$ >{}.t; mv {}.t {}`, ":::", "a", "b", "c")
			s := startCommandTo(t, cmd, w)
			w.Close()
			s.await("a", "b")
			if filepath.IsAbs(jobs) {
				if err := os.Remove(jobs); err != nil {
					t.Fatal(err)
				}
			}
			s.signal(syscall.SIGTERM)
			s.ends(143)
		})
	}
}

// Nor can it once all jobs are over, and what is left to say is which failed.
func TestEndsWithBlockedReport(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	for _, explain := range []string{"", "--explain --quiet"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		c, err := w.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		var full error
		if err := c.Write(func(fd uintptr) bool {
			for full == nil {
				_, full = syscall.Write(int(fd), []byte{0})
			}
			return true
		}); err != nil || full != syscall.EAGAIN {
			t.Fatal(err, full)
		}
		s := startCommandTo(t, exec.Command("sh", "-c", "exec sweetspot run --grace 0 -j 1 "+explain+" --joblog log false ::: a b 2>&1 >null"), w)
		w.Close()
		for deadline := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
			if log, _ := os.ReadFile(filepath.Join(s.dir, "log")); bytes.Count(log, []byte("\n")) == 3 { // with its head
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the jobs do not end")
			}
		}
		s.signal(syscall.SIGTERM)
		s.ends(143)
	}
}
