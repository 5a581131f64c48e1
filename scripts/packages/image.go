package main

import (
	"archive/tar"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// image writes a container image for all binaries, as a tar of an OCI layout. It has nothing but
// the command and the licenses: that is enough for sweetspot queue serve, and for COPY --from in another image.
func (r *release) image(binaries []binary) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range binaries {
		image, err := r.imageOf(b)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: b.os, Architecture: b.arch}},
		})
	}
	// The layout names one index, of which each image is for one system.
	dir := filepath.Join(r.scratch, "image")
	l, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	if err := l.AppendIndex(index); err != nil {
		return err
	}
	return r.create("sweetspot_"+r.version+"_oci.tar", func(w io.Writer) error {
		t := tar.NewWriter(w)
		files := os.DirFS(dir)
		err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(files, name)
			if err != nil {
				return err
			}
			return r.addTar(t, name, 0o644, data)
		})
		if err != nil {
			return err
		}
		return t.Close()
	})
}

func (r *release) imageOf(b binary) (v1.Image, error) {
	program, err := os.ReadFile(b.path)
	if err != nil {
		return nil, err
	}
	var files bytes.Buffer
	t := tar.NewWriter(&files)
	if err := r.addTar(t, "usr/bin/sweetspot", 0o755, program); err != nil {
		return nil, err
	}
	for _, f := range r.files {
		if strings.HasPrefix(f.path, "LICENSE") {
			if err := r.addTar(t, strings.TrimPrefix(f.system, "/"), f.mode, f.data); err != nil {
				return nil, err
			}
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.AppendLayers(base, layer)
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = b.os, b.arch, v1.Time{Time: r.time}
	config.Config = v1.Config{
		Entrypoint: []string{"/usr/bin/sweetspot"},
		Env:        []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		Labels: map[string]string{
			"org.opencontainers.image.source":      homepage,
			"org.opencontainers.image.version":     r.version,
			"org.opencontainers.image.description": description,
			"org.opencontainers.image.licenses":    "MIT",
		},
	}
	return mutate.ConfigFile(image, config)
}
