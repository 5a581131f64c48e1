package main

import (
	"archive/tar"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

var useReal = flag.Bool("real", false, "build the packages of this system and use them: takes minutes")

// mostBytes is what the command may take on the disk.
const mostBytes = 35_000_000

// TestReal builds the packages for this system from the last commit, installs the deb below a
// folder of its own, and uses it.
func TestReal(t *testing.T) {
	if !*useReal {
		t.Skip("takes minutes: make check-packages runs it")
	}
	repo, dist := clone(t), filepath.Join(t.TempDir(), "dist")
	if err := run(t.Context(), []string{"-C", repo, "-o", dist, "-here"}, io.Discard); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "linux" {
		return
	}
	t.Run("image", func(t *testing.T) { checkImage(t, filepath.Join(dist, "sweetspot_0.1.0_oci.tar")) })
	t.Run("deb", func(t *testing.T) { checkDeb(t, filepath.Join(dist, "sweetspot_0.1.0_"+runtime.GOARCH+".deb")) })
}

// clone clones the repository and gives its commit a tag.
func clone(t *testing.T) string {
	t.Helper()
	top := strings.TrimSpace(output(t, "git", "rev-parse", "--show-toplevel"))
	dir := filepath.Join(t.TempDir(), "clone")
	output(t, "git", "clone", "--quiet", "--no-tags", top, dir)
	output(t, "git", "-C", dir, "-c", "user.name=test", "-c", "user.email=test@example.com",
		"tag", "--annotate", "--message", "test", "cmd/sweetspot/v0.1.0")
	return dir
}

// output runs a command and returns what it prints.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func checkDeb(t *testing.T, deb string) {
	root := installed(t, deb)
	command := filepath.Join(root, "usr/bin/sweetspot")
	if got := output(t, command, "--version"); !strings.HasPrefix(got, "sweetspot v0.1.0 ") {
		t.Errorf("sweetspot --version: %q, want v0.1.0", got)
	}
	if got := output(t, command, "run", "-k", "echo", ":::", "1", "2"); got != "1\n2\n" {
		t.Errorf("sweetspot run -k echo ::: 1 2: %q", got)
	}
	if got := output(t, "cat", filepath.Join(root, "usr/share/doc/sweetspot/LICENSES.txt")); !strings.Contains(got, "github.com/nats-io/nats-server/v2 v") {
		t.Errorf("the licenses lack that of the server of queues:\n%.500s", got)
	}
	info, err := os.Stat(command)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > mostBytes {
		t.Errorf("the command has %d bytes, want at most %d", info.Size(), mostBytes)
	}
	if got := output(t, "bash", "-c", `. "$1"; complete -p sweetspot`, "-", filepath.Join(root, "usr/share/bash-completion/completions/sweetspot")); !strings.Contains(got, "__start_sweetspot") {
		t.Errorf("completion of bash: %q", got)
	}
	if _, err := exec.LookPath("man"); err != nil {
		lacks(t, "man")
	}
	t.Setenv("MANPAGER", "cat")
	if got := output(t, "man", "-l", filepath.Join(root, "usr/share/man/man1/sweetspot-run.1")); !strings.Contains(got, "--jobs") {
		t.Errorf("the manual page of run does not name --jobs:\n%s", got)
	}
}

// installed installs a deb below a folder of its own, which it returns. Only root may have dpkg
// do that; for others the files are unpacked.
func installed(t *testing.T, deb string) string {
	t.Helper()
	if _, err := exec.LookPath("dpkg"); err != nil {
		lacks(t, "dpkg")
	}
	root := t.TempDir()
	if os.Geteuid() != 0 {
		output(t, "dpkg-deb", "--extract", deb, root)
		return root
	}
	admin := filepath.Join(root, "var/lib/dpkg")
	if err := errors.Join(os.MkdirAll(filepath.Join(admin, "updates"), 0o755), os.Mkdir(filepath.Join(admin, "info"), 0o755), os.WriteFile(filepath.Join(admin, "status"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	// Images of containers are often set up to leave manual pages out.
	output(t, "dpkg", "--root="+root, "--log="+filepath.Join(root, "log"), "--path-include=/usr/share/*", "--install", deb)
	return root
}

// lacks skips the test, or fails it where CI is set.
func lacks(t *testing.T, program string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("there is no %s: make deps installs it", program)
	}
	t.Skipf("there is no %s: make deps installs it", program)
}

// checkImage checks the digests of a container image.
func checkImage(t *testing.T, name string) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dir := t.TempDir()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		to := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
}
