package queue_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// A server that lets in more than it should says so, and what would be right.
func TestWarnings(t *testing.T) {
	t.Parallel()
	const open, plain = "everybody who reaches", "may be read on its way"
	config := func(text string) string {
		path := filepath.Join(t.TempDir(), "server.conf")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		listen, config string
		noAuth, noTLS  bool
		want           []string
	}{
		{listen: "127.0.0.1:0", noAuth: true, noTLS: true},
		{listen: "[::1]:0", noAuth: true},
		{listen: "localhost:0", noAuth: true},
		{listen: "0.0.0.0:0"},
		{listen: "0.0.0.0:0", noAuth: true, want: []string{open}},
		{listen: "[::]:0", noTLS: true, want: []string{plain}},
		{listen: "10.0.0.1:4222", noAuth: true, noTLS: true, want: []string{open, plain}},
		{config: config("listen: 127.0.0.1:-1")},
		{config: config("listen: 0.0.0.0:-1"), want: []string{open, plain}},
		{config: config("authorization { user: me, password: secret }"), want: []string{plain}}, // its default is 0.0.0.0
	} {
		got, err := queue.Warnings(c.listen, c.config, c.noAuth, c.noTLS, t.TempDir())
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%+v: %q, %v", c, got, err)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(got[i], want) || strings.Contains(got[i], "\n") {
				t.Errorf("%+v: %q, want a line with %q", c, got[i], want)
			}
		}
	}
}
