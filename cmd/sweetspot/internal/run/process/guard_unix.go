//go:build unix

package process

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// A guard ends the jobs of a run that has ended without doing so: by kill -9, for
// want of memory, or by a crash. It is a shell that waits for the end of a pipe whose
// other end only we have, in a session of its own, out of the reach of what is sent
// to our process group and by our terminal. Then it kills the process groups in a
// table, which we keep while jobs come and go: that costs two small writes for each.
//
// What it was given to hold stays open until the jobs are gone: a lock that the next
// run waits for.
type guard struct {
	shell Process
	pipe  *os.File
	table *os.File
	line  map[int]int64 // in the table, of each process group
	free  []int64       // lines of the table that no group has
}

// groupLine is a line of the table. Its length divides that of a page, so that a kill
// cannot cut a write of one short, and no system has larger numbers.
const (
	groupLine  = "%7d\n"
	emptyLine  = "       \n"
	lineLength = int64(len(emptyLine))
)

// guardScript kills until nothing is left, or for a second. A group that a KILL does not
// reach is gone, and its number may be a foreign one's by the next round. Zombies, which
// stay where nobody reaps orphans, are nothing; of them only /proc tells. (busybox takes
// no -- before a group.)
const guardScript = `read x
trap '[ "$SHELF" ] && rm -rf "$SHELF"' EXIT
while read g; do [ "$g" -gt 1 ] && all="$all $g"; done <&3
for pause in .01 .01 .02 .04 .08 .16 .32 .36; do
	left= any=
	for g in $all; do kill -KILL -$g && left="$left $g" any="$any|$g"; done
	all=$left
	[ "$all" ] || exit 0
	[ -e /proc/self/stat ] && ! cat /proc/[0-9]*/stat | grep -Eq "\\) [^ZX] [0-9]+ (${any#|}) " && exit 0
	sleep $pause
done`

// newGuard starts a guard, which removes a directory with all that is in it ("" is
// none), and holds some files. It returns nil where that is not
// possible, such as without a shell; then the run does without.
func newGuard(dir string, hold ...*os.File) *guard {
	table, err := newTable()
	if err != nil {
		return nil
	}
	end, pipe, err := os.Pipe()
	if err != nil {
		table.Close()
		return nil
	}
	defer end.Close()
	shell := exec.Command("/bin/sh", "-c", guardScript, "guard")
	shell.Dir, shell.Stdin, shell.ExtraFiles = "/", end, append([]*os.File{table}, hold...)
	shell.Env = []string{"PATH=" + cmp.Or(os.Getenv("PATH"), "/usr/bin:/bin"), "SHELF=" + dir} // for cat, grep, rm and sleep
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if shell.Start() != nil {
		table.Close()
		pipe.Close()
		return nil
	}
	pid := shell.Process.Pid // which Release forgets
	shell.Process.Release()  // a file less; its number stays its own until we reap it
	return &guard{shell: Process{PID: pid}, pipe: pipe, table: table, line: make(map[int]int64)}
}

// add has the guard look after a process group.
func (g *guard) add(group int) {
	if g == nil {
		return
	}
	n, there := g.line[group] // if remove comes later than another use of the number
	if !there {
		n = int64(len(g.line))
		if last := len(g.free) - 1; last >= 0 {
			n, g.free = g.free[last], g.free[:last]
		}
	}
	g.line[group] = n
	_, _ = g.table.WriteAt(fmt.Appendf(nil, groupLine, group), n*lineLength)
}

// remove ends that, before the number can be used again or as soon as its group is known
// to be gone.
func (g *guard) remove(group int) {
	if g == nil {
		return
	}
	n, there := g.line[group]
	if !there {
		return
	}
	delete(g.line, group)
	g.free = append(g.free, n)
	_, _ = g.table.WriteAt([]byte(emptyLine), n*lineLength)
}

// close ends the guard. If a job is left, which is stuck, the guard has another try.
func (g *guard) close() {
	if g == nil {
		return
	}
	if len(g.line) == 0 {
		g.shell.SignalGroup(syscall.SIGKILL)
		_, _ = g.shell.reap()
	}
	g.pipe.Close()
	g.table.Close()
}
