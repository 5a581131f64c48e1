//go:build unix

package main_test

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// Beyond the loopback, clients have to encrypt what they send, and know the server by its certificate.
func TestQueueBeyondLoopback(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	home, other := t.TempDir(), t.TempDir()
	url := startServer(t, home, "--listen", "0.0.0.0:0")
	startServer(t, other)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(url, "tls://"))
	push := func(scheme, ca string) (string, error) {
		args := []string{"push", "q", "--server", scheme + "://127.0.0.1:" + port, "--nkey", filepath.Join(home, "push.nk")}
		if ca != "" {
			args = append(args, "--tls-ca", filepath.Join(ca, "server.pem"))
		}
		return queueCommand(append(args, ":::", "1")...)
	}
	for _, scheme := range []string{"nats", "tls"} {
		if out, err := push(scheme, home); err != nil {
			t.Errorf("%s with the certificate: %v, %s", scheme, err, out)
		}
		if out, err := push(scheme, ""); err == nil || !strings.Contains(out, "certificate") {
			t.Errorf("%s without a certificate: %v, %s", scheme, err, out)
		}
		if out, err := push(scheme, other); err == nil || !strings.Contains(out, "certificate") {
			t.Errorf("%s with that of another home: %v, %s", scheme, err, out)
		}
	}
	if out, err := queueCommand("status", "q", "--dir", home); err != nil || !strings.Contains(out, "q: 2 waiting") {
		t.Errorf("on the same machine: %v, %s", err, out)
	}
}
