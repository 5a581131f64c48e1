// Sweetspot-keda is an external scaler for KEDA: it says how many workers a queue of
// sweetspot, or any other consumer of NATS JetStream, should have. The package kedascale
// explains it. It ends on TERM or INT.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/nats-io/nats.go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/sweetspot-go/sweetspot/contrib/keda"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "sweetspot-keda:", err)
		os.Exit(1)
	}
}

type options struct {
	listen, server   string
	creds, nkey      string
	ca               string
	certificate, key string
}

func parse(args []string, out io.Writer) (o options, err error) {
	f := flag.NewFlagSet("sweetspot-keda", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&o.listen, "listen", ":9090", "serve KEDA at `ADDR`")
	f.StringVar(&o.certificate, "cert", "", "serve with the certificate in `FILE`, for enableTLS")
	f.StringVar(&o.key, "key", "", "the key of -cert is in `FILE`")
	f.StringVar(&o.server, "server", os.Getenv("NATS_URL"), "use the NATS server at `URL`; the default is $NATS_URL")
	f.StringVar(&o.creds, "creds", "", "authenticate by the credentials in `FILE`")
	f.StringVar(&o.nkey, "nkey", "", "authenticate by the NKey whose seed is in `FILE`")
	f.StringVar(&o.ca, "tls-ca", "", "trust the NATS server's certificate if an authority in `FILE` signed it")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("%q is left over: want flags only", f.Arg(0))
	case o.server == "":
		return o, errors.New("no NATS server is named: want -server URL, or NATS_URL in the environment")
	case o.creds != "" && o.nkey != "":
		return o, errors.New("-creds and -nkey both say who we are: want one of the two")
	case (o.certificate == "") != (o.key == ""):
		return o, errors.New("-cert and -key belong together: want both")
	}
	return o, nil
}

// run serves until ctx is done.
func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	nc, err := o.connect(out)
	if err != nil {
		return fmt.Errorf("cannot connect to NATS: %w", err)
	}
	defer nc.Close()
	var opts []grpc.ServerOption
	if o.certificate != "" {
		c, err := credentials.NewServerTLSFromFile(o.certificate, o.key)
		if err != nil {
			return fmt.Errorf("the certificate: %w", err)
		}
		opts = append(opts, grpc.Creds(c))
	}
	g := grpc.NewServer(opts...)
	kedascale.New(nc).Register(g)
	grpc_health_v1.RegisterHealthServer(g, health.NewServer()) // for the probes of Kubernetes
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "sweetspot-keda: serving at", l.Addr())
	defer context.AfterFunc(ctx, g.Stop)()
	if err := g.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// connect returns a connection that also waits for a NATS server that is not there yet, or refuses us.
func (o *options) connect(out io.Writer) (*nats.Conn, error) {
	var told string
	opts := []nats.Option{
		nats.Name("sweetspot-keda"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.IgnoreAuthErrorAbort(),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			if text := err.Error(); text != told { // once for each cause
				told = text
				fmt.Fprintln(out, "sweetspot-keda: cannot connect to NATS, trying again:", text)
			}
		}),
	}
	if o.creds != "" {
		opts = append(opts, nats.UserCredentials(o.creds))
	}
	if o.nkey != "" {
		k, err := nats.NkeyOptionFromSeed(o.nkey)
		if err != nil {
			return nil, fmt.Errorf("the key in %s: %w", o.nkey, err)
		}
		opts = append(opts, k)
	}
	if o.ca != "" {
		opts = append(opts, nats.RootCAs(o.ca))
	}
	return nats.Connect(o.server, opts...)
}
