package queue

import (
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nkeys"
)

// Keys of a home. Each file has the seed of one.
const (
	userKey   = "user.nk" // of whom the home belongs to
	pushKey   = "push.nk"
	workKey   = "work.nk"
	serverKey = "server.nk" // by which clients know the server of the home
)

// certificateName is the file with the certificate of serverKey, for clients elsewhere.
const certificateName = "server.pem"

// seed returns the file of a key. It is made if it is not there.
func (h *home) seed(name string) (string, error) {
	path := filepath.Join(h.dir, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return "", err
	}
	create := nkeys.CreateUser
	if name == serverKey {
		create = nkeys.CreateServer
	}
	pair, err := create()
	if err != nil {
		return "", err
	}
	seed, err := pair.Seed()
	if err != nil {
		return "", err
	}
	// Of two that make one at a time, the link lets the first win.
	temporary, err := writeTemp(path, string(seed))
	if err == nil {
		defer os.Remove(temporary)
		err = os.Link(temporary, path)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("cannot make a key of the queues: %w", err)
	}
	return path, nil
}

func readKey(path string) (pair nkeys.KeyPair, public string, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		pair, err = nkeys.FromSeed([]byte(strings.TrimSpace(string(text))))
	}
	if err == nil {
		public, err = pair.PublicKey()
	}
	if err != nil {
		return nil, "", fmt.Errorf("the key in %s: %w", path, err)
	}
	return pair, public, nil
}

// certificateHost is the name in the certificate of a home. Only a client that trusts this
// very certificate asks for it: homes have addresses, not names.
const certificateHost = "home.sweetspot.invalid"

// certificate returns the certificate by which this home's server is known, and its key. It
// follows from serverKey, byte for byte, so that copies of it stay valid.
func (h *home) certificate() (tls.Certificate, error) {
	path, err := h.seed(serverKey)
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, _, err := readKey(path)
	if err != nil {
		return tls.Certificate{}, err
	}
	seed, err := pair.Seed()
	if err != nil {
		return tls.Certificate{}, err
	}
	_, raw, err := nkeys.DecodeSeed(seed)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("the key in %s: %w", path, err)
	}
	key := ed25519.NewKeyFromSeed(raw)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{certificateHost},
		NotBefore: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:  time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), // no end, by RFC 5280, 4.1.2.5
		KeyUsage:  x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(nil, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	leaf, err := x509.ParseCertificate(der)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, err
}

// publish writes the certificate where it can be copied from.
func (h *home) publish(c tls.Certificate) error {
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]})
	return replaceFile(filepath.Join(h.dir, certificateName), strings.TrimSuffix(string(text), "\n"))
}

// trustHome returns what a client wants of a server, if the certificate in a file is that of a
// home, and else nil.
func trustHome(path string) *tls.Config {
	text, err := os.ReadFile(path)
	block, _ := pem.Decode(text)
	if err != nil || block == nil {
		return nil // the client says what is wrong with it
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil || leaf.VerifyHostname(certificateHost) != nil {
		return nil
	}
	return trust(leaf)
}

// trust returns what a client wants of a server: the certificate of a home.
func trust(leaf *x509.Certificate) *tls.Config {
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return &tls.Config{RootCAs: roots, ServerName: certificateHost, MinVersion: tls.VersionTLS13}
}
