package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/machine"
	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

// page is where the table is published, seen from the module's directory.
const page = "../docs/reliability.md"

// options are what the command line says.
type options struct {
	tenants []tenant
	sizes   []int
	others  int
	settle  time.Duration
	length  time.Duration
	rounds  int
	strict  bool
	md      bool
}

func main() { program.Main("tenants", run) }

func parseFlags(args []string, out io.Writer) (*options, error) {
	o := &options{sizes: []int{4, 64}}
	f := program.NewFlags("tenants", "Measures what a hostile client of a server takes from the others.", "tenant", tenants(),
		func(t tenant) (name, about string) { return t.name, t.about }, out)
	f.IntVar(&o.others, "others", 64, "`number` of other clients")
	f.DurationVar(&o.settle, "settle", 3*time.Second, "`time` before the tenant comes")
	f.DurationVar(&o.length, "length", 8*time.Second, "`time` measured with it")
	f.IntVar(&o.rounds, "rounds", 3, "`number` of rounds")
	f.Quick("-rounds 1 -settle 2s -length 3s")
	f.BoolVar(&o.strict, "strict", false, "repeat a phase, up to 8 times, if other processes used more than 0.3 CPUs")
	f.BoolVar(&o.md, "md", false, "write the table into "+page+" too")
	var err error
	if o.tenants, err = f.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case o.others < 1 || o.rounds < 1:
		return nil, errors.New("-others and -rounds: want 1 or more")
	case o.settle <= 0 || o.length <= 0:
		return nil, errors.New("-settle and -length: want a time, such as 8s")
	}
	return o, nil
}

// run does what the command line says. The progress goes to stderr, the table to stdout.
func run(ctx context.Context, args []string) error {
	o, err := parseFlags(args, os.Stderr)
	if err != nil {
		return err
	}
	b := &bench{options: *o, log: os.Stderr}
	for _, t := range b.tenants {
		for _, size := range b.sizes {
			if err := b.measure(ctx, t, size); err != nil {
				return fmt.Errorf("%s, %d connections: %w", t.name, size, err)
			}
		}
	}
	table := fmt.Sprintf("%s; %d other clients, %d rounds of %v; other processes used %.2f CPUs (median).\n\n%s",
		machine.Describe(), b.others, b.rounds, b.length, b.disturbed(), b.table())
	fmt.Print(table)
	if b.md {
		return program.Publish(page, "tenants", table)
	}
	return nil
}
