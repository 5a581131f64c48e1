package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/pflag"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/usage"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/pause"
)

// A connection says where the queues are: flags, and then what they lead to.
type connection struct {
	dir    string
	server string
	creds  string
	nkey   string
	tls    tlsFiles
	most   time.Duration // that the first connection may take

	home   *home // nil with a server
	served bool  // by a server of ours, which has a [service]; also while the connection is lost
	pushes bool  // and does nothing else, so that its key may allow no more
	nc     *nats.Conn
	js     jetstream.JetStream
	stores jetstream.JetStream // for long outputs
	used   *queue              // nil if none was opened

	patient bool // a server that is away, or full, is waited for
	say     func(string)
	stands  standstill

	denied atomic.Pointer[error] // the server's newest refusal of what our key does not allow
}

// tlsFiles are the names of PEM files, "" if not given.
type tlsFiles struct{ ca, cert, key string }

func (c *connection) register(set *pflag.FlagSet) {
	set.StringVar(&c.dir, "dir", "", "keep the queues in `DIR` (default $XDG_STATE_HOME/sweetspot/queue)")
	set.StringVar(&c.server, "server", "", "use the NATS server at `URL`, such as nats://host:4222; the default is $NATS_URL, or our own")
	c.most = firstMost
	set.Var((*humanize.Time)(&c.most), "connect-timeout", "wait `TIME` for our own server, or for JetStream at --server; work, scale and wait wait as long as it takes")
	set.StringVar(&c.creds, "creds", "", "authenticate by the credentials in `FILE` (a JWT and its key)")
	set.StringVar(&c.nkey, "nkey", "", "authenticate by the NKey whose seed is in `FILE`")
	set.StringVar(&c.tls.ca, "tls-ca", "", "trust the server's certificate if an authority in `FILE` signed it")
	set.StringVar(&c.tls.cert, "tls-cert", "", "show the server the certificate in `FILE`")
	set.StringVar(&c.tls.key, "tls-key", "", "read the key of --tls-cert from `FILE`")
	usage.Detail(set, "connect-timeout", "creds", "nkey", "tls-ca", "tls-cert", "tls-key")
}

func (c *connection) check() error {
	c.server = cmp.Or(c.server, os.Getenv("NATS_URL"))
	switch {
	case c.most <= 0:
		return fmt.Errorf("--connect-timeout %v: want more than 0", c.most)
	case c.dir != "" && c.server != "":
		return errors.New("--dir is for queues on this machine, and --server for those elsewhere (NATS_URL says the same): want one of the two")
	case c.server == "" && (c.creds != "" || c.nkey != "" || c.tls != tlsFiles{}):
		return errors.New("--creds, --nkey and --tls-* say how to connect to a server: want --server URL with them")
	case c.creds != "" && c.nkey != "":
		return errors.New("--creds and --nkey both say who we are: want one of the two")
	case (c.tls.cert == "") != (c.tls.key == ""):
		return errors.New("--tls-cert and --tls-key belong together: want both")
	}
	return nil
}

const (
	// firstMost is how long the first connection may take by default: others may be
	// about to serve a home, or to let go of it.
	firstMost = 10 * time.Second
	firstWait = 20 * time.Millisecond
	// A server that is away is tried again that often.
	reconnectWait = 100 * time.Millisecond
	pingEvery     = 10 * time.Second
)

