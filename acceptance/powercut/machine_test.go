//go:build linux

package powercut_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/acceptance/powercut"
)

func TestMain(m *testing.M) {
	go startAll()
	status := m.Run()
	_ = os.RemoveAll(commandDir) // "" gives no error
	os.Exit(status)
}

// starts are processes to be started. Pdeathsig ends a process with the thread that started it, so one
// thread that does not end starts all.
var starts = make(chan func())

func startAll() {
	runtime.LockOSThread()
	for start := range starts {
		start()
	}
}

// commandDir is where the command was built, "" if no test wanted it.
var commandDir string

// built builds the command as users get it, once.
var built = sync.OnceValue(func() (err error) {
	if commandDir, err = os.MkdirTemp("", "sweetspot-powercut-*"); err != nil {
		return err
	}
	c := exec.Command("go", "build", "-o", filepath.Join(commandDir, "sweetspot"), ".")
	c.Dir = filepath.Join("..", "..", "cmd", "sweetspot")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
})

var commandWanted = flag.String("command", "", "test the command in `FILE`, such as one of another version (default: that of this tree)")

// sweetspot returns the path of the command.
func sweetspot(t testing.TB) string {
	t.Helper()
	if *commandWanted != "" {
		return *commandWanted
	}
	if err := built(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(commandDir, "sweetspot")
}

// A machine is a disk and what runs on it.
type machine struct {
	*testing.T
	options powercut.Options
	disk    *powercut.Disk
	dir     string // where the disk is
	boot    string // the file that says during which run of the machine this is
	command string

	mu      sync.Mutex
	running map[*process]bool
	off     bool // nothing starts
}

func newMachine(t *testing.T, o powercut.Options) *machine {
	t.Helper()
	disk, dir := mount(t, o)
	m := &machine{T: t, options: o, disk: disk, dir: dir, command: sweetspot(t), running: map[*process]bool{}}
	m.boot = filepath.Join(t.TempDir(), "boot_id")
	m.up()
	t.Cleanup(func() {
		m.kill()
		_ = m.disk.Close() // perhaps not the one that it had first
	})
	return m
}

// A process is the command at work on a machine. It and all that it starts have PIDs of
// their own, so that they end together, at once, as when the power fails.
type process struct {
	*exec.Cmd
	stdout, stderr lockedBuffer
	ended          chan struct{}
	err            error // set when ended
}

// A lockedBuffer can be read while a process writes to it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start starts the command. Its working directory is not on the disk: we would wait for
// ourselves, between fork and exec.
func (m *machine) start(args ...string) *process {
	m.Helper()
	const alone = `mount --make-rprivate / && mount -t proc proc /proc && mount --bind "$0" /proc/sys/kernel/random/boot_id && "$@"; exit $?`
	p := &process{ended: make(chan struct{})}
	p.Cmd = exec.Command("sh", append([]string{"-c", alone, m.boot, m.command}, args...)...)
	p.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	p.Env = append(os.Environ(), "XDG_CONFIG_HOME="+os.DevNull, "NATS_URL=")
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	p.Dir = os.TempDir()
	m.mu.Lock()
	defer m.mu.Unlock()
	p.err = errOff
	if !m.off {
		started := make(chan struct{})
		starts <- func() {
			defer close(started)
			p.err = p.Start()
		}
		if <-started; p.err != nil {
			m.Error(p.err)
		}
	}
	if p.err != nil {
		close(p.ended)
		return p
	}
	m.running[p] = true
	go func() {
		p.err = p.Wait()
		m.mu.Lock()
		delete(m.running, p)
		m.mu.Unlock()
		close(p.ended)
	}()
	return p
}

// errOff is the error of what starts while the power is off.
var errOff = errors.New("the power is off")

// patience is how long a test waits for what must come.
const patience = time.Minute

// wait waits for a process to end, and returns its error.
func (m *machine) wait(p *process) error {
	select {
	case <-p.ended:
		return p.err
	case <-time.After(patience):
		_ = p.Process.Kill()
		<-p.ended
		return errors.New("it does not end")
	}
}

// says waits for a process to say something, and reports whether it did before it ended.
func (m *machine) says(p *process, what string) bool {
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if strings.Contains(p.stderr.String(), what) {
			return true
		}
		select {
		case <-p.ended:
			return strings.Contains(p.stderr.String(), what)
		default:
		}
	}
	return false
}

// run runs the command to its end, which must be a good one, and returns what it prints.
func (m *machine) run(args ...string) string {
	m.Helper()
	p := m.start(args...)
	if err := m.wait(p); err != nil {
		m.Fatalf("%v: %v\n%s", args, err, p.stderr.String())
	}
	return p.stdout.String()
}

// cut cuts the power, which may have failed already, and starts the machine again.
func (m *machine) cut(random *rand.Rand) {
	m.Helper()
	m.kill()
	if err := m.disk.Cut(random); err != nil {
		m.Fatal(err)
	}
	m.up()
}

// up has the machine run, after another start of it.
func (m *machine) up() {
	m.Helper()
	if err := os.WriteFile(m.boot, []byte(fmt.Sprint(rand.Uint64())+"\n"), 0o600); err != nil {
		m.Fatal(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.off = false
}

// replace gives the machine a new disk of the same kind.
func (m *machine) replace() {
	m.Helper()
	m.kill()
	if err := m.disk.Close(); err != nil {
		m.Fatal(err)
	}
	m.disk = powercut.NewDisk(m.options)
	if err := m.disk.Mount(m.dir); err != nil {
		m.Fatal(err)
	}
	m.up()
}

// kill ends all that runs, at once. Nothing starts until the power is back.
func (m *machine) kill() {
	m.disk.Fail()
	m.mu.Lock()
	m.off = true
	all := make([]*process, 0, len(m.running))
	for p := range m.running {
		_ = p.Process.Kill()
		all = append(all, p)
	}
	m.mu.Unlock()
	for _, p := range all {
		<-p.ended
	}
}
