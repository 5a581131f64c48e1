package template_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
)

// hostile are values that something reads as shell text if it is not careful.
var hostile = []string{
	"-rf", "a b", "c'd", `e"f`, "g$(touch PWNED)h", "i;touch PWNED;j", "k`touch PWNED`l", "*", "~", "$HOME",
	"&touch PWNED&", "|touch PWNED", ">PWNED", "new\nline", "tab\there", `back\slash`, "'; touch PWNED; '",
	`"; touch PWNED; "`, "#x", "${IFS}", "{}", "$1", "é\xff\x01", "!!", "%s%n",
}

func TestShellLines(t *testing.T) {
	for _, c := range []struct {
		line, want string
		params     []string
	}{
		{`cat {}`, `cat "${1}"`, []string{"d/v.x"}},
		{`cat <{} >{.}.gz`, `cat <"${1}" >"${2}".gz`, []string{"d/v.x", "d/v"}},
		{`echo "{}: {/}"`, `echo "${1}: ${2}"`, []string{"d/v.x", "v.x"}},
		{`echo {#} {#} {}`, `echo "${2}" "${2}" "${1}"`, []string{"d/v.x", "9"}},
		{`echo "$(cat {})"`, `echo "$(cat "${1}")"`, []string{"d/v.x"}},
		{`echo "$(cat "{}")"`, `echo "$(cat "${1}")"`, []string{"d/v.x"}},
		{`echo \{} '{x}' "\"{}"`, `echo \{} '{x}' "\"${1}"`, []string{"d/v.x"}},
		{`echo '"' {}`, `echo '"' "${1}"`, []string{"d/v.x"}},
		{`!(grep -q "{}" f) && x`, `!(grep -q "${1}" f) && x`, []string{"d/v.x"}},
		{`[[ x == !(a|b) ]] && y {}`, `[[ x == !(a|b) ]] && y "${1}"`, []string{"d/v.x"}},
		{`declare -i n=$(wc -l <{}); declare -x v="{}"`, `declare -i n=$(wc -l <"${1}"); declare -x v="${1}"`, []string{"d/v.x"}},
		{`test {} -gt 3 && test -e {}`, `test "${1}" -gt 3 && test -e "${1}"`, []string{"d/v.x"}},
		{`x=${y:-z}{}`, `x=${y:-z}"${1}"`, []string{"d/v.x"}},
		{`echo $((1<<2)) {}`, `echo $((1<<2)) "${1}"`, []string{"d/v.x"}},
		{`(cd {//} && ls) # {'}`, `(cd "${2}" && ls) # {'}`, []string{"d/v.x", "d"}},
		{`echo a#{}`, `echo a#"${1}"`, []string{"d/v.x"}},
		{`echo $(x)#{}`, `echo $(x)#"${1}"`, []string{"d/v.x"}},
		{`echo $((1+2))#{}`, `echo $((1+2))#"${1}"`, []string{"d/v.x"}},
		{`(x)# {}`, `(x)# {}`, []string{"d/v.x"}},
		{`((1))# {}`, `((1))# {}`, []string{"d/v.x"}},
		{"cat <<E {}\nx\nE", "cat <<E \"${1}\"\nx\nE", []string{"d/v.x"}},
		{`echo "$1"`, `echo "$1"`, []string{"d/v.x"}},
		{`true;`, `true;`, []string{"d/v.x"}},
		{`case {} in (a) echo "{}";; b) :;; esac; echo {}`, `case "${1}" in (a) echo "${1}";; b) :;; esac; echo "${1}"`, []string{"d/v.x"}},
		{`x="$(case {} in a) echo "{}";; *) if case y in (z) :; esac then :; fi esac)" {}`, `x="$(case "${1}" in a) echo "${1}";; *) if case y in (z) :; esac then :; fi esac)" "${1}"`, []string{"d/v.x"}},
		{`(case {} in a) :;; esac)# {}`, `(case "${1}" in a) :;; esac)# {}`, []string{"d/v.x"}},
		{`echo "$(echo case {} esac; for case in a; do :; done)" {}`, `echo "$(echo case "${1}" esac; for case in a; do :; done)" "${1}"`, []string{"d/v.x"}},
		{`echo "$((case + 1)) ${case}" {}`, `echo "$((case + 1)) ${case}" "${1}"`, []string{"d/v.x"}},
		{"x=\"$(case {} in a) cat <<E\ncase of a\nE\n;; esac)\"", "x=\"$(case \"${1}\" in a) cat <<E\ncase of a\nE\n;; esac)\"", []string{"d/v.x"}},
		{`echo do case {}`, `echo do case "${1}"`, []string{"d/v.x"}},
		{`"$(a do case b)" {}`, `"$(a do case b)" "${1}"`, []string{"d/v.x"}},
		{"x # it's {}\necho {}", "x # it's {}\necho \"${1}\"", []string{"d/v.x"}},
		{"cat <<E; y\nit's\nE\necho {} \"{}\"", "cat <<E; y\nit's\nE\necho \"${1}\" \"${1}\"", []string{"d/v.x"}},
		{"cat <<E\n\"$(cat {} \"{}\")\nE", "cat <<E\n\"$(cat \"${1}\" \"${1}\")\nE", []string{"d/v.x"}},
		{`cat <<<{} <(cat "{}")`, `cat <<<"${1}" <(cat "${1}")`, []string{"d/v.x"}},
		{`echo $'it\'s' {}`, `echo $'it\'s' "${1}"`, []string{"d/v.x"}},
		{`echo $x{} "$x{}" ${x:-"{}"} "${x:-$(cat {})}"`, `echo $x"${1}" "$x${1}" ${x:-"${1}"} "${x:-$(cat "${1}")}"`, []string{"d/v.x"}},
		{`echo '${1} \{}' ${1} {}`, `echo '${1} \{}' ${1} "${1}"`, []string{"d/v.x"}},
		{`[[ {} == @({}|x) || {} =~ ^({}|"{}")$ ]]`, `[[ "${1}" == @("${1}"|x) || "${1}" =~ ^("${1}"|"${1}")$ ]]`, []string{"d/v.x"}},
		{`[[ {} < x && {} -nt x && -f {} && 1 -gt $(b {}) ]]; a[$(b {})]={}`, `[[ "${1}" < x && "${1}" -nt x && -f "${1}" && 1 -gt $(b "${1}") ]]; a[$(b "${1}")]="${1}"`, []string{"d/v.x"}},
		{`f() { a={} b=("{}") c {}{,.gz}; }`, `f() { a="${1}" b=("${1}") c "${1}"{,.gz}; }`, []string{"d/v.x"}},
		{"echo \xe9 … \"\xe9{}\"", "echo \xe9 … \"\xe9${1}\"", []string{"d/v.x"}},
		// Of shells that the parser does not know, or wrong: the shell says so.
		{`for f ("a b" {}) print '{x}' {} "\"{}"`, `for f ("a b" "${1}") print '{x}' "${1}" "\"${1}"`, []string{"d/v.x"}},
		{`echo "{}`, `echo "${1}`, []string{"d/v.x"}},
	} {
		got, err := template.ExpandShell("sh", c.line, 9, "d/v.x")
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if want := append([]string{"sh", "-c", c.want, "sh"}, c.params...); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", c.line, got, want)
		}
	}
}

