package queue

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"

	"github.com/sweetspot-go/sweetspot/internal/exitcode"
	"github.com/sweetspot-go/sweetspot/internal/pause"
)

type serveOptions struct {
	dir      string
	listen   string
	sync     bool
	storeMax run.Size
	change   func(*settings) // to those two, where they are given
}

func serveCommand() *cobra.Command {
	o := &serveOptions{}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the queues of this machine, also to others",
		Long: `Serve the queues in the directory of this user until INT or TERM: an embedded NATS server.

Clients elsewhere sign with a key that is made in that directory: copy one to the other machines,
and name it there by --nkey. The key in push.nk may push to all queues, that in work.nk may work for
them, and that in user.nk may do everything: read results, retry, drain and delete.

Beyond the loopback, what is sent is encrypted. Clients elsewhere know the server by the certificate
in server.pem, made there too: give them a copy, named by --tls-ca. For whatever else NATS offers
(other certificates, accounts, users, JWT) start a NATS server of your own, and give clients and
workers its URL by --server.

What is confirmed is on the disk, and survives a power failure: jobs once push has returned, results
before their jobs go. --sync=false leaves out up to the last two minutes, and is faster. It is a
setting of the directory, as --store-max is: kept until it is given again, for whichever process
serves it.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.change = func(s *settings) {
				if c.Flags().Changed("sync") {
					s.Sync = o.sync
				}
				if c.Flags().Changed("store-max") {
					s.StoreMax = int64(o.storeMax)
				}
			}
			ctx, stop := exitcode.UntilSignal(context.Background())
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
	f.BoolVar(&o.sync, "sync", true, "confirm jobs and results only when they are on the disk; kept in the directory until it is given again")
	f.Var(&o.storeMax, "store-max", "use at most `SIZE` of the disk, by default three quarters of what is free; when the store is full, no job is taken until there is room; kept like --sync")
	return c
}

func (o *serveOptions) options() (*server.Options, error) {
	host, text, err := net.SplitHostPort(o.listen)
	port, perr := strconv.ParseUint(text, 10, 16)
	if err != nil || perr != nil || host == "" {
		return nil, fmt.Errorf("--listen %s: want HOST:PORT, such as 127.0.0.1:4222, or 0.0.0.0:4222 for all that reach this machine", o.listen)
	}
	opts := &server.Options{Host: host, Port: int(port)}
	if port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	opts.AllowNonTLS = loopback(host)
	return opts, nil
}

func (o *serveOptions) serve(ctx context.Context) error {
	conn := connection{dir: o.dir}
	if err := conn.openHome(); err != nil {
		return err
	}
	return o.serveHome(ctx, conn.home)
}

func (o *serveOptions) serveHome(ctx context.Context, h *home) error {
	defer context.AfterFunc(ctx, h.stop)()
	defer h.close()
	h.change = o.change
	for {
		opts, err := o.first(ctx, h)
		if err != nil {
			return err
		}
		announce(h, opts)
		select {
		case <-h.quit: // it could not serve again after its disk was full
		case <-ctx.Done():
			return nil
		}
	}
}

// first waits until no other process serves h, and serves it.
func (o *serveOptions) first(ctx context.Context, h *home) (*server.Options, error) {
	for said := false; ; {
		opts, err := o.options()
		if err == nil {
			err = h.serve(opts)
		}
		if !errors.Is(err, errServed) {
			return opts, err
		}
		if !said {
			said = true
			h.tell(fmt.Sprintf("another process serves %s: waiting for it to end", h.dir))
		}
		if err := pause.Sleep(ctx, reconnectWait); err != nil {
			return nil, err
		}
	}
}

// announce says where h is served, and what clients need.
func announce(h *home, opts *server.Options) {
	url := h.server.ClientURL()
	if opts.AllowNonTLS { // the URL of those that do not know the certificate
		url = "nats://" + strings.TrimPrefix(url, "tls://")
	}
	h.tell(fmt.Sprintf("serving %s at %s", h.dir, url))
	h.tell(fmt.Sprintf("clients elsewhere need --nkey with a copy of %s, %s or %s, and --tls-ca with one of %s", filepath.Join(h.dir, pushKey), workKey, userKey, certificateName))
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
