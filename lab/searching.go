package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot/lab/scan"
	"github.com/sweetspot-go/sweetspot/lab/search"
)

// The search task of the article: a fast grep over a real tree, here the sources
// of the Go toolchain, file after file and again from the first.

// sought is a text that some files have. That it is so is checked.
const sought = "deadline"

// The environments of the search.
const (
	searchPlain   = "search"
	searchScanned = "search with an on-access scanner"
	searchOther   = "search with another GOMAXPROCS"
)

// searchJobs are the search in three environments, as in the article: with a
// scanner that each open waits for, without, and on another number of CPUs, half
// of them if there are several.
func searchJobs() []*job {
	other := max(1, runtime.GOMAXPROCS(0)/2)
	if runtime.GOMAXPROCS(0) == 1 {
		other = 2
	}
	numbers := func(s scale) []int {
		if s == quick {
			return []int{1, 2, 4, 16, 64}
		}
		return []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}
	}
	return []*job{
		{name: searchScanned, numbers: numbers, open: func() (*work, error) { return openSearch(true) }},
		{name: searchPlain, numbers: numbers, open: func() (*work, error) { return openSearch(false) }},
		{name: searchOther, cpus: other, numbers: numbers, open: func() (*work, error) { return openSearch(false) }},
	}
}

// scannerVariable asks, in the environment, for the kernel's way to hold up opens,
// which takes the right to do so, instead of a socket.
const scannerVariable = "SWEETSPOT_LAB_SCANNER"

// scanArgs start this program as the scanner process.
var scanArgs = []string{"lab", "scan"}

// scannerConfig is that of the on-access scanner for a tree.
func scannerConfig(dir string) (scan.Config, error) {
	switch kind := scan.Kind(os.Getenv(scannerVariable)); kind {
	case "", scan.Socket:
		return scan.Config{Args: scanArgs}, nil
	case scan.Fanotify:
		return scan.Config{Kind: kind, Roots: []string{dir}, Args: scanArgs}, nil
	default:
		return scan.Config{}, fmt.Errorf("%s is %q, want socket or fanotify", scannerVariable, kind)
	}
}

// goSources returns the directory of the sources of the Go toolchain.
func goSources() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("the tree to search is that of the Go toolchain's sources, but go env GOROOT says nothing of it; is Go installed? %w", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "src")
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("the tree to search is that of the Go toolchain's sources, which this installation of Go is without: %w", err)
	}
	return dir, nil
}

// A searching is a search that goes on for ever.
type searching struct {
	files    []string
	found    []atomic.Int64 // lines found in each, plus 1; 0 as long as not searched
	searcher *search.Searcher
}

func openSearch(scanned bool) (*work, error) {
	dir, err := goSources()
	if err != nil {
		return nil, err
	}
	return searchIn(dir, scanned)
}

func searchIn(dir string, scanned bool) (*work, error) {
	var o search.Options
	o.Query = search.Query{Pattern: sought, Fixed: true}
	o.Tree = search.Tree{Roots: []string{dir}}
	end := func() error { return nil }
	if scanned {
		config, err := scannerConfig(dir)
		if err != nil {
			return nil, err
		}
		scanner, err := scan.Start(context.Background(), config)
		if err != nil {
			return nil, err
		}
		o.Open = scanner.Open
		end = func() error {
			report, err := scanner.Close()
			if err == nil && report.Files == 0 {
				err = errors.New("the scanner has scanned nothing")
			}
			return err
		}
	}
	s := &searching{}
	var errs []error
	s.files = slices.Collect(o.Tree.Files(context.Background(), func(err error) { errs = append(errs, err) }))
	s.found = make([]atomic.Int64, len(s.files))
	if len(s.files) == 0 {
		errs = append(errs, fmt.Errorf("there is no file in %s", dir))
	}
	var err error
	s.searcher, err = search.New(o)
	if err = errors.Join(append(errs, err, s.look())...); err != nil {
		return nil, errors.Join(err, end())
	}
	return &work{unit: s.unit, close: end}, nil
}

// unit searches a file. Each search of the same file must find the same.
func (s *searching) unit(i int64) error {
	k := int(i % int64(len(s.files)))
	c, err := s.searcher.File(context.Background(), s.files[k], io.Discard)
	if err != nil {
		return err
	}
	if !s.found[k].CompareAndSwap(0, c.Lines+1) {
		if before := s.found[k].Load() - 1; before != c.Lines {
			return fmt.Errorf("%s: %d lines with %q, and %d before", s.files[k], c.Lines, sought, before)
		}
	}
	return nil
}

// looked is how many files are read in the plainest way too, so that what the
// search finds in them is known to be right.
const looked = 100

// look notes for some files how many lines the search has to find.
func (s *searching) look() error {
	for k := 0; k < len(s.files); k += len(s.files)/looked + 1 {
		text, err := os.ReadFile(s.files[k])
		if err != nil {
			return err
		}
		if slices.Contains(text, 0) { // of a binary file one line is enough
			continue
		}
		lines := int64(0)
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, sought) {
				lines++
			}
		}
		s.found[k].Store(lines + 1)
	}
	return nil
}
