package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
)

func (r *release) archiveName(t target) string {
	name := "sweetspot_" + r.version + "_" + t.String()
	if t.os == "windows" {
		return name + ".zip"
	}
	return name + ".tar.gz"
}

// archive writes the archive of a binary: zip for Windows, tar elsewhere.
func (r *release) archive(b binary) error {
	program, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	contents := append([]file{{path: filepath.Base(b.path), mode: 0o755, data: program}}, r.files...)
	return r.create(r.archiveName(b.target), func(w io.Writer) error {
		if b.os == "windows" {
			return r.writeZip(w, contents)
		}
		return r.writeTar(w, contents)
	})
}

func (r *release) writeZip(w io.Writer, contents []file) error {
	z := zip.NewWriter(w)
	for _, f := range contents {
		to, err := z.CreateHeader(&zip.FileHeader{Name: f.path, Method: zip.Deflate, Modified: r.time})
		if err != nil {
			return err
		}
		if _, err := to.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}

func (r *release) writeTar(w io.Writer, contents []file) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for _, f := range contents {
		if err := r.addTar(t, f.path, f.mode, f.data); err != nil {
			return err
		}
	}
	return cmp.Or(t.Close(), z.Close())
}

func (r *release) addTar(t *tar.Writer, name string, mode int64, data []byte) error {
	if err := t.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(data)), ModTime: r.time}); err != nil {
		return err
	}
	_, err := t.Write(data)
	return err
}
