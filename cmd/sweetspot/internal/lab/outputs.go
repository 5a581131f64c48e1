package lab

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/lab/figures"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/lab/report"
)

// outputs are what to write, by flag. A file may be -, standard output.
type outputs struct{ json, html, bench, svg string }

// flags adds those of the reports; of the figures only run has one.
func (o *outputs) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.html, "html", "", "write a page with plots, which needs nothing else, to a `file`; - is standard output, in place of the table")
	f.StringVar(&o.bench, "bench", "", "write the samples in the format of Go benchmarks, for benchstat, to a `file`; - is standard output, in place of the table")
	f.StringVar(&o.svg, "svg", "", "write the plots as SVG files, such as overview.svg and a6.svg, to a `directory`")
}

// An output is a file and what fills it.
type output struct {
	flag  string
	file  *os.File // nil for standard output
	isNew bool
	fill  func(*figures.File, io.Writer) error
}

// opened are outputs that can be written.
type opened struct {
	files  []*output
	stdout io.Writer
	used   string // the flag that takes standard output
	svg    string
}

// open opens the files, so that it is known before anything is measured that they
// can be written. What is in them stays until write.
func (o *outputs) open(stdout io.Writer) (*opened, error) {
	all := &opened{stdout: stdout, svg: o.svg}
	for _, x := range []struct {
		flag, path string
		fill       func(*figures.File, io.Writer) error
	}{
		{"--json", o.json, (*figures.File).Write},
		{"--html", o.html, report.HTML},
		{"--bench", o.bench, report.Benchmarks},
	} {
		if err := all.add(x.flag, x.path, x.fill); err != nil {
			all.close()
			return nil, err
		}
	}
	if o.svg != "" {
		if err := os.MkdirAll(o.svg, 0o777); err != nil {
			all.close()
			return nil, fmt.Errorf("--svg: %w", err)
		}
	}
	return all, nil
}

func (all *opened) add(flag, path string, fill func(*figures.File, io.Writer) error) error {
	out := &output{flag: flag, fill: fill}
	switch path {
	case "":
		return nil
	case "-":
		if all.used != "" {
			return fmt.Errorf("%s - and %s - would both write to standard output: only one of them can", all.used, flag)
		}
		all.used = flag
	default:
		for _, other := range all.files {
			if other.file != nil && other.file.Name() == path {
				return fmt.Errorf("%s and %s would both write to %s: give each a file of its own", other.flag, flag, path)
			}
		}
		_, err := os.Stat(path)
		out.isNew = errors.Is(err, fs.ErrNotExist)
		if out.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666); err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
	}
	all.files = append(all.files, out)
	return nil
}

// write writes all of them, and the table to standard output unless a flag took
// that.
func (all *opened) write(f *figures.File) error {
	for _, o := range all.files {
		if err := o.write(f, all.stdout); err != nil {
			return fmt.Errorf("%s: %w", o.flag, err)
		}
	}
	if all.svg != "" {
		for _, p := range report.Pictures(f) {
			if err := os.WriteFile(filepath.Join(all.svg, p.Name), []byte(p.SVG), 0o666); err != nil {
				return fmt.Errorf("--svg: %w", err)
			}
		}
	}
	if all.used != "" {
		return nil
	}
	return printTo(all.stdout, f)
}

// write fills the output. What the file held before is gone only when all of what
// comes in its place is there.
func (o *output) write(f *figures.File, stdout io.Writer) error {
	var b bytes.Buffer
	if err := o.fill(f, &b); err != nil {
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
	o.isNew = false
	_, err := o.file.Write(b.Bytes())
	return errors.Join(err, o.file.Close())
}

// close is for when not all was written: files that open has made and that nothing
// was written to are removed.
func (all *opened) close() {
	for _, o := range all.files {
		if o.file == nil {
			continue
		}
		o.file.Close()
		if o.isNew {
			os.Remove(o.file.Name())
		}
	}
}
