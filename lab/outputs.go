package lab

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/internal/outfile"
	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/lab/internal/report"
)

// outputs are what to write, by flag. A file may be -, standard output.
type outputs struct{ json, html, bench, svg string }

func (o *outputs) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.json, "json", "", "write the figures as JSON to `FILE`; - is standard output, in place of the table")
	f.StringVar(&o.html, "html", "", "write a page with plots, which needs nothing else, to `FILE`; - is standard output, in place of the table")
	f.StringVar(&o.bench, "bench", "", "write the samples in the format of Go benchmarks, for benchstat, to `FILE`; - is standard output, in place of the table")
	f.StringVar(&o.svg, "svg", "", "write the plots as SVG files, such as overview.svg and a6.svg, to `DIR`")
}

// open opens the files, so that it is known before anything is measured that they
// can be written. What is in them stays until they are written, with *f.
func (o *outputs) open(stdout io.Writer, f **figures.File) (*outfile.Files, error) {
	all := outfile.New(stdout)
	fill := func(write func(*figures.File, io.Writer) error) func(io.Writer) error {
		return func(w io.Writer) error { return write(*f, w) }
	}
	err := cmp.Or(
		all.Add("--json", o.json, fill((*figures.File).Write)),
		all.Add("--html", o.html, fill(report.HTML)),
		all.Add("--bench", o.bench, fill(report.Benchmarks)),
	)
	if err == nil && o.svg != "" {
		if err = os.MkdirAll(o.svg, 0o777); err != nil {
			err = fmt.Errorf("--svg: %w", err)
		}
	}
	if err != nil {
		all.Close()
	}
	return all, err
}

// write writes all outputs, and the table to standard output unless a flag took that.
func (o *outputs) write(files *outfile.Files, f *figures.File, stdout io.Writer) error {
	if err := files.Write(); err != nil {
		return err
	}
	if o.svg != "" {
		for _, p := range report.Pictures(f) {
			if err := os.WriteFile(filepath.Join(o.svg, p.Name), []byte(p.SVG), 0o666); err != nil {
				return fmt.Errorf("--svg: %w", err)
			}
		}
	}
	if files.TakesStdout() {
		return nil
	}
	return printTo(stdout, f)
}
