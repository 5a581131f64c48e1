package outfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

type output struct {
	flag string
	file *os.File // nil for standard output
	made string   // the path of the file if Add has made it and nothing was written
	fill func(io.Writer) error
}

// Files are the outputs of a command.
type Files struct {
	stdout io.Writer
	used   string // the flag that takes standard output
	all    []*output
}

// New returns no outputs yet. Standard output is that of the command.
func New(stdout io.Writer) *Files { return &Files{stdout: stdout} }

// Add opens the file that a flag names; "-" is standard output, and an empty path none.
// fill will be called by [Files.Write].
func (f *Files) Add(flag, path string, fill func(io.Writer) error) error {
	out := &output{flag: flag, fill: fill}
	switch path {
	case "":
		return nil
	case "-":
		if f.used != "" {
			return fmt.Errorf("%s - and %s - would both write to standard output: only one of them can", f.used, flag)
		}
		f.used = flag
	default:
		if other := f.writerOf(path); other != nil {
			return fmt.Errorf("%s and %s would both write to %s: give each a file of its own", other.flag, flag, path)
		}
		if stream := Stream(path, f.stdout); stream != "" {
			return fmt.Errorf("%s and %s would both write to %s: give %s another file, or - for standard output", flag, stream, path, flag)
		}
		if err := out.open(path); err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
	}
	f.all = append(f.all, out)
	return nil
}

// Stream returns the name of the standard stream that goes to the regular file of a path, be
// the path /dev/stdout, and "" if none does. Who opens that file anew writes over what comes
// by the stream, and the stream over that: each has a place of its own in the file.
func Stream(path string, stdout io.Writer) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	for _, s := range []struct {
		name string
		to   io.Writer
	}{{"standard output", stdout}, {"standard error", os.Stderr}} {
		if f, ok := s.to.(interface{ Stat() (os.FileInfo, error) }); ok {
			if has, err := f.Stat(); err == nil && os.SameFile(has, info) {
				return s.name
			}
		}
	}
	return ""
}

// writerOf returns the output that has a file open, by whatever path, or nil.
func (f *Files) writerOf(path string) *output {
	info, err := os.Stat(path)
	if err != nil {
		return nil // those that are open exist
	}
	for _, o := range f.all {
		if o.file == nil {
			continue
		}
		if has, err := o.file.Stat(); err == nil && os.SameFile(has, info) {
			return o
		}
	}
	return nil
}

func (o *output) open(path string) (err error) {
	_, err = os.Stat(path)
	isNew := errors.Is(err, fs.ErrNotExist)
	if o.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666); err != nil {
		return err
	}
	if isNew {
		o.made = path
		if made, err := filepath.EvalSymlinks(path); err == nil { // a link was there
			o.made = made
		}
	}
	return nil
}

// TakesStdout reports whether a flag has taken standard output, so that nothing else may
// be written there.
func (f *Files) TakesStdout() bool { return f.used != "" }

// Write fills all outputs: one that cannot be filled or written costs none of the others.
func (f *Files) Write() error {
	errs := make([]error, len(f.all))
	for i, o := range f.all {
		if err := o.write(f.stdout); err != nil {
			errs[i] = fmt.Errorf("%s: %w", o.flag, err)
		}
	}
	return errors.Join(errs...)
}

func (o *output) write(stdout io.Writer) error {
	var b bytes.Buffer
	if err := o.fill(&b); err != nil {
		return err
	}
	if o.file == nil {
		_, err := stdout.Write(b.Bytes())
		return err
	}
	if info, err := o.file.Stat(); err == nil && info.Mode().IsRegular() {
		if err := o.file.Truncate(0); err != nil {
			return err
		}
	}
	o.made = ""
	_, err := o.file.Write(b.Bytes())
	return errors.Join(err, o.file.Close())
}

// Close ends the writing. It removes the files that Add has made and that nothing was
// written to.
func (f *Files) Close() {
	for _, o := range f.all {
		if o.file == nil {
			continue
		}
		o.file.Close()
		if o.made != "" {
			os.Remove(o.made)
		}
	}
}
