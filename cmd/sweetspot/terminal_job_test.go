//go:build linux

package main_test

import (
	"bytes"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A job that wants the terminal is stopped by the system. The run says so, and ends it:
// by TERM, or by KILL if it wants the terminal again.
func TestJobWantsTerminal(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	_, tty := terminal(t)
	cmd := exec.Command("sweetspot", "run", "-j", "1", "-c", `case {} in
		read) read x </dev/tty ;;
		set) stty -F /dev/tty -echo ;;
		deaf) trap : TERM; while :; do read x </dev/tty; done ;;
		*) echo {} ;;
	esac`, ":::", "read", "set", "deaf", "other")
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // of stdin
	err := cmd.Run()
	if cmd.ProcessState.ExitCode() != 3 || stdout.String() != "other\n" {
		t.Errorf("%v, stdout %q; want 3 failed jobs and the other", err, stdout.String())
	}
	lines := strings.Split(strings.TrimSpace(stderr.String()), "sweetspot run: ")[1:]
	if len(lines) != 3 {
		t.Errorf("want 3 lines: %q", lines)
	}
	for i, line := range lines {
		if want := "job " + string(rune('1'+i)) + " wants to use the terminal, which jobs cannot, and was ended: sh -c "; !strings.HasPrefix(line, want) {
			t.Errorf("%q, want %q", line, want)
		}
	}
}
