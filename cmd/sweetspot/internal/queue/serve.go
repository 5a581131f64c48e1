package queue

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// serveOptions are the flags of queue serve.
type serveOptions struct {
	dir    string
	listen string
	config string
	noAuth bool
	sync   bool
	tls    tlsFiles
	most   run.Size
}

func serveCommand() *cobra.Command {
	o := &serveOptions{}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the queues of this machine, also to others",
		Long: `Serve the queues in the directory of this user until INT or TERM: an embedded NATS server.

Clients sign with the key in user.nk in that directory, which is made there: copy it to the other
machines, and name it there by --nkey. --tls-cert and --tls-key encrypt what is sent. Whatever else
NATS offers (accounts, users, JWT) is for the file of --config, which then says all.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := interruptible()
			defer stop()
			err := o.serve(ctx)
			if ctx.Err() != nil && errors.Is(err, context.Canceled) {
				return nil
			}
			return exitError(context.Background(), err)
		},
	}
	f := c.Flags()
	f.StringVar(&o.dir, "dir", "", "keep the queues in `DIR` (default $XDG_STATE_HOME/sweetspot/queue)")
	f.StringVar(&o.listen, "listen", "127.0.0.1:4222", "serve at `HOST:PORT`; port 0 is any that is free")
	f.StringVar(&o.config, "config", "", "be the server that the NATS configuration in `FILE` says")
	f.BoolVar(&o.noAuth, "no-auth", false, "serve everybody who reaches the address")
	f.BoolVar(&o.sync, "sync", false, "write each message to the disk before it is confirmed: then a power failure loses none, and all is slower")
	f.Var(&o.most, "store-max", "let the store have `SIZE` at most (default three quarters of what the disk has for it); when it is full, nothing is taken until there is room")
	f.StringVar(&o.tls.cert, "tls-cert", "", "show clients the certificate in `FILE`")
	f.StringVar(&o.tls.key, "tls-key", "", "the key of --tls-cert is in `FILE`")
	f.StringVar(&o.tls.ca, "tls-ca", "", "want certificates of the clients that an authority in `FILE` signed")
	return c
}

// options returns those of the server.
func (o *serveOptions) options() (*server.Options, error) {
	if o.config != "" {
		if o.noAuth || o.tls != (tlsFiles{}) || o.sync || o.most > 0 {
			return nil, errors.New("--config says all there is to say of the server: want none of --no-auth, --sync, --store-max and --tls-* beside it")
		}
		opts, err := server.ProcessConfigFile(o.config)
		if err != nil {
			return nil, fmt.Errorf("--config %s: %w", o.config, err)
		}
		return opts, nil
	}
	host, text, err := net.SplitHostPort(o.listen)
	port, perr := strconv.ParseUint(text, 10, 16)
	if err != nil || perr != nil || host == "" {
		return nil, fmt.Errorf("--listen %s: want HOST:PORT, such as 127.0.0.1:4222, or 0.0.0.0:4222 for all that reach this machine", o.listen)
	}
	opts := &server.Options{Host: host, Port: int(port)}
	if port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	if (o.tls.cert == "") != (o.tls.key == "") || o.tls.ca != "" && o.tls.cert == "" {
		return nil, errors.New("--tls-cert and --tls-key belong together, and --tls-ca to them")
	}
	if o.tls.cert != "" {
		config, err := server.GenTLSConfig(&server.TLSConfigOpts{
			CertFile: o.tls.cert, KeyFile: o.tls.key, CaFile: o.tls.ca, Verify: o.tls.ca != "", Timeout: dialMost.Seconds(),
		})
		if err != nil {
			return nil, fmt.Errorf("--tls-cert: %w", err)
		}
		opts.TLS, opts.TLSConfig, opts.TLSTimeout, opts.TLSVerify = true, config, dialMost.Seconds(), o.tls.ca != ""
	}
	return opts, nil
}

// serve serves until ctx is done.
func (o *serveOptions) serve(ctx context.Context) error {
	conn := connection{dir: o.dir}
	if err := conn.openHome(); err != nil {
		return err
	}
	h := conn.home
	h.sync, h.open, h.most = o.sync, o.noAuth, int64(o.most)
	said := false
	for {
		opts, err := o.options()
		if err != nil {
			return err
		}
		if err = h.serve(opts); err == nil {
			break
		}
		if !errors.Is(err, errServed) {
			return err
		}
		if !said {
			said = true
			say(fmt.Sprintf("another process serves %s: waiting for it to end", h.dir))
		}
		select {
		case <-time.After(reconnectWait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	defer h.close()
	say(fmt.Sprintf("serving %s at %s", h.dir, h.server.ClientURL()))
	if o.config == "" && !o.noAuth {
		say(fmt.Sprintf("clients elsewhere need --nkey with a copy of %s", filepath.Join(h.dir, keyName)))
	}
	<-ctx.Done()
	return nil
}
