//go:build unix

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// However a run ends, its jobs end with all their processes.
func TestKillEndsWholeJobs(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	s := start(t, nil, "run", "-j", "3", "-c", "trap '' HUP INT TERM; "+family, ":::", "a", "b", "c")
	s.write("child", child)
	pids := s.await("a", "b", "c")
	if len(pids) != 9 {
		t.Fatalf("%d processes, want 3 jobs of 3", len(pids))
	}
	s.signal(syscall.SIGKILL)
	s.gone(pids)
}

// So do those of a worker, and those of a run whose whole process group is killed.
func TestKillOfGroupEndsWholeJobs(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	cmd := exec.Command("sh", "-c", "sweetspot queue push q ::: a b && exec sweetspot queue work q -j 2 -c '"+family+"'")
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(t.TempDir(), "state"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s := startCommand(t, cmd)
	s.write("child", child)
	pids := s.await("a", "b")
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.gone(pids)
}

// What a job leaves behind lives on when the run has ended by itself.
func TestLeftoverSurvivesEnd(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	s := start(t, nil, "run", "-c", "sleep 100 & echo $! >pid", ":::", "a")
	s.ends(0)
	pid := s.await("pid")[0]
	if !alive(pid) {
		t.Error("it was killed")
	}
	syscall.Kill(pid, syscall.SIGKILL)
}
