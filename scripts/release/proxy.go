package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
)

// A shelf is the place of one version of a module in a module proxy of files. The protocol is
// that of go help goproxy.
type shelf struct {
	dir     string
	version string
}

func newShelf(proxy string, v module.Version) (*shelf, error) {
	escaped, err := module.EscapePath(v.Path)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	return &shelf{dir, v.Version}, os.MkdirAll(dir, 0o755)
}

// put stores go.mod and what zip writes, and returns the name of the zip file.
func (s *shelf) put(goMod []byte, now time.Time, zip func(*os.File) error) (name string, err error) {
	info, err := json.Marshal(map[string]any{"Version": s.version, "Time": now})
	if err != nil {
		return "", err
	}
	name = s.name("zip")
	f, err := os.Create(name)
	if err != nil {
		return "", err
	}
	if err := zip(f); err != nil {
		f.Close()
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	if err := os.WriteFile(s.name("mod"), goMod, 0o644); err != nil {
		return "", err
	}
	if err := os.WriteFile(s.name("info"), info, 0o644); err != nil {
		return "", err
	}
	return name, s.list()
}

// list adds the version to those that the proxy offers.
func (s *shelf) list() error {
	name := filepath.Join(s.dir, "list")
	data, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	line := []byte(s.version + "\n")
	if bytes.Contains(append([]byte("\n"), data...), append([]byte("\n"), line...)) {
		return nil
	}
	return os.WriteFile(name, append(data, line...), 0o644)
}

func (s *shelf) name(kind string) string {
	return filepath.Join(s.dir, fmt.Sprintf("%s.%s", s.version, kind))
}

// hashFile returns the hash of a go.mod file as go.sum has it.
func hashFile(goMod []byte) (string, error) {
	return dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(goMod)), nil
	})
}
