//go:build unix

package main_test

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A clock is how far the clock of some processes is from that of the machine: a file that
// they read whenever they ask for the time of day. Time that passes is not changed.
type clock struct {
	*os.File
	settings []setting
}

// A setting is a jump of a clock.
type setting struct {
	at    time.Time
	ahead time.Duration
}

const clockEnv = "SWEETSPOT_TEST_CLOCK"

func newClock(t *testing.T) *clock {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "clock")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	c := &clock{File: f}
	c.set(t, 0)
	return c
}

// set has the clock jump. All 8 bytes are written at once.
func (c *clock) set(t *testing.T, ahead time.Duration) {
	t.Helper()
	seconds := binary.NativeEndian.AppendUint64(nil, uint64(int64(ahead/time.Second)))
	if _, err := c.WriteAt(seconds, 0); err != nil {
		t.Fatal(err)
	}
	c.settings = append(c.settings, setting{time.Now(), ahead})
}

// last returns when the clock was set.
func (c *clock) last() time.Time { return c.settings[len(c.settings)-1].at }

// read returns what the clock said at a time of the machine.
func (c *clock) read(at time.Time) time.Time {
	ahead := time.Duration(0)
	for _, s := range c.settings {
		if !s.at.After(at) {
			ahead = s.ahead
		}
	}
	return at.Add(ahead)
}

func (c *clock) env() string { return clockEnv + "=" + c.Name() }

// killServer kills the server. The notes of NATS then have the times of its clock, as the system
// would have given them.
func (h *history) killServer() {
	kill(h.server)
	if h.clocks == nil {
		return
	}
	err := filepath.WalkDir(filepath.Dir(h.key()), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "o.dat" {
			return err
		}
		info, err := d.Info()
		if err != nil || info.ModTime().Equal(h.stamped[path]) {
			return err
		}
		at := h.clocks[clockOfServer].read(info.ModTime())
		if err := os.Chtimes(path, at, at); err != nil {
			return err
		}
		if info, err = os.Stat(path); err == nil {
			h.stamped[path] = info.ModTime()
		}
		return err
	})
	if err != nil {
		h.Error(err)
	}
}

// jumps are the changes to time.go. The first call of Now maps the clock and keeps it in a field that UTC does not
// need, and every call adds it. The changes declare nothing and add no line, so that what time exports stays the
// same, and the packages that import it need not be compiled again.
var jumps = [][2]string{
	{"\t_ \"unsafe\" ", "\t\"syscall\"; \"unsafe\" "},
	{"\tsec, nsec, mono := runtimeNow()\n", "\tsec, nsec, mono := runtimeNow(); if utcLoc.cacheZone == nil { " +
		`name, _ := syscall.Getenv("` + clockEnv + `"); ` +
		`fd, err := syscall.Open(name, syscall.O_RDONLY, 0); ` +
		`if err != nil { panic("the clock in ` + clockEnv + `: " + err.Error()) }; ` +
		`page, err := syscall.Mmap(fd, 0, 8, syscall.PROT_READ, syscall.MAP_SHARED); ` +
		`if err != nil { panic("the clock in ` + clockEnv + `: " + err.Error()) }; ` +
		`syscall.Close(fd); ` +
		"utcLoc.cacheZone = (*zone)(unsafe.Pointer(&page[0])) }; " +
		"sec += *(*int64)(unsafe.Pointer(utcLoc.cacheZone))\n"},
}

// withClocks builds the program so that each process of it has a clock: it links the packages
// that are compiled anyway with another time.
func withClocks(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("other systems link in ways of their own")
	}
	dir := t.TempDir()
	tool := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", args[:2], err, stderr.String())
		}
		return strings.TrimSpace(string(out))
	}
	write := func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const this = "github.com/sweetspot-go/sweetspot/cmd/sweetspot"
	packages := map[string]string{}
	for line := range strings.Lines(tool("list", "-export", "-deps", "-f", "{{with .Export}}{{$.ImportPath}}={{.}}{{end}}", ".")) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		packages[name] = file
	}
	config := func(name string) string {
		var b strings.Builder
		for name, file := range packages {
			fmt.Fprintf(&b, "packagefile %s=%s\n", name, file)
		}
		return write(name, b.String())
	}

	files := strings.Fields(tool("list", "-f", `{{$.Dir}}{{range .GoFiles}} {{$.Dir}}/{{.}}{{end}}`, "time"))
	std, files := files[0], files[1:]
	i := slices.Index(files, filepath.Join(std, "time.go"))
	if i < 0 {
		t.Fatalf("package time of %s has no time.go", runtime.Version())
	}
	source, err := os.ReadFile(files[i])
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	for _, j := range jumps {
		if strings.Count(text, j[0]) != 1 {
			t.Fatalf("time.go of %s is another: want %q in it once", runtime.Version(), j[0])
		}
		text = strings.Replace(text, j[0], j[1], 1)
	}
	files[i] = write("time.go", text)
	changed, program := filepath.Join(dir, "time.a"), filepath.Join(dir, "sweetspot")
	tool(append([]string{
		"tool", "compile", "-p", "time", "-std", "-o", changed, "-importcfg", config("compiled"),
		"-trimpath", dir + "=>$GOROOT/src/time", // as the original was compiled
	}, files...)...)
	packages["time"] = changed
	tool("tool", "link", "-s", "-w", "-o", program, "-importcfg", config("linked"), packages[this])
	return program
}

// A job whose worker died comes again after its lease, however far the clock of the server was set
// back meanwhile, while it served or while it did not, and whether it was right when the job was
// pushed or when the worker got it.
func TestQueueClockSetBack(t *testing.T) {
	rerun.Skip(t)
	program := withClocks(t)
	for _, test := range []struct {
		name            string
		pushed, given   time.Duration // how far the clock is ahead then, of what it is at the end
		killedMeanwhile bool
	}{
		{"while it serves", time.Hour, time.Hour, false},
		{"while it does not serve", time.Hour, time.Hour, true},
		{"while it does not serve, from a time after the push", 0, time.Hour, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := &history{T: t, program: program, dir: t.TempDir(), stamped: map[string]time.Time{}}
			for range clocksInAll {
				h.clocks = append(h.clocks, newClock(t))
			}
			h.clocks[clockOfServer].set(t, test.pushed)
			h.serve()
			h.home = []string{"--server", "nats://" + h.address, "--nkey", h.key()}
			if status, out := h.ends(0, append([]string{"push", "q"}, append(h.home, ":::", "1")...)...); status != 0 {
				t.Fatal(out)
			}
			h.clocks[clockOfServer].set(t, test.given)
			work := append([]string{"work", "q", "--lease", "1s", "--until-empty"}, h.home...)
			dead := h.start(0, append(work, "-c", "touch began; exec sleep 1000")...)
			awaitFiles(t, filepath.Join(h.dir, "began"), 1)
			time.Sleep(time.Second) // until the worker has renewed its lease
			kill(dead)
			if test.killedMeanwhile {
				h.killServer()
			}
			h.clocks[clockOfServer].set(t, 0)
			if test.killedMeanwhile {
				h.serve()
			}
			if status, out := h.ends(patience, append(work, "true")...); status != 0 {
				t.Errorf("work ends with %d, want that the job is done: %s", status, out)
			}
		})
	}
}
