package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// packed packs made-up binaries for all targets and returns the folder.
func packed(t *testing.T) string {
	t.Helper()
	r := &release{
		dist: t.TempDir(), scratch: t.TempDir(), version: "1.2.3-rc.1",
		time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		files: []file{
			{"man/man1/sweetspot.1", 0o644, "/usr/share/man/man1/sweetspot.1", []byte(".TH\n")},
			{"completions/sweetspot.ps1", 0o644, "", []byte("#\n")},
		},
	}
	info := &buildinfo.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "example.com/sweetspot", Version: "v1.2.3-rc.1"}}
	info.Deps = []*debug.Module{{Path: "example.com/other", Version: "v0.4.0"}, {Path: "example.com/ours", Version: "(devel)"}}
	for _, at := range targets {
		name := filepath.Join(r.scratch, at.String(), "sweetspot")
		if at.os == "windows" {
			name += ".exe"
		}
		if err := errors.Join(os.Mkdir(filepath.Dir(name), 0o755), os.WriteFile(name, []byte("program for "+at.String()), 0o755)); err != nil {
			t.Fatal(err)
		}
		r.binaries = append(r.binaries, binary{at, name, info})
	}
	if err := errors.Join(r.pack(), r.sums(io.Discard)); err != nil {
		t.Fatal(err)
	}
	return r.dist
}

func TestPack(t *testing.T) {
	dist := packed(t)
	var names []string
	for line := range strings.Lines(read(t, dist, sumsName)) {
		names = append(names, strings.Fields(line)[1])
	}
	want := []string{
		"sweetspot-1.2.3~rc.1-1.aarch64.rpm",
		"sweetspot-1.2.3~rc.1-1.x86_64.rpm",
		"sweetspot.rb",
		"sweetspot_1.2.3-rc.1_darwin_amd64.cdx.json",
		"sweetspot_1.2.3-rc.1_darwin_amd64.tar.gz",
		"sweetspot_1.2.3-rc.1_darwin_arm64.cdx.json",
		"sweetspot_1.2.3-rc.1_darwin_arm64.tar.gz",
		"sweetspot_1.2.3-rc.1_linux_amd64.cdx.json",
		"sweetspot_1.2.3-rc.1_linux_amd64.tar.gz",
		"sweetspot_1.2.3-rc.1_linux_arm64.cdx.json",
		"sweetspot_1.2.3-rc.1_linux_arm64.tar.gz",
		"sweetspot_1.2.3-rc.1_oci.tar",
		"sweetspot_1.2.3-rc.1_windows_amd64.cdx.json",
		"sweetspot_1.2.3-rc.1_windows_amd64.zip",
		"sweetspot_1.2.3-rc.1_windows_arm64.cdx.json",
		"sweetspot_1.2.3-rc.1_windows_arm64.zip",
		"sweetspot_1.2.3~rc.1_amd64.deb",
		"sweetspot_1.2.3~rc.1_arm64.deb",
	}
	if !slices.Equal(names, want) {
		t.Errorf("files %q, want %q", names, want)
	}
	inArchive := []string{"completions/sweetspot.ps1", "man/man1/sweetspot.1", "sweetspot"}
	if got := tarNames(t, filepath.Join(dist, "sweetspot_1.2.3-rc.1_darwin_arm64.tar.gz")); !slices.Equal(got, inArchive) {
		t.Errorf("in the tar: %q, want %q", got, inArchive)
	}
	inArchive[2] = "sweetspot.exe"
	if got := zipNames(t, filepath.Join(dist, "sweetspot_1.2.3-rc.1_windows_amd64.zip")); !slices.Equal(got, inArchive) {
		t.Errorf("in the zip: %q, want %q", got, inArchive)
	}
	if bom := read(t, dist, "sweetspot_1.2.3-rc.1_linux_arm64.cdx.json"); !strings.Contains(bom, "pkg:golang/example.com/other@v0.4.0") || !strings.Contains(bom, "pkg:golang/example.com/ours@v1.2.3-rc.1") {
		t.Errorf("the bill of materials lacks a module:\n%s", bom)
	}
	if formula := read(t, dist, "sweetspot.rb"); strings.Count(formula, "sha256 ") != 4 || !strings.Contains(formula, "/v1.2.3-rc.1/sweetspot_1.2.3-rc.1_linux_arm64.tar.gz") {
		t.Errorf("the formula does not have the four archives:\n%s", formula)
	}
}

// TestPackAgain checks that packing the same twice makes the same files.
func TestPackAgain(t *testing.T) {
	if a, b := read(t, packed(t), sumsName), read(t, packed(t), sumsName); a != b {
		t.Errorf("checksums\n%s\nand then\n%s", a, b)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// tarNames returns the sorted names in a tar.gz.
func tarNames(t *testing.T, name string) (names []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			slices.Sort(names)
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
}

// zipNames returns the sorted names in a zip.
func zipNames(t *testing.T, name string) (names []string) {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}

// TestLicenses looks for those of Go, and of the modules that a binary names.
func TestLicenses(t *testing.T) {
	r := &release{binaries: []binary{{info: &buildinfo.BuildInfo{Deps: []*debug.Module{
		{Path: "github.com/spf13/cobra", Version: "v1.0.0"}, {Path: "example.com/ours", Version: "(devel)"},
	}}}}}
	f, err := r.licenses(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Go, LICENSE\n\nCopyright 2009 The Go Authors", "\ngithub.com/spf13/cobra v1.", "Apache License"} {
		if !strings.Contains(string(f.data), want) {
			t.Errorf("no %q in the licenses:\n%s", want, f.data)
		}
	}
	r.binaries[0].info.Deps[0].Path = "example.com/unknown"
	if _, err := r.licenses(t.Context(), "../.."); err == nil {
		t.Error("no error for a module that is not there")
	}
	if err := appendLicenses(new(bytes.Buffer), "example.com/none", t.TempDir()); err == nil || !strings.Contains(err.Error(), "example.com/none has no license") {
		t.Errorf("a module without a license: %v", err)
	}
}

func TestDistIsNotEmptied(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	err := run(t.Context(), []string{"-o", dir}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "choose another folder") {
		t.Errorf("a folder with files of others: %v, want an error", err)
	}
}