// open connects. With patience, a server that is away is waited for until ctx is
// done; say is told once.
func (c *connection) open(ctx context.Context, patient bool, say func(string)) error {
	if err := c.check(); err != nil {
		return err
	}
	c.patient, c.say = patient, say
	opts := []nats.Option{
		nats.Name("sweetspot queue"), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait),
		nats.PingInterval(pingEvery), nats.IgnoreAuthErrorAbort(),
		nats.ErrorHandler(c.heard), // without one the client would write to stderr
	}
	url := c.server
	if url == "" {
		if err := c.openHome(); err != nil {
			return err
		}
		defer context.AfterFunc(ctx, c.home.stop)()
		if _, err := c.home.settings(); err != nil {
			return err
		}
		seed, err := c.home.seed(userKey)
		if err != nil {
			return fmt.Errorf("no place for queues: %w", err)
		}
		url, c.nkey = "nats://127.0.0.1", seed
		opts = append(opts, nats.SetCustomDialer(c.home))
	}
	more, err := c.auth()
	if err != nil {
		return err
	}
	opts = append(opts, more...)
	began, said := time.Now(), false
	for {
		nc, err := nats.Connect(url, opts...)
		if err == nil {
			c.nc = nc
			return c.openJetStream()
		}
		final := errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrSecureConnRequired)
		far := ""
		if c.home != nil {
			if far = c.home.starting(); far != "" {
				began = time.Now()
				err = errors.New(far)
			}
		}
		if !patient && (c.server != "" || time.Since(began) > c.most) || final {
			err = silent(err)
			if errors.Is(err, nats.ErrAuthorization) {
				err = fmt.Errorf("%w: give --creds, or --nkey: of the keys of a home, %s may push, %s work, and %s everything",
					err, pushKey, workKey, userKey)
			}
			return fmt.Errorf("cannot connect to the queues %s: %w", c.place(), err)
		}
		if !said && (far != "" || patient && time.Since(began) > time.Second) {
			said = true
			say(fmt.Sprintf("waiting for the queues %s: %v", c.place(), silent(err)))
		}
		if err := pause.Sleep(ctx, firstWait); err != nil {
			return err
		}
	}
}

// openJetStream opens what is asked of JetStream: with a server of ours elsewhere through its service,
// since our key may not allow more.
func (c *connection) openJetStream() (err error) {
	opts := []jetstream.JetStreamOpt{jetstream.WithPublishAsyncMaxPending(pushAtOnce), jetstream.WithPublishAsyncTimeout(askMost)}
	c.served = served(c.nc)
	if c.home != nil || !c.served {
		c.js, err = jetstream.New(c.nc, opts...)
		c.stores = c.js
		return err
	}
	if c.js, err = jetstream.NewWithAPIPrefix(c.nc, apiPrefix, opts...); err == nil {
		c.stores, err = jetstream.NewWithAPIPrefix(c.nc, storesPrefix)
	}
	return err
}

// silent returns err, and where it says little, what it means: no servers are one
// address that refuses us, or is not a server's.
func silent(err error) error {
	switch {
	case errors.Is(err, nats.ErrNoServers):
		return errors.New("no NATS server answers there")
	case errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return fmt.Errorf("it ends the connection, as a server does that wants another certificate (--tls-cert): %w", err)
	}
	return err
}

func (c *connection) homeDir() (string, error) {
	if c.dir != "" {
		return c.dir, nil
	}
	dir, err := run.StateDir("queue")
	if err != nil {
		return "", fmt.Errorf("no place for queues: %w; give --dir DIR, or --server URL", err)
	}
	return dir, nil
}

func (c *connection) openHome() error {
	dir, err := c.homeDir()
	if err != nil {
		return err
	}
	c.home = newHome(dir)
	if c.say != nil {
		c.home.tell = c.say
	}
	return nil
}

func (c *connection) auth() ([]nats.Option, error) {
	var opts []nats.Option
	if c.creds != "" {
		opts = append(opts, nats.UserCredentials(c.creds))
	}
	if c.nkey != "" {
		o, err := nats.NkeyOptionFromSeed(c.nkey)
		if err != nil {
			return nil, fmt.Errorf("the key in %s: %w", c.nkey, err)
		}
		opts = append(opts, o)
		if c.home == nil {
			_, public, err := readKey(c.nkey)
			if err != nil {
				return nil, err
			}
			opts = append(opts, nats.CustomInboxPrefix(inboxPrefix(public)))
		}
	}
	if c.tls.ca != "" {
		opts = append(opts, nats.RootCAs(c.tls.ca))
		if config := trustHome(c.tls.ca); config != nil {
			opts = append(opts, nats.Secure(config))
		}
	}
	if c.tls.cert != "" {
		opts = append(opts, nats.ClientCert(c.tls.cert, c.tls.key))
	}
	return opts, nil
}

// place says where a queue is, without a password.
func (c *connection) place() string {
	if c.home != nil {
		return "in " + c.home.dir
	}
	u, err := url.Parse(c.server)
	if err != nil {
		return "at the server"
	}
	return "at " + u.Redacted()
}

// close closes the connection, and lets others serve the home.
func (c *connection) close() {
	if c.nc != nil {
		if c.nc.IsConnected() {
			_ = c.nc.FlushTimeout(askMost)
			if c.home != nil && c.home.serves() && c.used != nil {
				c.used.settle()
			}
		}
		c.nc.Close()
	}
	if c.home != nil {
		c.home.close()
	}
}
