//go:build linux

package powercut_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkRecover measures the time from the start of a server to the line that says that
// it serves, after kill -9 and after a restart of the machine. The files are in memory, as
// far as the machine has room.
//
//	go test -run '^$' -bench Recover -benchtime 3x -timeout 60m ./acceptance/powercut
func BenchmarkRecover(b *testing.B) {
	command, homes := sweetspot(b), b.TempDir()
	for _, state := range []string{"waiting", "done"} {
		for _, jobs := range []int{1_000, 10_000, 100_000, 1_000_000} {
			home := ""
			for _, after := range []string{"kill", "restart"} {
				if state == "done" && jobs > 100_000 {
					continue // to run so many takes a quarter of an hour
				}
				b.Run(fmt.Sprintf("%s=%d/after=%s", state, jobs, after), func(b *testing.B) {
					if home == "" {
						home = filepath.Join(homes, fmt.Sprint(state, jobs))
						fill(b, command, home, jobs, state == "done")
					}
					b.ResetTimer()
					for range b.N {
						b.StopTimer()
						if after == "restart" {
							_ = os.Remove(filepath.Join(home, "boot"))
						}
						b.StartTimer()
						end := serveUntilKilled(b, command, home)
						b.StopTimer()
						end()
						b.StartTimer()
					}
					b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/start")
				})
			}
			if home != "" {
				_ = os.RemoveAll(home)
			}
		}
	}
}

// fill pushes jobs, and runs them if they are to be done.
func fill(b *testing.B, command, home string, jobs int, done bool) {
	b.Helper()
	end := serveUntilKilled(b, command, home)
	defer end()
	run := func(stdin io.Reader, args ...string) {
		c := exec.Command(command, append([]string{"queue", args[0], "q", "--dir", home}, args[1:]...)...)
		c.Stdin = stdin
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	var list strings.Builder
	for i := range jobs {
		fmt.Fprintln(&list, i+1)
	}
	run(strings.NewReader(list.String()), "push")
	if done {
		run(nil, "work", "--until-empty", "true")
	}
}

// serveUntilKilled starts a server, and returns when it says that it serves.
func serveUntilKilled(b *testing.B, command, home string) (kill func()) {
	b.Helper()
	c := exec.Command(command, "queue", "serve", "--dir", home, "--listen", "127.0.0.1:0")
	r, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	line, err := bufio.NewReader(r).ReadString('\n')
	kill = func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	if err != nil || !strings.Contains(line, "serving") {
		kill()
		b.Fatalf("it says %q, %v", line, err)
	}
	return kill
}
