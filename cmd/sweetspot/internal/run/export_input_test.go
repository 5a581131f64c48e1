package run

import (
	"context"
	"io"

	"github.com/spf13/pflag"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
)

const (
	BundleSize  = bundleSize
	PerArgument = template.PerArgument
)

// List is the list of one source.
type List struct{ l *feed }

func ReadValues(ctx context.Context, r io.Reader, sep string) List {
	return List{fromReader(ctx, func() (io.ReadCloser, error) { return io.NopCloser(r), nil }, "list", sep, false)}
}

// Next returns the next value.
func (l List) Next(ctx context.Context) (string, error) {
	row, err := l.l.next(ctx)
	if err != nil {
		return "", err
	}
	return row[0], nil
}

// Seen returns how many values have been read ahead.
func (l List) Seen() int64 { return l.l.seen.Load() }

// Input is where the jobs get their values from.
type Input struct{ in *input }

func (i Input) Next(ctx context.Context) ([]string, error) { return i.in.next(ctx) }
func (i Input) Count(ctx context.Context) (int64, bool) {
	if i.in.count == nil {
		return 0, false
	}
	return i.in.count(ctx)
}
func (i Input) Seen() (int64, bool) { return i.in.seen.Load(), i.in.ended.Load() }

// InputOf returns the input of a command line.
func InputOf(ctx context.Context, args []string) (Input, error) {
	o, t, err := parse(args)
	if err != nil {
		return Input{}, err
	}
	in, err := o.input(ctx)
	if err != nil {
		return Input{}, err
	}
	in.suit(t.Length, t.Uses(template.Total))
	return Input{in}, nil
}

// ExpandRow returns the command for a row, under the flags of a command line.
func ExpandRow(args, row []string, seq int64, slot int) ([]string, error) {
	_, t, err := parse(args)
	if err != nil {
		return nil, err
	}
	return t.Expand(nil, row, template.Place{Seq: seq, Slot: slot}), nil
}

func parse(args []string) (*options, *template.Template, error) {
	o := &options{mark: "{}"}
	set := pflag.NewFlagSet("run", pflag.ContinueOnError)
	set.SetInterspersed(false)
	for i := range flags {
		flags[i].register(set, o)
	}
	if err := set.Parse(args); err != nil {
		return nil, nil, err
	}
	o.shell = set.Changed("command")
	if err := o.split(set.Args()); err != nil {
		return nil, nil, err
	}
	t, err := o.template(nil)
	return o, t, err
}

// heldInTests is how much a list may hold there.
const heldInTests = 1 << 20

// Product combines lists, holding little.
func Product(ctx context.Context, lists ...io.Reader) Input {
	all, names := feeds(ctx, lists)
	return Input{&input{rows: newProduct(all, names, heldInTests)}}
}

// Links links lists, holding little.
func Links(ctx context.Context, lists ...io.Reader) Input {
	all, names := feeds(ctx, lists)
	l := newLinks(all, names, false)
	for _, h := range l.holds {
		h.most = heldInTests
	}
	return Input{&input{rows: l}}
}

func feeds(ctx context.Context, lists []io.Reader) ([]rows, []string) {
	var all []rows
	for _, r := range lists {
		all = append(all, ReadValues(ctx, r, newline).l)
	}
	return all, make([]string, len(all))
}

// LengthOf returns by how much a value makes a command longer.
func LengthOf(args []string, v int) (int, error) {
	_, t, err := parse(args)
	if err != nil {
		return 0, err
	}
	return t.Length(v), nil
}
