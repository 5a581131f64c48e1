// Package testserver runs servers for tests and benchmarks as processes of their own.
package testserver

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Start runs the binary of this test again, with more in its environment, as a process
// that calls [Serve]. It returns the address. The process ends with the test.
func Start(tb testing.TB, env ...string) (address string) {
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	server := exec.CommandContext(tb.Context(), self)
	server.Env = append(os.Environ(), env...)
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := server.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		in.Close() // ends it
		server.Wait()
	})
	address, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		tb.Fatalf("the server %q did not start: %v", env, err)
	}
	return strings.TrimSpace(address)
}

// Serve writes an address of this machine to stdout, and serves there until stdin ends.
func Serve(h http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	return http.Serve(l, h)
}
