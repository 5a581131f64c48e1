package main

import (
	"archive/tar"
	"archive/zip"
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
	return r.create(r.archiveName(b.target), func(w io.Writer) error {
		if b.os == "windows" {
			return r.writeZip(w, filepath.Base(b.path), program)
		}
		z := gzip.NewWriter(w)
		if err := r.writeTar(z, filepath.Base(b.path), program); err != nil {
			return err
		}
		return z.Close()
	})
}

func (r *release) writeZip(w io.Writer, name string, program []byte) error {
	z := zip.NewWriter(w)
	add := func(name string, data []byte) error {
		f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: r.time})
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	}
	if err := add(name, program); err != nil {
		return err
	}
	for _, f := range r.files {
		if err := add(f.path, f.data); err != nil {
			return err
		}
	}
	return z.Close()
}

func (r *release) writeTar(w io.Writer, name string, program []byte) error {
	t := tar.NewWriter(w)
	if err := r.addTar(t, name, 0o755, program); err != nil {
		return err
	}
	for _, f := range r.files {
		if err := r.addTar(t, f.path, 0o644, f.data); err != nil {
			return err
		}
	}
	return t.Close()
}

func (r *release) addTar(t *tar.Writer, name string, mode int64, data []byte) error {
	if err := t.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(data)), ModTime: r.time}); err != nil {
		return err
	}
	_, err := t.Write(data)
	return err
}