func TestShellLinesRefused(t *testing.T) {
	for line, says := range map[string]string{
		"":                              "needs a shell line",
		"  ":                            "needs a shell line",
		`echo '{}'`:                     "single quotes",
		`awk '/{.}/'`:                   "single quotes",
		"echo `cat {}`":                 "backquotes",
		`echo "` + "`cat {}`" + `"`:     "backquotes",
		`echo $(({} + 1))`:              "arithmetic",
		`echo $(( ({}) ))`:              "arithmetic",
		`(( {} > 1 )) && x`:             "arithmetic",
		`echo "$(({}))"`:                "arithmetic",
		`echo ${x:-{}}`:                 "${...}",
		"cat <<E\n{}\nE":                "here-document",
		"cat <<-'E'\nx\n{}\nE":          "here-document",
		"cat <<{}\nx\n{}":               "here-document",
		"cat <<E\n${x:-\"{}\"}\nE":      "here-document",
		`echo $(( "{}" ))`:              "arithmetic",
		`echo $((${x:-"{}"}))`:          "arithmetic",
		`for ((i={}; 1; )); do x; done`: "arithmetic",
		`let x={}`:                      "arithmetic",
		`a[{}]=1`:                       "arithmetic",
		`a=(["{}"]=1)`:                  "arithmetic",
		`echo ${a["{}"]}`:               "arithmetic",
		`echo ${a:"{}":1}`:              "arithmetic",
		`echo ${a:1:"{}"}`:              "arithmetic",
		`[[ {} -gt 1 ]]`:                "arithmetic",
		`[[ x == y && 1 -eq "{}" ]]`:    "arithmetic",
		`[[ -v {} ]]`:                   "arithmetic",
		`test -v {}`:                    "arithmetic",
		`[ -n x -a -v "{}" ]`:           "arithmetic",
		`declare -i n={}`:               "arithmetic",
		`f() { local -ri n="{}"; }`:     "arithmetic",
		`declare -x "{}"=3`:             "arithmetic",
		`if !(( {} > 5 )); then x; fi`:  "arithmetic",
		`x && !(let {})`:                "arithmetic",
		`[[ {} -gt 3 ]] && x ${m[a b]}`: "unclear",
		`let x={}; y=$((a); b)`:         "unclear",
		`a[{}]=1; y=$((a); b)`:          "unclear",
		"echo `a $(b \"{}\")`":          "backquotes",
		`echo $'it\'s {}'`:              "single quotes",
		`[[ x == @("{}"|y) ]]`:          "unclear (byte 12 of the line): write \"$1\"",
		`x="$(case a in b) c {})"`:      "unclear (byte 21 of the line, which cannot be read: a command can only",
		`x=$((cd {} && ls) | wc)`:       "unclear (byte 9 of the line, which cannot be read: not a valid arithmetic",
	} {
		if _, err := template.ExpandShell("sh", line, 1, "v"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v, want one that says %q", line, err, says)
		}
	}
}

