package search

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"sync"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot"
)

// A Mode says what is written of a file.
type Mode uint8

const (
	Lines   Mode = iota // each line that matches
	Names               // the path of each file with a match
	Numbers             // the path of each file, and how many of its lines match
)

// Binary says what is done with files that hold a NUL byte.
type Binary uint8

const (
	Mention Binary = iota // say that a line matches, instead of showing it
	Skip                  // take them for files without a match
	AsText                // take them for text
)

// Options say what to search for, where, and what to write.
type Options struct {
	Query
	Tree
	Mode        Mode
	LineNumbers bool // with Lines: the number of each line before it
	NoFilename  bool // with Lines and Numbers: no path before it
	Binary      Binary

	// Limit is how many files are searched at a time: sweetspot.Fixed(n), a
	// Limiter, which may be shared with other work, or nil, for the number that
	// the search finds by itself.
	Limit sweetspot.Option

	// Unordered writes what is found in a file as soon as it has been searched.
	Unordered bool

	// Open opens a file; nil means os.Open. It is called from many goroutines.
	Open func(ctx context.Context, path string) (io.ReadCloser, error)

	// Report gets an error for each file and directory that cannot be read; nil drops
	// them. It is called from one goroutine at a time.
	Report func(error)
}

// Counts sum a search up.
type Counts struct {
	Files   int64 // that were searched, to their end or as far as was needed
	Bytes   int64 // that were read
	Matched int64 // files with a match
	Lines   int64 // lines that match; with Names and in binary files the first alone
	Failed  int64 // files and directories that could not be read
}

func (c *Counts) add(d Counts) {
	c.Files += d.Files
	c.Bytes += d.Bytes
	c.Matched += d.Matched
	c.Lines += d.Lines
	c.Failed += d.Failed
}

// A Searcher runs a search, as often as wanted, also several times at once.
type Searcher struct {
	o Options
	m *matcher

	reporting sync.Mutex
	buffers   sync.Pool // of *[]byte, to read into
	outputs   sync.Pool // of *bytes.Buffer
}

// New returns the search that o describes, or an error if the pattern is not
// a regular expression.
func New(o Options) (*Searcher, error) {
	m, err := newMatcher(o.Query)
	if err != nil {
		return nil, err
	}
	if o.Open == nil {
		o.Open = func(_ context.Context, path string) (io.ReadCloser, error) { return os.Open(path) }
	}
	s := &Searcher{o: o, m: m}
	s.buffers.New = func() any { b := make([]byte, readSize); return &b }
	s.outputs.New = func() any { return new(bytes.Buffer) }
	return s, nil
}

// Run searches the files of the Tree and writes what it finds to out, in the
// order of [Tree.Files]. It returns what it has counted, and an error if ctx was
// done first (its cause) or out failed. What cannot be read is reported, counted,
// and no error. Nothing runs after it has returned.
func (s *Searcher) Run(ctx context.Context, out io.Writer) (Counts, error) {
	var failed atomic.Int64
	files := s.o.Tree.Files(ctx, func(err error) {
		failed.Add(1)
		s.report(err)
	})
	c, err := s.RunFiles(ctx, files, out)
	c.Failed += failed.Load()
	return c, err
}

// RunFiles is Run for the given files instead of those of the Tree. It ends with
// files, which may go on for ever: a stream of work.
func (s *Searcher) RunFiles(ctx context.Context, files iter.Seq[string], out io.Writer) (Counts, error) {
	r := newRun(s, out)
	var opts []sweetspot.MapSeqOption
	if s.o.Limit != nil {
		opts = append(opts, s.o.Limit)
	}
	if s.o.Unordered {
		opts = append(opts, sweetspot.Unordered())
	}
	var total Counts
	for f, err := range sweetspot.MapSeq(ctx, numbered(files), r.search, opts...) {
		if err != nil {
			return total, plainItem(err)
		}
		total.add(f.Counts)
		if err := r.write(f); err != nil {
			return total, err
		}
	}
	return total, nil
}

// File searches one file, in the calling goroutine, and writes what it finds to
// out. It is a single unit of the work of Run, for callers that run it under a
// limit of their own. An error is one of reading, or of out.
func (s *Searcher) File(ctx context.Context, path string, out io.Writer) (Counts, error) {
	r := newRun(s, out)
	f, err := r.search(ctx, job{path: path})
	if err == nil {
		err = r.write(f)
	}
	if f.failure != nil {
		err = f.failure
	}
	return f.Counts, err
}

func (s *Searcher) report(err error) {
	if s.o.Report == nil {
		return
	}
	s.reporting.Lock()
	defer s.reporting.Unlock()
	s.o.Report(err)
}

// A job is a file and its place in the order of the output.
type job struct {
	path  string
	index int
}

func numbered(files iter.Seq[string]) iter.Seq[job] {
	return func(yield func(job) bool) {
		n := 0
		for path := range files {
			if !yield(job{path, n}) {
				return
			}
			n++
		}
	}
}

// plainItem takes the number of the item off an error of a sweetspot call.
func plainItem(err error) error {
	if item, ok := errors.AsType[*sweetspot.ItemError](err); ok {
		return item.Err
	}
	return err
}
