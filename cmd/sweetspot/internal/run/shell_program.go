package run

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
)

// foreignShells read a line in another way than POSIX says: in them "${1}" is not the
// value, or would be read as text of the line.
var foreignShells = []string{"cmd", "csh", "elvish", "fish", "nu", "powershell", "pwsh", "rc", "tcsh", "xonsh"}

// parseShell reads the name or the path of a shell.
func parseShell(name string) (string, error) {
	if name == "" {
		return "", errors.New("the name is empty: want a shell, such as bash")
	}
	if base := shellName(name); base != shellName(defaultShell) && slices.Contains(foreignShells, base) {
		return "", fmt.Errorf(`%s does not read lines as POSIX says, with the value in "$1": want sh, bash, dash, ksh, zsh or the like; without -c, %s is a command as any other`, base, base)
	}
	return name, nil
}

func shellName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".exe") }

// shellProgram returns the shell for the line of -c. A function that bash has exported
// (export -f) exists in bash only, so a line that names one is for bash.
func (o *options) shellProgram() string {
	if o.inShell == "" && namesFunction(o.line, os.Environ()) {
		if bash, err := exec.LookPath("bash"); err == nil {
			return bash
		}
	}
	return cmp.Or(o.inShell, defaultShell)
}

// shellTemplate returns the call of the shell for the line of -c.
func (o *options) shellTemplate(s template.Shape) (*template.Template, error) {
	sh := o.shellProgram()
	if shellName(sh) == "cmd" {
		return template.NewCmd(o.line, o.mark, s)
	}
	return template.NewShell(shellName(sh), o.line, o.mark, s)
}

// namesFunction reports whether a function in an environment, in the spelling of bash,
// is a word of a line.
func namesFunction(line string, environ []string) bool {
	words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n;|&()<>{}\"'`$=", r) })
	for _, e := range environ {
		key, _, _ := strings.Cut(e, "=")
		name, ours := strings.CutPrefix(key, "BASH_FUNC_")
		name, ended := strings.CutSuffix(name, "%%")
		if ours && ended && slices.Contains(words, name) {
			return true
		}
	}
	return false
}

// programPath returns the path of the program that the jobs run, or "" if it depends
// on the value. It refuses a shell line in one word: before its first blank is a program, and none
// has a name that begins with what is before the value.
func (o *options) programPath(t *template.Template) (string, error) {
	name, fixed := t.Program()
	switch {
	case !fixed:
		if program, _, more := strings.Cut(name, " "); more && program != "" && !beginsProgram(name) {
			if _, err := exec.LookPath(program); err == nil {
				return "", fmt.Errorf("%s is a shell line: want -c %[1]s", quoteWord(o.command[0]))
			}
		}
		return "", nil
	case o.shell:
		name = o.shellProgram()
	}
	return Lookup(name, "-c")
}
