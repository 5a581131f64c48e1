package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// sumsName is the file with the SHA-256 of all others.
const sumsName = "checksums.txt"

// pack writes all files of the release but the checksums.
func (r *release) pack() error {
	var linux []binary
	for _, b := range r.binaries {
		if err := r.archive(b); err != nil {
			return err
		}
		if err := r.billOfMaterials(b); err != nil {
			return err
		}
		if b.os == "linux" {
			linux = append(linux, b)
			if err := r.systemPackages(b); err != nil {
				return err
			}
		}
	}
	if len(linux) > 0 {
		if err := r.image(linux); err != nil {
			return err
		}
	}
	return r.formula()
}

func (r *release) create(name string, write func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(r.dist, name))
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", name, err)
	}
	return f.Close()
}

// sums writes the checksums, and to out the names and sizes of all files.
func (r *release) sums(out io.Writer) error {
	files, err := os.ReadDir(r.dist)
	if err != nil {
		return err
	}
	return r.create(sumsName, func(w io.Writer) error {
		for _, f := range files {
			sum, size, err := r.sum(f.Name())
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%6.1f MB  %s\n", float64(size)/1e6, f.Name())
			if _, err := fmt.Fprintf(w, "%s  %s\n", sum, f.Name()); err != nil {
				return err
			}
		}
		return nil
	})
}

// sum returns the SHA-256 of a file of the release, and its size.
func (r *release) sum(name string) (sum string, size int64, err error) {
	f, err := os.Open(filepath.Join(r.dist, name))
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return fmt.Sprintf("%x", h.Sum(nil)), size, err
}
