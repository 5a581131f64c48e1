package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
)

// shelve puts a version of a module, whose files are packed, into a module proxy of files, whose
// protocol is that of go help goproxy. It returns the name of the zip file.
func shelve(proxy string, v module.Version, goMod, packed []byte, now time.Time) (name string, err error) {
	escaped, err := module.EscapePath(v.Path)
	if err != nil {
		return "", err
	}
	shelf := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(shelf, 0o755); err != nil {
		return "", err
	}
	info, err := json.Marshal(map[string]any{"Version": v.Version, "Time": now})
	if err != nil {
		return "", err
	}
	list, err := os.ReadFile(filepath.Join(shelf, "list"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	versions := strings.Fields(string(list))
	if !slices.Contains(versions, v.Version) {
		versions = append(versions, v.Version)
	}
	for name, data := range map[string][]byte{
		v.Version + ".mod": goMod, v.Version + ".info": info, v.Version + ".zip": packed,
		"list": []byte(strings.Join(versions, "\n") + "\n"),
	} {
		if err := os.WriteFile(filepath.Join(shelf, name), data, 0o644); err != nil {
			return "", err
		}
	}
	return filepath.Join(shelf, v.Version+".zip"), nil
}