// What only zsh reads is parsed as zsh does.
func TestShellLinesOfZsh(t *testing.T) {
	argv, err := template.ExpandShell("zsh", `print ${(f)"$(a {})"} "{}"`, 1, "v")
	if want := []string{"zsh", "-c", `print ${(f)"$(a "${1}")"} "${1}"`, "zsh", "v"}; err != nil || !slices.Equal(argv, want) {
		t.Errorf("got %q, %v, want %q", argv, err, want)
	}
}

// The values reach the command as they are, in every place where a placeholder
// may stand, and nothing in them is executed.
func TestShellInjection(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	dir := t.TempDir()
	for _, line := range []string{
		`printf %s {}`, `printf %s "{}"`, `x={}; printf %s "$x"`, `printf %s "$(printf %sX {})"`, `printf %s "$1"`,
		`{ (printf %s {}) }`, `for i in {}; do printf %s "$i"; done`, `if test {} != x; then printf %s {}; fi # {}`,
		`case {} in zzz) ;; *) printf %s {};; esac`, `f() { printf %s "$1"; }; f {}`,
		`printf %s "$(case {} in zzz) ;; *) printf %sX {};; esac)"`,
		`printf %s "$(for i do case {} in (zzz) ;; *)# "'
			case x in y|esac) ;; case|x) (printf %s {});; esac;; esac; done; printf X)"`,
		"cat >/dev/null <<E\nit's $(: {})\nE\nprintf %s {}", "x=$(cat <<E\n\"$(printf %sX {})\nE\n); printf %s \"${x#?}\"",
	} {
		for _, v := range hostile {
			argv, err := template.ExpandShell("sh", line, 1, v)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			c := exec.Command(sh, argv[1:]...)
			c.Dir = dir
			out, err := c.CombinedOutput()
			got := strings.TrimSuffix(string(out), "X")
			if err != nil || got != v {
				t.Errorf("%s with %q: %q, %v", line, v, out, err)
			}
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("a value was executed: %v, %v", left, err)
	}
}

// So do several values of a job, in any place and number.
func TestShellInjectionOfSeveral(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	dir := t.TempDir()
	for line, want := range map[string]func(a, b string) string{
		`printf '<%s>' {}`:                               func(a, b string) string { return "<" + a + "><" + b + ">" },
		`for i in {}; do printf '<%s>' "$i"; done`:       func(a, b string) string { return "<" + a + "><" + b + ">" },
		`printf '<%s>' "{}"`:                             func(a, b string) string { return "<" + a + " " + b + ">" },
		`printf '<%s>' {2} "{1}" {-1}`:                   func(a, b string) string { return "<" + b + "><" + a + "><" + b + ">" },
		`printf '<%s>' "$2" "$1"`:                        func(a, b string) string { return "<" + b + "><" + a + ">" },
		`x={2}; printf '<%s>' "$x" "$(printf %s. {-2})"`: func(a, b string) string { return "<" + b + "><" + a + ".>" },
		`printf '<%s>' $# {#} x{1/}{2//}`: func(a, b string) string {
			_, base := template.SplitPath(a)
			dir, _ := template.SplitPath(b)
			return "<2><1><x" + base + dir + ">"
		},
	} {
		for i, a := range hostile {
			b := hostile[(i+7)%len(hostile)]
			argv, err := template.ExpandShell("sh", line, 1, a, b)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			c := exec.Command(sh, argv[1:]...)
			c.Dir = dir
			if out, err := c.CombinedOutput(); err != nil || string(out) != want(a, b) {
				t.Errorf("%s with %q, %q: %q, %v, want %q", line, a, b, out, err, want(a, b))
			}
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("a value was executed: %v, %v", left, err)
	}
}

// placeholder is one for a job of one value.
var placeholder = regexp.MustCompile(`\{(-?0*1)?(\.|/|//|/\.)?\}|\{[#%]\}`)

// FuzzShell checks that the reader of shell lines changes nothing but the
// placeholders, whatever the line.
func FuzzShell(f *testing.F) {
	for _, s := range []string{`cat {}`, `"{}"`, `'`, `$((`, `$(`, `${`, "<<E\n", "`", `\`, `"$(`, "((", `a#{}`, `)`, `}`} {
		f.Add(s)
		f.Add(s + "{}" + s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		argv, err := template.ExpandShell("sh", line, 1, "v")
		if err != nil {
			return
		}
		if len(argv) < 5 || len(argv) > 11 || argv[4] != "v" {
			t.Fatalf("%q: %q", line, argv)
		}
		want := placeholder.ReplaceAllString(line, "@")
		got := argv[2]
		for _, p := range []string{"1", "2", "3", "4", "5", "6", "7"} {
			got = strings.ReplaceAll(got, "${"+p+"}", "@")
		}
		if strings.ContainsAny(line, "\\#'`@$") { // an escaped or commented placeholder stays, ours cannot be told from the line's own
			return
		}
		if unquote := strings.NewReplacer(`"`, ""); unquote.Replace(got) != unquote.Replace(want) {
			t.Fatalf("%q became %q", line, argv[2])
		}
	})
}
