//go:build unix

package main_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// An authority signs certificates of this machine and of clients.
type authority struct {
	*testing.T
	dir         string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{T: t, dir: t.TempDir()}
	a.issue("ca", x509.ExtKeyUsageAny)
	return a
}

// file returns the name of a file of the authority.
func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// issue writes a certificate and its key. The first is the authority's own.
func (a *authority) issue(name string, use x509.ExtKeyUsage) (cert, key string) {
	a.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{use}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	parent, signer := a.certificate, a.key
	if parent == nil {
		template.IsCA, template.BasicConstraintsValid = true, true
		template.KeyUsage |= x509.KeyUsageCertSign
		parent, signer = template, private
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &private.PublicKey, signer)
	if err != nil {
		a.Fatal(err)
	}
	if a.certificate == nil {
		a.key = private
		if a.certificate, err = x509.ParseCertificate(der); err != nil {
			a.Fatal(err)
		}
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		a.Fatal(err)
	}
	cert, key = a.file(name+".pem"), a.file(name+".key")
	a.write(cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	a.write(key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
	return cert, key
}

func (a *authority) write(path, text string) {
	a.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		a.Fatal(err)
	}
}

// A server of NATS may want certificates of its clients.
func TestQueueClientCertificates(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	a := newAuthority(t)
	cert, key := a.issue("server", x509.ExtKeyUsageServerAuth)
	mine, mineKey := a.issue("client", x509.ExtKeyUsageClientAuth)
	other, otherKey := newAuthority(t).issue("other", x509.ExtKeyUsageClientAuth)
	url := startNATS(t, fmt.Sprintf(`listen: "127.0.0.1:-1"
jetstream { store_dir: %q }
tls { cert_file: %q, key_file: %q, ca_file: %q, verify: true }
`, t.TempDir(), cert, key, a.file("ca.pem")))
	to := []string{"--server", url, "--tls-ca", a.file("ca.pem")}
	list := []string{":::", "1", "2"}
	if out, err := queueCommand(concat([]string{"push", "q"}, to, list)...); err == nil || !strings.Contains(out, "cannot connect to") {
		t.Errorf("without a certificate: %v, %s", err, out)
	}
	strange := concat([]string{"push", "q"}, to, []string{"--tls-cert", other, "--tls-key", otherKey}, list)
	if out, err := queueCommand(strange...); err == nil || !strings.Contains(out, "cannot connect to") {
		t.Errorf("with one of another authority: %v, %s", err, out)
	}
	to = concat(to, []string{"--tls-cert", mine, "--tls-key", mineKey})
	roundTrip(t, to)
}

// Or it may know them by credentials: a JWT of an account, signed by an operator.
func TestQueueCredentials(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	a := newAuthority(t)
	cert, key := a.issue("server", x509.ExtKeyUsageServerAuth)
	operator, operatorID := newPair(t, nkeys.CreateOperator)
	account, accountID := newPair(t, nkeys.CreateAccount)
	system, systemID := newPair(t, nkeys.CreateAccount)
	signed := func(c jwt.Claims, by nkeys.KeyPair) string {
		text, err := c.Encode(by)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	oc := jwt.NewOperatorClaims(operatorID)
	oc.SystemAccount = systemID
	ac := jwt.NewAccountClaims(accountID)
	ac.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	url := startNATS(t, fmt.Sprintf(`listen: "127.0.0.1:-1"
jetstream { store_dir: %q }
tls { cert_file: %q, key_file: %q }
operator: %s
resolver: MEMORY
resolver_preload: { %s: %s, %s: %s }
`, t.TempDir(), cert, key, signed(oc, operator),
		accountID, signed(ac, operator), systemID, signed(jwt.NewAccountClaims(systemID), operator)))
	user := func(name string, by nkeys.KeyPair) string {
		pair, id := newPair(t, nkeys.CreateUser)
		seed, err := pair.Seed()
		if err != nil {
			t.Fatal(err)
		}
		text, err := jwt.FormatUserConfig(signed(jwt.NewUserClaims(id), by), seed)
		if err != nil {
			t.Fatal(err)
		}
		a.write(a.file(name), string(text))
		return a.file(name)
	}
	to := []string{"--server", url, "--tls-ca", a.file("ca.pem")}
	if out, err := queueCommand(concat([]string{"push", "q"}, to, []string{":::", "1"})...); err == nil || !strings.Contains(out, "Authorization Violation") {
		t.Errorf("without credentials: %v, %s", err, out)
	}
	wrong := concat([]string{"push", "q"}, to, []string{"--connect-timeout", "100ms", "--creds", user("wrong.creds", system), ":::", "1"})
	if out, err := queueCommand(wrong...); err == nil || !strings.Contains(out, "the server has no JetStream for us") {
		t.Errorf("with those of another account: %v, %s", err, out)
	}
	roundTrip(t, concat(to, []string{"--creds", user("right.creds", account)}))
}

// newPair returns a pair of keys and its public name.
func newPair(t *testing.T, create func() (nkeys.KeyPair, error)) (pair nkeys.KeyPair, id string) {
	t.Helper()
	pair, err := create()
	if err == nil {
		id, err = pair.PublicKey()
	}
	if err != nil {
		t.Fatal(err)
	}
	return pair, id
}

// roundTrip lets a queue at a server go through its whole life, with two workers that
// share a limit.
func roundTrip(t *testing.T, to []string) {
	t.Helper()
	run := func(args ...string) string {
		t.Helper()
		out, err := queueCommand(concat(args[:1], []string{"q"}, to, args[1:])...)
		if err != nil {
			t.Fatalf("%v: %v, %s", args, err, out)
		}
		return out
	}
	const jobs = 40
	values := []string{"push", ":::"}
	for i := range jobs {
		values = append(values, fmt.Sprint(i))
	}
	run(values...)
	work := concat([]string{"work", "q"}, to, []string{"--fleet", "--fleet-max", "3", "-j", "4", "sleep", "0.0{}"})
	one, said := backgroundQueue(t, work...)
	two, saidTwo := backgroundQueue(t, work...)
	run("wait")
	for until := time.Now().Add(time.Minute); ; {
		out := run("status", "--json")
		if strings.Contains(out, `"fleet":{"leader":`) && strings.Count(out, `"in_flight":`) == 2 {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("want two workers, and a limit for both: %s", out)
		}
	}
	run("drain")
	for _, err := range []error{awaitEnd(one), awaitEnd(two)} {
		if err != nil {
			t.Errorf("a worker: %v, %s%s", err, said, saidTwo)
		}
	}
	if out := run("results"); strings.Count(out, `"state":"done"`) != jobs {
		t.Errorf("want %d jobs done:\n%s", jobs, out)
	}
	if out := run("retry-failed"); !strings.Contains(out, "0 jobs of q to be tried anew") {
		t.Error(out)
	}
	if out := run("delete"); !strings.Contains(out, fmt.Sprintf("deleted q: %d results", jobs)) {
		t.Error(out)
	}
}

// concat returns all lists as one that is new.
func concat(lists ...[]string) (all []string) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}
