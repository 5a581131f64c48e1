package share

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// longestName bounds a name: it is part of a path.
const longestName = 64

// CheckName returns an error that says what is wrong with a name and what would be right,
// or nil. A name is one element of a path on every system.
func CheckName(name string) error {
	const known = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	if name == "" || len(name) > longestName || strings.Trim(name, known) != "" || strings.Contains("-_.", name[:1]) {
		return fmt.Errorf("the name %q: want 1 to %d of a-z, A-Z, 0-9, dot, dash and underscore, beginning with a letter or digit, such as db or api.example.com", name, longestName)
	}
	return nil
}

// place returns the folder of a name, which it makes if necessary.
func place(name string) (string, error) {
	home, err := home()
	if err == nil {
		err = private(home)
	}
	if err != nil {
		return "", err
	}
	dir := filepath.Join(home, name)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, nil
}

// home returns the folder that holds those of all names. It is the same for all processes
// of a user that have the same environment, and in memory where the system has such a place.
func home() (string, error) {
	if !owned {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		return filepath.Join(cache, "sweetspot", "share"), os.MkdirAll(filepath.Join(cache, "sweetspot"), 0o700)
	}
	// After sudo the variable may name the folder of another user.
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && ours(info) {
			return filepath.Join(dir, "sweetspot"), nil
		}
	}
	return filepath.Join(os.TempDir(), "sweetspot-"+strconv.Itoa(os.Getuid())), nil
}

// private makes a folder that only this user can use, or checks that it is one: anybody
// may have made it in a folder for temporary files.
func private(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder: remove it, or set XDG_RUNTIME_DIR or TMPDIR to another place", dir)
	case !owned:
		return nil
	case !ours(info):
		return fmt.Errorf("%s belongs to another user: set XDG_RUNTIME_DIR or TMPDIR to a folder of your own", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s is open to other users (mode %#o): want 0700", dir, info.Mode().Perm())
	}
	return nil
}
