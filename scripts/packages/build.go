package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
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
	if r.time, err = commitTime(ctx, repo); err != nil {
		return nil, err
	}
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
	version := r.binaries[here].info.Main.Version
	if !strings.HasPrefix(version, "v") {
		return nil, fmt.Errorf("the command says its version is %q: build it in a clone, where Git knows the commit", version)
	}
	r.version = version[1:]
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

func commitTime(ctx context.Context, repo string) (time.Time, error) {
	cmd := exec.CommandContext(ctx, "git", "log", "-1", "--format=%ct")
	cmd.Dir = repo
	out, err := cmd.Output()
	if err != nil {
		return time.Time{}, fmt.Errorf("git log: %w: packages are built in a clone", err)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}
