package record

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// commandSource is added to a main package.
//
//go:embed support/command.txt
var commandSource string

// A program is a main package with the arguments of the command.
type program struct {
	pkg     *goPackage
	what    []string // the package, or its files, for the go command
	args    []string
	flags   []string          // of go run
	dirs    map[string]string // of the packages of the user's module in it
	dir     string            // of what is built and recorded
	wrapped []string          // what, with the file that records
	binary  string
}

// program finds out what the words of the command name.
func (r *recorder) program(ctx context.Context) (*program, error) {
	p := &program{what: r.Command[:1], args: r.Command[1:]}
	first := r.Command[0]
	if first == "go" {
		if len(r.Command) < 2 || r.Command[1] != "run" {
			return nil, fmt.Errorf("the command begins with go, but not with go run: want go run and a main package, or the package alone")
		}
		if err := p.takeRun(r.Command[2:]); err != nil {
			return nil, err
		}
	} else if info, err := os.Stat(filepath.Join(r.Dir, first)); err == nil && info.IsDir() || filepath.IsAbs(first) && isDir(first) {
		if !filepath.IsAbs(first) && !strings.HasPrefix(first, ".") {
			p.what = []string{"./" + first} // for the go command it were an import path
		}
	} else if _, err := exec.LookPath(first); err == nil || info != nil {
		return nil, fmt.Errorf("%s is a program that is built already, and nothing can be recorded in it: name its main package, as in -- ./cmd/%s, or go run and that", first, filepath.Base(first))
	}
	r.step("look at %s", strings.Join(p.what, " "))
	pkgs, err := r.list(ctx, append([]string{"--"}, p.what...)...)
	if err != nil {
		return nil, fmt.Errorf("%s is not a package that the go command finds: want the directory or the import path of a main package, or go run and that: %w", strings.Join(p.what, " "), err)
	}
	if len(pkgs) != 1 {
		return nil, fmt.Errorf("%s is %d packages, want one main package", strings.Join(p.what, " "), len(pkgs))
	}
	if p.pkg = pkgs[0]; p.pkg.Name != "main" {
		return nil, fmt.Errorf("%s is package %s, want a main package: to record a library, name its benchmarks by --bench", strings.Join(p.what, " "), p.pkg.Name)
	}
	p.dirs, err = r.userPackages(ctx, p.pkg, append([]string{"--"}, p.what...)...)
	return p, err
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// switches are the flags of go run that take no value.
var switches = []string{"a", "asan", "cover", "linkshared", "modcacherw", "msan", "n", "race", "trimpath", "v", "work", "x"}

// takeRun takes the words after go run apart: flags, a package or files, arguments.
func (p *program) takeRun(words []string) error {
	at := 0
	for ; at < len(words) && strings.HasPrefix(words[at], "-"); at++ {
		name, _, valued := strings.Cut(strings.TrimLeft(words[at], "-"), "=")
		switch {
		case slices.Contains([]string{"exec", "overlay", "n", "cover"}, name):
			return fmt.Errorf("go run -%s cannot be recorded: leave it out", name)
		case name == "C":
			return errors.New("go run -C cannot be recorded: change to the directory first")
		}
		p.flags = append(p.flags, words[at])
		if !valued && !slices.Contains(switches, name) && at+1 < len(words) {
			at++
			p.flags = append(p.flags, words[at])
		}
	}
	end := at
	for end < len(words) && strings.HasSuffix(words[end], ".go") {
		end++
	}
	if end == at {
		end++
	}
	if end > len(words) {
		return errors.New("go run names no package: want a main package, or its files")
	}
	p.what, p.args = words[at:end], words[end:]
	if name, _, is := strings.Cut(p.what[0], "@"); is {
		return fmt.Errorf("%s has a version, and what is recorded must be source at hand: leave the version out in a module that requires it, or clone %s", p.what[0], name)
	}
	return nil
}

func (r *recorder) build(ctx context.Context, p *program) error {
	var err error
	if p.dir, err = os.MkdirTemp(r.place, "command-"); err != nil {
		return err
	}
	replace := map[string]string{}
	wraps := 0
	for i, name := range slices.Concat(p.pkg.GoFiles, p.pkg.CgoFiles) {
		path := filepath.Join(p.pkg.Dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		wrapped, main, err := wrap(path, text)
		if err != nil {
			return err
		}
		if main {
			wraps++
		}
		if string(wrapped) != string(text) {
			to := filepath.Join(p.dir, fmt.Sprintf("%d.go", i))
			if err := os.WriteFile(to, wrapped, 0o666); err != nil {
				return err
			}
			replace[path] = to
		}
	}
	if wraps != 1 {
		return fmt.Errorf("%s has %d functions main, want one", p.pkg.ImportPath, wraps)
	}
	added := filepath.Join(p.dir, "recorder.go")
	if err := os.WriteFile(added, []byte(commandSource), 0o666); err != nil {
		return err
	}
	name := filepath.Join(p.pkg.Dir, "sweetspot_recorder.go")
	replace[name] = added
	p.wrapped = p.what
	if strings.HasSuffix(p.what[0], ".go") {
		p.wrapped = append(slices.Clone(p.what), filepath.Join(filepath.Dir(p.what[0]), filepath.Base(name)))
	}
	if err := writeOverlay(filepath.Join(p.dir, "overlay.json"), replace); err != nil {
		return err
	}
	p.binary = filepath.Join(p.dir, "program.exe")
	args := []string{"-overlay=" + filepath.Join(p.dir, "overlay.json"), "-o=" + p.binary, "--"}
	_, err = r.goCommand(ctx, "build", append(args, p.wrapped...)...)
	return err
}
