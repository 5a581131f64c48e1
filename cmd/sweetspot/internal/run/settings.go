package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
)

// settingPrefix begins the environment variables that hold settings: the one of
// --keep-order is SWEETSPOT_RUN_KEEP_ORDER.
const settingPrefix = "SWEETSPOT_RUN_"

// A setting is the value of a flag that was not given: from the environment or
// from the file of settings.
type setting struct {
	flag   *flag
	value  string
	origin string // the variable, or the file and line
}

// configure gives the flags that are not on the command line the values of the
// environment, and those that are in neither the values of the file. It notes
// what came from where. A name that is not a flag's is an error: a setting that
// nothing heeds is a slip.
func (o *options) configure(set *pflag.FlagSet, environ []string) error {
	layer, err := environSettings(environ)
	if err != nil {
		return err
	}
	if err := o.apply(set, layer); err != nil {
		return err
	}
	path, wanted := o.config, flagOf("config").given(set)
	if !wanted {
		path = settingsPath()
	}
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	switch {
	case err == nil:
	case !wanted && absent(path):
		return nil
	default:
		return fmt.Errorf("cannot read the settings in %s: %w", path, bare(err))
	}
	if layer, err = fileSettings(path, string(text)); err != nil {
		return err
	}
	return o.apply(set, layer)
}

// apply gives the flags the values of a layer, but for those that a nearer one
// has set or excluded.
func (o *options) apply(set *pflag.FlagSet, layer []setting) error {
	layer = slices.DeleteFunc(layer, func(s setting) bool {
		return s.flag.given(set) || slices.ContainsFunc(s.flag.yields, func(name string) bool { return flagOf(name).given(set) })
	})
	for _, s := range layer {
		f := set.Lookup(s.flag.name)
		if err := f.Value.Set(s.value); err != nil {
			return fmt.Errorf("%s: %w", s.origin, err)
		}
		f.Changed = true
	}
	o.settings = append(o.settings, layer...)
	return nil
}

// environSettings returns the settings in the environment, in its order. An
// empty variable counts as none.
func environSettings(environ []string) ([]setting, error) {
	var layer []setting
	for _, e := range environ {
		key, value, _ := strings.Cut(e, "=")
		name, ours := strings.CutPrefix(key, settingPrefix)
		if !ours || value == "" {
			continue
		}
		f, err := settable(strings.ReplaceAll(strings.ToLower(name), "_", "-"))
		if err != nil {
			return nil, fmt.Errorf("%s in the environment: %w", key, err)
		}
		layer = append(layer, setting{f, value, key})
	}
	return layer, nil
}

// fileSettings reads a file of settings: lines of "name = value", where a switch
// may stand alone, and comments after #.
func fileSettings(path, text string) ([]setting, error) {
	var layer []setting
	for i, line := range slices.Collect(strings.Lines(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		origin := fmt.Sprintf("%s:%d", path, i+1)
		name, value, valued := strings.Cut(line, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		f, err := settable(strings.TrimPrefix(name, "--"))
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", origin, err)
		case f.name == "config":
			return nil, fmt.Errorf("%s: a file of settings names no other", origin)
		case valued && value == "":
			return nil, fmt.Errorf("%s: %s has no value after =", origin, f.name)
		case !valued && f.arg != "":
			return nil, fmt.Errorf("%s: %s has no value: want %s = %s", origin, f.name, f.name, f.arg)
		case !valued:
			value = "true"
		}
		layer = append(layer, setting{f, value, origin})
	}
	return layer, nil
}

func settable(name string) (*flag, error) {
	f := flagOf(name)
	switch {
	case f == nil:
		return nil, fmt.Errorf("there is no flag --%s to set; see sweetspot run --help", name)
	case f.bound:
		return nil, fmt.Errorf("--%s can only be given on the command line: it belongs to a single run", f.name)
	}
	return f, nil
}

// settingsPath returns where the file of settings is, or "" if there is no such place.
func settingsPath() string {
	dir, err := userDir("XDG_CONFIG_HOME", ".config", os.UserConfigDir)
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "run.conf")
}

// userDir returns the directory of our files by the XDG base directory specification: below
// the one that a variable names or, without it, one of the home. On Windows that is another.
func userDir(variable, ofHome string, onWindows func() (string, error)) (string, error) {
	dir := os.Getenv(variable)
	if !filepath.IsAbs(dir) { // the specification wants others ignored
		var err error
		if runtime.GOOS == "windows" {
			dir, err = onWindows()
		} else if dir, err = os.UserHomeDir(); err == nil {
			dir = filepath.Join(dir, ofHome)
		}
		if err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "sweetspot"), nil
}

// absent reports whether a file is not there, as far as we may see: with sudo,
// the home may be that of somebody else.
func absent(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR)
}

// settingsInForce says which flags have their values from elsewhere than the
// command line, or "".
func (o *options) settingsInForce() string {
	var all []string
	for _, s := range o.settings {
		all = append(all, fmt.Sprintf("--%s %s by %s", s.flag.name, quoteWord(s.value), s.origin))
	}
	return strings.Join(all, ", ")
}
