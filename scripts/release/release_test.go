package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/modfile"
)

// copyRepository returns a repository of its own with the files of this one as they are in
// the work tree.
func copyRepository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	top, err := git(t.Context(), ".", "rev-parse", "--show-toplevel")
	if err != nil {
		t.Skip("not in a Git repository: ", err)
	}
	list, err := git(t.Context(), top, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimRight(list, "\x00"), "\x00") {
		copyFile(t, filepath.Join(top, name), filepath.Join(dir, name))
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch", "main"},
		{"config", "user.name", "release test"},
		{"config", "user.email", "test@example.com"},
		{"add", "--all"},
		{"commit", "--quiet", "--message", "all"},
	} {
		if _, err := git(t.Context(), dir, args...); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// copyFile copies a file; one that is not there any more, since a change deletes it, is left
// out.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Lstat(from)
	if os.IsNotExist(err) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if !info.Mode().IsRegular() {
		t.Fatalf("%s is not a regular file: a module cannot have it", from)
	}
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
}

func TestRelease(t *testing.T) {
	repo, proxy := copyRepository(t), t.TempDir()
	before, err := git(t.Context(), repo, "rev-parse", "main")
	if err != nil {
		t.Fatal(err)
	}

	var out bytes.Buffer
	if err := run(t.Context(), []string{"-C", repo, "-version", "v0.1.0", "-proxy", proxy, "-dry-run"}, &out); err != nil {
		t.Fatal(err)
	}
	if tags, err := git(t.Context(), repo, "tag"); tags != "" || err != nil {
		t.Errorf("a dry run made the tags %q (%v)", tags, err)
	}
	out.Reset()
	if err := run(t.Context(), []string{"-C", repo, "-version", "v0.1.0", "-proxy", proxy}, &out); err != nil {
		t.Fatal(err)
	}

	for query, want := range map[string]string{
		"rev-parse main":     before,
		"status --porcelain": "",
		"branch --list":      "* main",
	} {
		got, err := git(t.Context(), repo, strings.Fields(query)...)
		if got != want || err != nil {
			t.Errorf("after the release, git %s: %q (%v), want %q", query, got, err, want)
		}
	}
	if trees, err := git(t.Context(), repo, "worktree", "list"); strings.Count(trees, "\n") != 0 || err != nil {
		t.Errorf("work trees are left: %s (%v)", trees, err)
	}
	if !strings.Contains(out.String(), "git push origin v0.1.0 ") {
		t.Errorf("the output does not say what to push:\n%s", &out)
	}
	sums := sumsOf(t, repo)
	for _, dir := range published {
		checkPublished(t, repo, dir, sums)
	}

	err = run(t.Context(), []string{"-C", repo, "-version", "v0.1.0"}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("a second release of a version: %v, want an error that says that its tags exist", err)
	}
}

// sumsOf returns the hashes of the modules by their paths, as the go command finds them when it takes
// the modules from the tags of a repository.
func sumsOf(t *testing.T, repo string) map[string]string {
	t.Helper()
	args := []string{"mod", "download", "-json"}
	for _, dir := range published {
		args = append(args, path.Join(rootPath, dir)+"@v0.1.0")
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GOFLAGS=-modcacherw", "GOWORK=off", "GOPROXY=direct", "GOSUMDB=off", "GOMODCACHE="+t.TempDir(),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+filepath.ToSlash(repo)+".insteadOf", "GIT_CONFIG_VALUE_0=https://"+rootPath)
	out, err := cmd.Output()
	sums := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var m struct{ Path, Sum, Error string }
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		if m.Error != "" {
			t.Error(m.Error)
		}
		sums[m.Path] = m.Sum
	}
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// checkPublished checks the go.mod and go.sum of a module at its tag.
func checkPublished(t *testing.T, repo, dir string, sums map[string]string) {
	t.Helper()
	tag, name := "v0.1.0", "go.mod"
	if dir != "." {
		tag, name = dir+"/v0.1.0", dir+"/go.mod"
	}
	data, err := git(t.Context(), repo, "show", tag+":"+name)
	if err != nil {
		t.Error(err)
		return
	}
	file, err := modfile.Parse(name, []byte(data), nil)
	if err != nil {
		t.Error(err)
		return
	}
	if len(file.Replace) > 0 {
		t.Errorf("%s replaces %v: go install refuses it", tag, file.Replace[0].Old)
	}
	for _, r := range file.Require {
		if !isOurs(r.Mod.Path) {
			continue
		}
		if r.Mod.Version != "v0.1.0" {
			t.Errorf("%s requires %v, want v0.1.0", tag, r.Mod)
		}
		list, err := git(t.Context(), repo, "show", tag+":"+path.Join(dir, "go.sum"))
		if line := r.Mod.Path + " v0.1.0 " + sums[r.Mod.Path]; err != nil || !slices.Contains(strings.Split(list, "\n"), line) {
			t.Errorf("%s: go.sum lacks %q (%v)", tag, line, err)
		}
	}
}

// TestTagsAllOrNone ends a context when the first of many tags is there.
func TestTagsAllOrNone(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	r := &repository{t.TempDir()}
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"config", "user.name", "release test"},
		{"config", "user.email", "test@example.com"},
		{"commit", "--quiet", "--allow-empty", "--message", "all"},
		{"tag", "of-others"},
		{"commit", "--quiet", "--allow-empty", "--message", "release"},
	} {
		if _, err := git(t.Context(), r.dir, args...); err != nil {
			t.Fatal(err)
		}
	}
	commit, err := git(t.Context(), r.dir, "rev-parse", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	p := &publication{commit: commit}
	for i := range 300 {
		p.tags = append(p.tags, fmt.Sprintf("module%d/v0.1.0", i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var watch sync.WaitGroup
	watch.Go(func() {
		for ctx.Err() == nil {
			if made, err := git(ctx, r.dir, "tag", "--list", "module0/*"); made != "" || err != nil {
				cancel()
			}
		}
	})
	failed := r.tag(ctx, p)
	cancel()
	watch.Wait()
	left, err := git(t.Context(), r.dir, "tag", "--list")
	if failed != nil && left != "of-others" || err != nil {
		t.Errorf("after %v the tags are %q (%v), want of-others only", failed, left, err)
	}
}

func TestReleaseRefuses(t *testing.T) {
	repo := copyRepository(t)
	for version, want := range map[string]string{
		"":       "semantic version",
		"0.1.0":  "semantic version",
		"v0.1":   "semantic version",
		"v2.0.0": "v2",
	} {
		err := run(t.Context(), []string{"-C", repo, "-version", version}, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("version %q: %v, want an error with %q", version, err, want)
		}
	}
	if err := os.WriteFile(filepath.Join(repo, "new.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	err := run(t.Context(), []string{"-C", repo, "-version", "v0.1.0"}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "new.txt") {
		t.Errorf("with a new file: %v, want an error that names it", err)
	}
}
