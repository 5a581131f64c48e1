package share_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/share"
)

func TestCheckName(t *testing.T) {
	for _, name := range []string{"db", "api.example.com", "0", "A_b-c.9", strings.Repeat("x", 64)} {
		if err := share.CheckName(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", ".", "..", ".db", "-rf", "_", "a/b", `a\b`, "../x", "a b", "a\x00b", "a\n", "ä", "c:", "*", strings.Repeat("x", 65)} {
		if err := share.CheckName(name); err == nil || !strings.Contains(err.Error(), "want 1 to 64 of a-z") {
			t.Errorf("%q: %v, want an error that says what would be right", name, err)
		}
		if _, err := share.Open(name); err == nil {
			t.Errorf("%q can be opened", name)
		}
	}
}

// isolated gives the test places of its own and returns them.
func isolated(t *testing.T) (runtimeDir, tempDir string) {
	runtimeDir, tempDir = t.TempDir(), t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", runtimeDir)
	t.Setenv("TMPDIR", tempDir)
	t.Setenv("LocalAppData", runtimeDir) // Windows
	return runtimeDir, tempDir
}

func TestPlaces(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("such places do not exist here")
	}
	open := func() string {
		t.Helper()
		f, err := share.Open("db")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return filepath.Dir(f.File())
	}
	runtimeDir, tempDir := isolated(t)
	if got, want := open(), filepath.Join(runtimeDir, "sweetspot", "db"); got != want {
		t.Errorf("they meet in %s, want %s", got, want)
	}
	for _, none := range []string{"", "not/absolute", filepath.Join(runtimeDir, "absent")} {
		t.Setenv("XDG_RUNTIME_DIR", none)
		if got := open(); !strings.HasPrefix(got, filepath.Join(tempDir, "sweetspot-")) || filepath.Base(got) != "db" {
			t.Errorf("XDG_RUNTIME_DIR=%q: they meet in %s, want db below %s", none, got, tempDir)
		}
	}
	if os.Getuid() == 0 { // as after sudo -E
		if err := os.Chown(runtimeDir, 12345, -1); err != nil {
			t.Fatal(err)
		}
		t.Setenv("XDG_RUNTIME_DIR", runtimeDir)
		if got := open(); !strings.HasPrefix(got, tempDir) {
			t.Errorf("they meet in %s, in the folder of another user", got)
		}
	}
}

// A folder that others could write in is refused.
func TestPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a profile belongs to its user")
	}
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, make := range map[string]func(path string) error{
		"is not a folder":                    func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"is not a folder: remove it":         func(p string) error { return os.Symlink(dir, p) },
		"is open to other users (mode 0755)": func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.Chmod(p, 0o755)) },
		"is open to other users (mode 0770)": func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.Chmod(p, 0o770)) },
		"belongs to another user": func(p string) error {
			if os.Getuid() != 0 {
				return os.ErrPermission
			}
			if err := os.Mkdir(p, 0o700); err != nil {
				return err
			}
			return os.Chown(p, 12345, -1)
		},
	} {
		p := path(strings.ReplaceAll(name, " ", "-"))
		if err := make(p); err != nil {
			t.Logf("%s cannot be tried: %v", name, err)
			continue
		}
		if err := share.Private(p); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), p) {
			t.Errorf("%v, want an error with %q", err, name)
		}
	}
	for range 2 {
		if err := share.Private(path("fine")); err != nil {
			t.Error(err)
		}
	}
	if err := share.Private(path("absent/fine")); err == nil {
		t.Error("a folder in one that is not there can be made")
	}
}

// The error names the folder.
func TestOpenWhereNothingCanBeWritten(t *testing.T) {
	isolated(t)
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", "/dev/null")
	t.Setenv("LocalAppData", "")
	if _, err := share.Open("db"); err == nil || !strings.Contains(err.Error(), `cannot share "db"`) {
		t.Errorf("%v, want an error that says what cannot be shared", err)
	}
}
