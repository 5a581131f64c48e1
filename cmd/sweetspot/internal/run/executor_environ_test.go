package run_test

import (
	"slices"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// Jobs of a worker get the address of the server, but no password.
func TestWithoutPasswords(t *testing.T) {
	for in, want := range map[string]string{
		"NATS_URL=nats://user:secret@host:4222":                  "NATS_URL=nats://host:4222",
		"NATS_URL=tls://token@host:4222":                         "NATS_URL=tls://host:4222",
		"NATS_URL=user:secret@host":                              "NATS_URL=host",
		"NATS_URL=nats://u:s@a:1,nats://b:2, nats://u:s%40@@c:3": "NATS_URL=nats://a:1,nats://b:2, nats://c:3",
		"NATS_URL=nats://host:4222":                              "NATS_URL=nats://host:4222",
		"NATS_URL=":                                              "NATS_URL=",
		"NATS_URL_OF_MINE=nats://user:secret@host":               "NATS_URL_OF_MINE=nats://user:secret@host",
		"MAIL=me@host":                                           "MAIL=me@host",
	} {
		if got := run.WithoutPasswords([]string{"A=1", in}); !slices.Equal(got, []string{"A=1", want}) {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
