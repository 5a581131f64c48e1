package template

import (
	"fmt"
	"slices"
	"strings"
)

// cmdCall are the words of a call of the shell of Windows: no AutoRun, variables as !name!, and
// the line as it stands between the first quotation mark and the last.
var cmdCall = []string{"cmd.exe", "/d", "/v:on", "/s", "/c"}

// NewCmd returns the call of cmd.exe for a line with placeholders. Each becomes a
// variable, !sweetspot_value_1!, within quotation marks, and what it stands for follows the
// line as a word. cmd.exe replaces such variables after it has read the line, so a value is
// not read as a part of it.
func NewCmd(line, mark string, s Shape) (*Template, error) {
	if strings.TrimSpace(line) == "" {
		return nil, fmt.Errorf(`-c needs a line for the shell, such as -c "sort {} > {.}.sorted"`)
	}
	w := shellWriter{mark: mark, shape: s}
	var out strings.Builder
	quoted := false
	for _, p := range splitPlaceholders(line, mark, s) {
		if p.field == literal {
			quoted = quoted != (strings.Count(p.text, `"`)%2 == 1)
			out.WriteString(p.text)
			continue
		}
		if err := s.check(p, mark); err != nil {
			return nil, fmt.Errorf("-c: %w", err)
		}
		if p.ofValues() && s.plural() {
			return nil, fmt.Errorf("-c: %s would stand for several words, since a job has several values: want {1}, {2} and so on", p.spelling(mark))
		}
		text := fmt.Sprintf("!%s%d!", shellVariable, w.param(p))
		if !quoted {
			text = `"` + text + `"`
		}
		out.WriteString(text)
	}
	t := w.template(append(slices.Clone(cmdCall), out.String())...)
	t.Cmd = true
	return t, nil
}

// CmdLine returns the command line of a call of cmd.exe, and the environment with the values.
// A value cannot hold a quotation mark, which would end the one around it; no name of a file does.
func CmdLine(argv, env []string) (line string, with []string, err error) {
	n := len(cmdCall)
	for i, v := range argv[n+1:] {
		if strings.ContainsAny(v, "\"\r\n") {
			return "", nil, fmt.Errorf("%q holds a quotation mark or a newline, which cmd.exe cannot hand over: want --shell bash, or no -c", v)
		}
		env = append(env, fmt.Sprintf("%s%d=%s", shellVariable, i+1, v))
	}
	return strings.Join(argv[:n], " ") + ` "` + argv[n] + `"`, env, nil
}
