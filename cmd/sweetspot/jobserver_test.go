//go:build linux

package main_test

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// startBuild starts make under a jobserver, with a makefile, and waits for its jobs to run. It returns
// their processes.
func startBuild(t *testing.T, makefile string, files ...string) (*tool, []int) {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "makefile"), []byte(makefile), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, nil, "jobserver", "--explain", "--min", "2", "make", "-f", filepath.Join(dir, "makefile"))
	return s, s.await(files...)
}

// dead waits until none of the processes is left.
func dead(t *testing.T, pids []int) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		left := 0
		for _, pid := range pids {
			if syscall.Kill(pid, 0) == nil {
				left++
			}
		}
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %v are left", left, pids)
		}
	}
}

const twoJobs = `all: a b
a b:
	@echo $$$$ >$@.new; mv $@.new $@; exec sleep 1000
`

// TERM ends the build as it ends make, and leaves none of its jobs; so does a kill -9.
func TestJobserverEnds(t *testing.T) {
	rerun.Skip(t)
	s, jobs := startBuild(t, twoJobs, "a", "b")
	s.signal(syscall.SIGTERM)
	s.ends(128 + 15)
	dead(t, jobs)
	if _, err := os.Stat(filepath.Join(s.dir, "a")); err == nil {
		t.Error("make could not remove a half-made file")
	}
	if said := s.stderr.String(); !strings.Contains(said, "The limit ended at ") {
		t.Errorf("stderr %q, want the account", said)
	}

	s, jobs = startBuild(t, twoJobs, "a", "b")
	s.signal(syscall.SIGKILL)
	dead(t, jobs)
}

// A second TERM kills what will not end, and what that has started.
func TestJobserverKills(t *testing.T) {
	rerun.Skip(t)
	s, jobs := startBuild(t, `all:
	@trap "echo 1 >heard" TERM; trap "" INT; sh -c 'trap "" TERM; echo $$$$ >b.new; mv b.new b; while :; do sleep 1000; done' & echo $$$$ >a.new; mv a.new a; until wait $$!; do :; done
`, "a", "b")
	s.signal(syscall.SIGTERM)
	s.await("heard")
	s.signal(syscall.SIGTERM)
	s.ends(128 + 9)
	dead(t, jobs)
}

// A TERM after another signal is the first TERM.
func TestJobserverFirstTERM(t *testing.T) {
	rerun.Skip(t)
	s := start(t, nil, "jobserver", "sh", "-c", `trap "" INT; trap "exit 3" TERM; echo $$ >a.new; mv a.new a; sleep 1000 & wait`)
	s.await("a")
	s.signal(syscall.SIGINT)
	s.taken()
	s.signal(syscall.SIGTERM)
	s.ends(3)
}

// No key sends HUP, so a command that has the terminal gets it from us alone.
func TestJobserverPassesHUPOn(t *testing.T) {
	rerun.Skip(t)
	hup := make(chan os.Signal, 1) // else a test run by nohup hands down that it is ignored
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	_, tty := terminal(t)
	cmd := exec.Command("sweetspot", "jobserver", "sh", "-c", `trap "exit 3" HUP; echo $$ >a.new; mv a.new a; sleep 1000 & wait`)
	cmd.Stdin = tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // of stdin
	s := startCommand(t, cmd)
	s.await("a")
	s.signal(syscall.SIGHUP)
	s.ends(3)
}

// Makes that are killed with tokens below a make do not slow the rest of the build down for long.
func TestJobserverReplacesTokens(t *testing.T) {
	rerun.Skip(t)
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command("sweetspot", "jobserver", "-j", "4", "--explain", "make", "-k", "-s", "top")
	s := startCommand(t, cmd)
	makefile := `top: killed
	@$(MAKE) -s wide
killed:
	-@$(MAKE) -s three
three: 1 2 3
1 2 3:
	@touch $@.runs; case $@ in 3) until test -e 1.runs -a -e 2.runs; do sleep 0.02; done; kill -9 $$PPID; touch over;; *) until test -e over; do sleep 0.02; done;; esac
wide: 4 5 6 7
4 5 6 7:
	@touch $@.runs; until test -e 4.runs -a -e 5.runs -a -e 6.runs -a -e 7.runs; do sleep 0.02; done
`
	if err := os.WriteFile(filepath.Join(s.dir, "makefile"), []byte(makefile), 0o600); err != nil {
		t.Fatal(err)
	}
	s.ends(0)
	if said := s.stderr.String(); !strings.Contains(said, "died with") {
		t.Errorf("stderr %q, want a word about lost tokens", said)
	}
}

// A script may have files of its own where the tokens would go: those are handed on.
func TestJobserverLeavesFilesAlone(t *testing.T) {
	rerun.Skip(t)
	s := startCommand(t, exec.Command("sh", "-c",
		`exec 3>three 4>&- 5>&- 6>&-; sweetspot jobserver --style pipe sh -c 'echo 3 >&3; echo "$MAKEFLAGS" >flags; dd bs=1 count=1 <&4 2>/dev/null | tr + T >token; { true >&6; } 2>/dev/null || echo closed'`))
	s.ends(0)
	for name, want := range map[string]string{"three": "3\n", "token": "T"} {
		if b, err := os.ReadFile(filepath.Join(s.dir, name)); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v, want %q", name, b, err, want)
		}
	}
	flags, err := os.ReadFile(filepath.Join(s.dir, "flags"))
	if err != nil || !strings.HasSuffix(string(flags), " --jobserver-fds=4,5 --jobserver-auth=4,5\n") || s.stdout.String() != "closed\n" {
		t.Errorf("MAKEFLAGS %q, %v, stdout %q, want the tokens behind descriptors 4 and 5 and no other", flags, err, s.stdout.String())
	}
}

// A fixed number needs no watch of the pipe, of which the kernel gives a user only so many.
func TestJobserverWithoutWatch(t *testing.T) {
	rerun.Skip(t)
	const none = "echo 0 >/proc/sys/user/max_inotify_instances"
	if err := exec.Command("unshare", "-Ur", "sh", "-c", none).Run(); err != nil {
		t.Skip(err)
	}
	for args, code := range map[string]int{"-j 2 --explain sh -c 'exit 3'": 3, "sh -c 'exit 3'": 255} {
		s := startCommand(t, exec.Command("unshare", "-Ur", "sh", "-c", none+"; exec sweetspot jobserver "+args))
		s.ends(code)
		want := map[int]string{3: "at least 0 tokens came back", 255: "-j N needs no watch"}[code]
		if said := s.stderr.String(); !strings.Contains(said, want) {
			t.Errorf("stderr %q, want %q", said, want)
		}
	}
}
