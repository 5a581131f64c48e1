package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

const (
	homepage    = "https://github.com/sweetspot-go/sweetspot"
	description = "run jobs, as many at a time as is fastest, found by measuring"
)

// systemPackages writes the deb and the rpm of a binary for Linux.
func (r *release) systemPackages(b binary) error {
	contents, err := r.contents(b)
	if err != nil {
		return err
	}
	for _, format := range []nfpm.Packager{deb.Default, rpm.DefaultRPM} {
		info := nfpm.WithDefaults(&nfpm.Info{
			Name:        "sweetspot",
			Arch:        b.arch,
			Platform:    "linux",
			Version:     r.version,
			Section:     "utils",
			Maintainer:  "the sweetspot authors <" + homepage + ">",
			Description: description,
			Homepage:    homepage,
			License:     "MIT",
			MTime:       r.time,
			Overridables: nfpm.Overridables{
				Contents: contents,
				RPM:      nfpm.RPM{BuildHost: "localhost"}, // else the name of this machine
			},
		})
		name := format.ConventionalFileName(info)
		if err := r.create(name, func(w io.Writer) error { return format.Package(info, w) }); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) contents(b binary) (files.Contents, error) {
	at := func(source, destination string, mode os.FileMode) *files.Content {
		return &files.Content{Source: source, Destination: destination, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: r.time}}
	}
	list := files.Contents{at(b.path, "/usr/bin/sweetspot", 0o755)}
	for _, f := range r.files {
		if f.system == "" {
			continue
		}
		source := filepath.Join(r.scratch, "extras", filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(source), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(source, f.data, 0o644); err != nil {
			return nil, err
		}
		list = append(list, at(source, f.system, 0o644))
	}
	return list, nil
}
