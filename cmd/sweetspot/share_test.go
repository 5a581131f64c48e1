//go:build unix

package main_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// bottleneck serves four at a time, and returns its address.
func bottleneck(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	places := make(chan struct{}, 4)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				places <- struct{}{}
				time.Sleep(5 * time.Millisecond)
				<-places
				_, _ = c.Write([]byte{1})
			}()
		}
	}()
	return l.Addr().String()
}

// Two runs that share a name and a server both finish, also while a third one is killed,
// and leave nothing but the file of that one.
func TestRunsShareAServer(t *testing.T) {
	runtimeDir, server := t.TempDir(), bottleneck(t)
	t.Setenv("XDG_RUNTIME_DIR", runtimeDir)
	dir := filepath.Join(runtimeDir, "sweetspot", "db")
	list := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(list, []byte(strings.Repeat("x\n", 20)), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func() *tool { return start(t, nil, "run", "--share", "db", "-a", list, "ask", server, "{}") }

	victim := start(t, nil, "run", "--share", "db", "-c", "echo $$ >pid; exec sleep 60", ":::", "x")
	job := victim.await("pid")[0]
	two := []*tool{run(), run()}
	victim.signal(syscall.SIGKILL)
	_ = syscall.Kill(job, syscall.SIGKILL)
	for _, s := range two {
		s.ends(0)
	}
	es, err := os.ReadDir(dir)
	if err != nil || len(es) != 1 {
		t.Fatalf("%v %v, want the file of the run that was killed", es, err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, es[0].Name()), old, old); err != nil {
		t.Fatal(err)
	}
	run().ends(0)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", dir, err)
	}
}
