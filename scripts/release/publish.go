package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// A publication is a release that is ready to be tagged.
type publication struct {
	commit string
	tags   []string
}

// publish makes the commit of a release, beside the branch. It writes the modules to a module
// proxy as well unless that is "".
func (r *repository) publish(ctx context.Context, version, proxy string) (_ *publication, err error) {
	if semver.Canonical(version) != version || version == "" {
		return nil, fmt.Errorf("version %q: want a semantic version such as v0.1.0 or v0.2.0-rc.1", version)
	}
	if semver.Major(version) > "v1" {
		return nil, fmt.Errorf("version %s: from v2 on the paths of the modules have to end in it", version)
	}
	p := new(publication)
	list, err := modulesOf(r.dir)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		p.tags = append(p.tags, m.prefix()+version)
	}
	if err := r.ready(ctx, p.tags); err != nil {
		return nil, err
	}

	scratch, err := os.MkdirTemp("", "sweetspot-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	tree := filepath.Join(scratch, "tree")
	if _, err := git(ctx, r.dir, "worktree", "add", "--quiet", "--detach", tree, "HEAD"); err != nil {
		return nil, err
	}
	defer func() {
		_, gone := git(context.WithoutCancel(ctx), r.dir, "worktree", "remove", "--force", tree)
		err = errors.Join(err, gone)
	}()
	proxy = cmp.Or(proxy, filepath.Join(scratch, "proxy"))
	p.commit, err = commitRelease(ctx, tree, version, proxy)
	return p, err
}

// commitRelease turns a work tree into that of a release and commits it. It returns the commit.
func commitRelease(ctx context.Context, tree, version, proxy string) (string, error) {
	list, err := modulesOf(tree)
	if err != nil {
		return "", err
	}
	home, err := homeOf(ctx, tree)
	if err != nil {
		return "", err
	}
	now := time.Now().UTC().Truncate(time.Second)
	sums := map[string][]string{} // lines of go.sum, by module path
	for _, m := range list {
		// The hash of a module goes into go.sum of those that require it, which come later.
		if err := m.write(tree, version, sums); err != nil {
			return "", err
		}
		if _, err := git(ctx, tree, "add", "--all"); err != nil {
			return "", err
		}
		written, err := git(ctx, tree, "write-tree")
		if err != nil {
			return "", err
		}
		if sums[m.path()], err = m.store(home, written, version, proxy, now); err != nil {
			return "", err
		}
	}
	if _, err := git(ctx, tree, "commit", "--quiet", "--no-verify", "--message", "release "+version); err != nil {
		return "", err
	}
	return git(ctx, tree, "rev-parse", "HEAD")
}

// write writes go.mod, go.sum and the license of m as they are published.
func (m *moduleDir) write(tree, version string, sums map[string][]string) error {
	dir := filepath.Join(tree, filepath.FromSlash(m.dir))
	if err := m.pin(version); err != nil {
		return err
	}
	data, err := m.file.Format()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), data, 0o644); err != nil {
		return err
	}
	if err := m.writeSums(filepath.Join(dir, "go.sum"), sums); err != nil {
		return err
	}
	// The go command puts the license of the repository into modules that have none. Then
	// the hash would be another one than that of our zip.
	license, err := os.ReadFile(filepath.Join(tree, "LICENSE"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "LICENSE"), license, 0o644)
}

// writeSums adds the hashes of the modules of this repository that m requires.
func (m *moduleDir) writeSums(name string, sums map[string][]string) error {
	own := m.requires()
	if len(own) == 0 {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(data)), "\n"), func(line string) bool {
		path, _, _ := strings.Cut(line, " ")
		return line == "" || isOurs(path)
	})
	for _, r := range own {
		lines = append(lines, sums[r.Path]...)
	}
	slices.Sort(lines)
	return os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

// store puts m, as it is in a tree of the repository home, into a module proxy. It returns its lines
// of go.sum. Git says what the files of m are, as it does for the go command: a folder can have
// others, such as the .git of a work tree, and other ends of lines.
func (m *moduleDir) store(home, written, version, proxy string, now time.Time) (sums []string, err error) {
	v := module.Version{Path: m.path(), Version: version}
	data, err := m.file.Format()
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	if err := zip.CreateFromVCS(&packed, v, home, written, strings.TrimSuffix(m.prefix(), "/")); err != nil {
		return nil, err
	}
	name, err := shelve(proxy, v, data, packed.Bytes(), now)
	if err != nil {
		return nil, err
	}
	whole, err := dirhash.HashZip(name, dirhash.Hash1)
	if err != nil {
		return nil, err
	}
	open := func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	file, err := dirhash.Hash1([]string{"go.mod"}, open)
	if err != nil {
		return nil, err
	}
	return []string{
		fmt.Sprintf("%s %s %s", v.Path, v.Version, whole),
		fmt.Sprintf("%s %s/go.mod %s", v.Path, v.Version, file),
	}, nil
}
