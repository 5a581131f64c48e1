package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

type target struct{ os, arch string }

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

func (t target) String() string { return t.os + "_" + t.arch }

type binary struct {
	target
	path string
	info *buildinfo.BuildInfo
}

// A release is what the files of the folder dist are made of.
type release struct {
	dist, scratch string
	version       string // without the v
	time          time.Time
	binaries      []binary
	files         []file // beside the binary
}

// build builds the command for the targets, and the files that come with it.
func build(ctx context.Context, repo, dist string, list []target) (_ *release, err error) {
	r := &release{dist: dist}
	if r.scratch, err = os.MkdirTemp("", "sweetspot-packages-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(r.scratch)
		}
	}()
	for _, t := range list {
		b, err := buildOne(ctx, repo, r.scratch, t)
		if err != nil {
			return nil, err
		}
		r.binaries = append(r.binaries, b)
	}
	here := slices.IndexFunc(r.binaries, func(b binary) bool { return b.target == target{runtime.GOOS, runtime.GOARCH} })
	if here < 0 {
		return nil, fmt.Errorf("%s_%s is not among the systems to build for: the manual is written by the command itself", runtime.GOOS, runtime.GOARCH)
	}
	info := r.binaries[here].info
	version := info.Main.Version
	if !strings.HasPrefix(version, "v") {
		return nil, fmt.Errorf("the command says its version is %q: build it in a clone, where Git knows the commit", version)
	}
	r.version = version[1:]
	at := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs.time" })
	if at < 0 {
		return nil, errors.New("the command does not know the time of its commit: build it in a clone, where Git knows it")
	}
	if r.time, err = time.Parse(time.RFC3339, info.Settings[at].Value); err != nil {
		return nil, err
	}
	if r.files, err = extras(ctx, repo, r.scratch, r.binaries[here].path); err != nil {
		return nil, err
	}
	licenses, err := r.licenses(ctx, repo)
	r.files = append(r.files, licenses)
	return r, err
}

func buildOne(ctx context.Context, repo, scratch string, t target) (b binary, err error) {
	b = binary{target: t, path: filepath.Join(scratch, t.String(), "sweetspot")}
	if t.os == "windows" {
		b.path += ".exe"
	}
	// The flags of the environment may switch off what records the version.
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=true", "-trimpath", "-ldflags=-s -w", "-o", b.path, ".")
	cmd.Dir = filepath.Join(repo, "cmd", "sweetspot")
	cmd.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return b, fmt.Errorf("build for %s: %w\n%s", t, err, out)
	}
	b.info, err = buildinfo.ReadFile(b.path)
	return b, err
}
