//go:build unix

package main_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A clock is how far the clock of some processes is from that of the machine: a file that
// they read whenever they ask for the time of day. Time that passes is not changed.
type clock struct{ *os.File }

const clockEnv = "SWEETSPOT_TEST_CLOCK"

func newClock(t *testing.T) clock {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "clock")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	c := clock{f}
	c.set(t, 0)
	return c
}

// set has the clock jump. All 8 bytes are written at once.
func (c clock) set(t *testing.T, ahead time.Duration) {
	t.Helper()
	seconds := binary.NativeEndian.AppendUint64(nil, uint64(int64(ahead/time.Second)))
	if _, err := c.WriteAt(seconds, 0); err != nil {
		t.Fatal(err)
	}
}

func (c clock) env() string { return clockEnv + "=" + c.Name() }

// jumping is added to package time. Its Now adds what jumped returns.
const jumping = `package time

import (
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

var jumps = sync.OnceValue(func() *int64 {
	name, _ := syscall.Getenv("` + clockEnv + `")
	fd, err := syscall.Open(name, syscall.O_RDONLY, 0)
	if err != nil {
		panic("no clock in ` + clockEnv + `: " + err.Error())
	}
	defer syscall.Close(fd)
	page, err := syscall.Mmap(fd, 0, 8, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		panic("the clock in ` + clockEnv + `: " + err.Error())
	}
	return (*int64)(unsafe.Pointer(&page[0]))
})

func jumped() int64 { return atomic.LoadInt64(jumps()) }
`

// withClocks builds the program so that each process of it has a clock.
func withClocks(t *testing.T) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir, std := t.TempDir(), filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	source, err := os.ReadFile(filepath.Join(std, "time.go"))
	if err != nil {
		t.Fatal(err)
	}
	const now = "\tsec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(source), now) != 1 {
		t.Fatalf("time.Now of %s is another: want %q in it", runtime.Version(), now)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range map[string]string{"time.go": strings.Replace(string(source), now, now+"\tsec += jumped()\n", 1), "jumping.go": jumping} {
		overlay.Replace[filepath.Join(std, name)] = filepath.Join(dir, name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := json.Marshal(overlay)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "overlay.json"), list, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "sweetspot")
	if out, err := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// A job whose worker died comes again after its lease, however far the clock of the server was set
// back meanwhile, while it served or while it did not.
func TestQueueClockSetBack(t *testing.T) {
	rerun.Skip(t)
	program := withClocks(t)
	for _, killed := range []bool{false, true} {
		t.Run(fmt.Sprint("killed ", killed), func(t *testing.T) {
			t.Parallel()
			h := &history{T: t, program: program, dir: t.TempDir()}
			for range clocksInAll {
				h.clocks = append(h.clocks, newClock(t))
			}
			h.serve()
			h.home = []string{"--server", "nats://" + h.address, "--nkey", h.key()}
			if status, out := h.ends(0, append([]string{"push", "q"}, append(h.home, ":::", "1")...)...); status != 0 {
				t.Fatal(out)
			}
			work := append([]string{"work", "q", "--lease", "1s", "--until-empty"}, h.home...)
			dead := h.start(0, append(work, "-c", "touch began; exec sleep 1000")...)
			awaitFiles(t, filepath.Join(h.dir, "began"), 1)
			kill(dead)
			if killed {
				kill(h.server)
			}
			h.clocks[clockOfServer].set(t, -time.Hour)
			if killed {
				h.serve()
			}
			if status, out := h.ends(30*time.Second, append(work, "true")...); status != 0 {
				t.Errorf("work ends with %d, want that the job is done: %s", status, out)
			}
		})
	}
}
