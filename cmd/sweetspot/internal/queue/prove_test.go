package queue_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// rogue listens where a home says that its server is, and is none: it has not the home's
// secret. It returns what clients have sent to it, in the clear.
func rogue(t *testing.T, dir string, encrypted bool) (heard func() []byte) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "address"), []byte(l.Addr().String()+"\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	certificate := selfSigned(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	var got bytes.Buffer
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				info := `INFO {"server_id":"R","version":"2.15.2","max_payload":1048576,"headers":true,"auth_required":true,"nonce":"abc"`
				if encrypted {
					info += `,"tls_required":true`
				}
				_, _ = c.Write([]byte(info + "}\r\n"))
				if encrypted {
					c = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{certificate}})
				}
				_ = c.SetDeadline(time.Now().Add(5 * time.Second))
				b := make([]byte, 4096)
				for {
					n, err := c.Read(b)
					mu.Lock()
					got.Write(b[:n])
					mu.Unlock()
					if err != nil {
						return
					}
				}
			})
		}
	})
	return func() []byte {
		l.Close()
		all.Wait()
		return got.Bytes()
	}
}

// selfSigned returns a certificate for the name of homes, and for 127.0.0.1, with a key of its own.
func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"home.sweetspot.invalid"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// A process that listens at an address that a server of the home has left gets neither a
// signature nor a job.
func TestRogueServer(t *testing.T) {
	t.Parallel()
	for name, encrypted := range map[string]bool{"plain": false, "with a certificate": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			start(t, "lock", dir)
			heard := rogue(t, dir, encrypted)
			h := queue.OpenHome(dir)
			c, err := h.Dial("", "")
			if err == nil {
				// A client of NATS would sign now.
				_, _ = c.Write([]byte(`CONNECT {"nkey":"U","sig":"secret"}` + "\r\n"))
				c.Close()
				t.Error("Dial connects to a process that is not the home's server")
			}
			got := heard()
			if bytes.Contains(got, []byte("CONNECT")) {
				t.Errorf("the rogue server got %q", got)
			}
			if !encrypted && (len(got) == 0 || got[0] != 0x16) { // the type of a handshake in TLS
				t.Errorf("the rogue server got %q, want the beginning of a handshake", got)
			}
		})
	}
}

// The address of a server that was killed goes as soon as another process has the lock, even
// if it does not come to serve.
func TestStaleAddress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stale := filepath.Join(dir, "address")
	if err := os.WriteFile(stale, []byte("127.0.0.1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A documentation address is none of this machine's: RFC 5737.
	if err := queue.OpenHome(dir).Serve(&server.Options{Host: "192.0.2.1", Port: 4222}, nil); err == nil {
		t.Fatal("it serves at an address that is not ours")
	}
	if text, err := os.ReadFile(stale); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file still says %q, %v", text, err)
	}
}

// A client that found the server by the address file has the home's secret, and what is said on both sides
// arrives.
func TestProvenServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start(t, "serve", dir)
	q, done, err := queue.OpenQueue(t.Context(), dir, "q")
	defer done()
	if err == nil {
		err = q.Push(t.Context(), "a", "b")
	}
	if err != nil {
		t.Fatal(err)
	}
	if n, _, err := q.Left(t.Context()); n != 2 || err != nil {
		t.Errorf("%d jobs, %v; want 2", n, err)
	}
}
