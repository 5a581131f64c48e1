package run

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// pipeOptions are what the command line says about --pipe.
type pipeOptions struct {
	pipe       bool
	block      int              // the longest, in bytes; 0 is not given
	records    int              // -N
	end, start optional[string] // of a record
}

const (
	// blockSize is the default of --block, as in GNU parallel.
	blockSize = 1 << 20
	// longestRecord bounds the memory of a record that is longer than a block, and
	// with -N that of all records of one: a stream in which the separator never
	// comes must not fill the machine.
	longestRecord = 64 << 20
)

// check refuses what does not go together, and takes what the flags mean that
// have another meaning without --pipe.
func (o *pipeOptions) check(in *inputOptions) error {
	switch {
	case !o.pipe && (o.block > 0 || o.end.given || o.start.given):
		return errors.New("--block, --recend and --recstart say how --pipe cuts its stream: want --pipe with them")
	case !o.pipe && o.records > 0 && in.args.given:
		return errors.New("-n and -N both say how many values a job gets: want one of the two")
	case !o.pipe && o.records > 0:
		in.args = optional[int]{o.records, true}
		return nil
	case !o.pipe:
		return nil
	case o.records > 0 && o.block > 0:
		return errors.New("--block says how long a block is, and -N how many records it has: want one of the two")
	case len(in.sources) > 1 || len(in.sources) == 1 && in.sources[0].given:
		return errors.New("--pipe cuts one stream, stdin or the file of -a; the jobs have no values, so want none of them")
	case in.args.given || in.lines > 0 || in.fill || in.repeat || in.colsep.given || in.link || in.delimiter != "" || in.trim != "" || in.csv || in.header || in.shuffle || in.longest != "" || in.until != "":
		return errors.New("with --pipe the jobs have no values, so -n, -L, -m, -X, -d, -E, --colsep, --csv, --header, --trim, --link, --shuf and --longest-first mean nothing; -N and --recend say where blocks end")
	case in.nul && o.end.given:
		return errors.New("-0 and --recend both say what ends a record: want one of the two")
	case in.nul:
		o.end = optional[string]{nul, true}
	}
	in.args = optional[int]{0, true} // no values, for the template
	return nil
}

// stream returns the parts of the stream as the jobs' input.
func (o *pipeOptions) stream(ctx context.Context, from source) *input {
	b := newBlocks(ctx, from.opener(), o.cutter(from.name()))
	return &input{rows: b, tally: &b.tally, blocks: b}
}

// cutter returns what cuts a stream.
func (o *pipeOptions) cutter(name string) cutter {
	c := cutter{name: name, size: blockSize, count: o.records, end: newline, start: o.start.value}
	if o.block > 0 {
		c.size = o.block
	}
	switch {
	case o.end.given:
		c.end = o.end.value
	case o.start.value != "":
		c.end = "" // a record ends where the next one starts
	}
	c.most = max(c.size, longestRecord)
	return c
}

// parseRecordText reads a --recend or --recstart: text with the escapes of C.
func parseRecordText(s string) (optional[string], error) {
	text, err := unescape(s)
	return optional[string]{text, true}, err
}

// parseBlock reads a size as --memfree does, but as small as memory is.
func parseBlock(s string) (int, error) {
	var n Size
	if err := n.Set(s); err != nil {
		return 0, err
	}
	if n > math.MaxInt32 {
		return 0, fmt.Errorf("%q is not a size of a block: want 1 byte or more, less than 2G", s)
	}
	return int(n), nil
}
