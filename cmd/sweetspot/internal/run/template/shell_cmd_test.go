package template_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
)

// The line of -c is for cmd.exe as it stands, but for its placeholders: they become variables,
// which cmd.exe replaces after it has read the line.
func TestCmdLine(t *testing.T) {
	for _, c := range []struct {
		line string
		vals []string
		want string
		env  []string
	}{
		{`sort {} > {.}.sorted`, []string{`a b&calc.txt`},
			`cmd.exe /d /v:on /s /c "sort "!sweetspot_value_1!" > "!sweetspot_value_2!".sorted"`,
			[]string{`sweetspot_value_1=a b&calc.txt`, `sweetspot_value_2=a b&calc`}},
		{`type "in\{}" {}`, []string{`%PATH%!x!^`},
			`cmd.exe /d /v:on /s /c "type "in\!sweetspot_value_1!" "!sweetspot_value_1!""`,
			[]string{`sweetspot_value_1=%PATH%!x!^`}},
		{`echo {2} {#}`, []string{"a", "b"},
			`cmd.exe /d /v:on /s /c "echo "!sweetspot_value_1!" "!sweetspot_value_2!""`,
			[]string{"sweetspot_value_1=b", "sweetspot_value_2=1"}},
		{`ver`, []string{"a"}, `cmd.exe /d /v:on /s /c "ver"`, nil},
	} {
		line, env, err := template.ExpandCmd(c.line, len(c.vals), c.vals...)
		if err != nil || line != c.want || !slices.Equal(env, c.env) {
			t.Errorf("%s with %q:\n%s %q, %v, want\n%s %q", c.line, c.vals, line, env, err, c.want, c.env)
		}
	}
}

func TestCmdLineRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		line    string
		columns int
		val     string
	}{
		"holds a quotation mark or a newline": {"echo {}", 1, `a" & calc & "`},
		"needs a line for the shell":          {" ", 1, "a"},
		"{} would stand for several words":    {"echo {}", 2, "a"},
	} {
		if _, _, err := template.ExpandCmd(c.line, c.columns, c.val); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q with %q: error %v, want one with %q", c.line, c.val, err, want)
		}
	}
}
