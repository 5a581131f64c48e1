package run

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
)

// inputOptions are what the command line says about the values of the jobs.
type inputOptions struct {
	nul       bool
	delimiter string           // of -d; "" is not given
	colsep    optional[string] // of --colsep
	columns   *regexp.Regexp   // what check makes of it without --csv; nil: a line has no columns
	trim      trimFlag
	args      optional[int] // of -n; 0 is a value that means something
	lines     int
	fill      bool // -m
	repeat    bool // -X
	link      bool
	until     string
	csv       bool
	header    bool
	shuffle   bool
	longest   longestFlag
	total     int // of --total-jobs

	sources []source // in the order of their values; none is stdin
}

// lists returns the sources, which is stdin where none is given.
func (o *inputOptions) lists() []source {
	if len(o.sources) == 0 {
		return []source{{file: stdinName}}
	}
	return o.sources
}

// Words that begin a list of values behind the command.
const (
	valuesFollow       = ":::"
	linkedValuesFollow = ":::+"
	filesFollow        = "::::"
	linkedFilesFollow  = "::::+"
)

func beginsList(word string) bool {
	switch word {
	case valuesFollow, linkedValuesFollow, filesFollow, linkedFilesFollow:
		return true
	}
	return false
}

// takeLists makes sources of the lists behind the command, which it returns.
func (o *inputOptions) takeLists(words []string) (command []string, err error) {
	command = words
	if i := slices.IndexFunc(words, beginsList); i >= 0 {
		command, words = words[:i], words[i:]
	} else {
		words = nil
	}
	for len(words) > 0 {
		kind := words[0]
		n := cmp.Or(1+slices.IndexFunc(words[1:], beginsList), len(words))
		list := words[1:n]
		words = words[n:]
		linked := strings.HasSuffix(kind, "+")
		switch {
		case linked && len(o.sources) == 0:
			return nil, fmt.Errorf("%s links its values to those of the list before it, and there is none: want %s", kind, strings.TrimSuffix(kind, "+"))
		case kind == valuesFollow || kind == linkedValuesFollow:
			o.sources = append(o.sources, source{given: true, values: list, linked: linked})
		case len(list) == 0:
			return nil, fmt.Errorf("%s wants the names of files of values; values themselves follow %s", kind, valuesFollow)
		default:
			for _, f := range list {
				o.sources = append(o.sources, source{file: f, linked: linked})
			}
		}
	}
	return command, nil
}

// check refuses what does not go together, and reads what depends on another flag.
func (o *inputOptions) check() (err error) {
	stdin, linked := 0, false
	for i := range o.sources {
		s := &o.sources[i]
		if !s.given && s.file == stdinName {
			stdin++
		}
		linked = linked || s.linked
	}
	several := len(o.sources) > 1
	switch {
	case stdin > 1:
		return errors.New("stdin is named twice as a list of values, and can be read once")
	case linked && o.link:
		return errors.New("--link links all lists, and :::+ or ::::+ two of them: want one of the two")
	case o.nul && o.delimiter != "":
		return errors.New("-0 and -d both say what ends a value: want one of the two")
	case o.args.given && o.lines > 0:
		return errors.New("-n and -L both say how many lines make a job: want one of the two")
	case o.fill && o.repeat:
		return errors.New("-m and -X both fill up the command: -X repeats the word that holds {}, -m only the value; want one of the two")
	case o.lines > 0 && (o.nul || o.delimiter != ""):
		return errors.New("-L counts lines, and with -0 or -d there are none: want -n")
	case o.lines > 0 && several:
		return errors.New("-L takes lines of one list, and there are several: a job has a value of each")
	case o.args.given && several:
		return errors.New("-n takes values of one list, and there are several: a job has a value of each")
	case (o.fill || o.repeat) && several:
		return errors.New("-m and -X take values of one list, and there are several: a job has a value of each")
	case o.csv && (o.lines > 0 || o.nul || o.delimiter != "" || o.until != ""):
		return errors.New("--csv says what a record is, so -L, -0, -d and -E mean nothing beside it")
	case o.shuffle && o.longest != "":
		return errors.New("--shuf and --longest-first both say in what order jobs run: want one of the two")
	case o.none() && (o.fill || o.repeat || o.colsep.given):
		return errors.New("-n 0 gives the jobs no values, so --colsep, -m and -X mean nothing beside it")
	}
	switch {
	case o.csv:
		_, err = o.comma()
	case o.colsep.given:
		o.columns, err = parseSeparator(o.colsep.value)
	}
	return err
}

// none reports whether jobs get no values.
func (o *inputOptions) none() bool { return o.args.given && o.args.value == 0 }

// packed returns how many rows make a job; 0 is as many as a command can hold.
func (o *inputOptions) packed() int {
	switch {
	case o.args.given:
		return o.args.value
	case o.lines > 0:
		return o.lines
	case o.fill || o.repeat:
		return 0
	}
	return 1
}

// shape returns what a template may expect. -L repeats words as -X does, unless
// -m says otherwise: so has GNU parallel it.
func (o *inputOptions) shape() template.Shape {
	s := template.Shape{Most: o.packed(), None: o.none(), Without: "-n 0", Repeat: o.repeat || o.lines > 0 && !o.fill}
	switch {
	case o.columns != nil || o.csv:
		s.Most = 0
	case len(o.sources) > 1:
		s.Most = len(o.sources)
	}
	return s
}

// separator returns what ends a value.
func (o *inputOptions) separator() string {
	switch {
	case o.nul:
		return nul
	case o.delimiter != "":
		return o.delimiter
	}
	return newline
}

// badChoice is the error for a flag that wants one of a few words.
func badChoice(got, want string) error { return fmt.Errorf("%q is not known: want %s", got, want) }

// parseHeader reads the argument of --header. For GNU parallel it may also be a regular expression.
func parseHeader(s string) (bool, error) {
	if s != ":" {
		return false, badChoice(s, "--header :, a colon for the first line of each list")
	}
	return true, nil
}

func (o *inputOptions) addFile(name string) error {
	if name == "" {
		return errors.New("a file without a name: want - for stdin")
	}
	o.sources = append(o.sources, source{file: name})
	return nil
}

// parseSeparator reads what separates the columns of a line.
func parseSeparator(s string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(s)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--colsep: %q is not a regular expression: %w; write [%s] for the character itself", s, err, s[:min(1, len(s))])
	case re.MatchString(""):
		return nil, fmt.Errorf("--colsep: %q also stands for nothing, which is between any two letters: want at least one character, such as , or \\t or [|] or ' +'", s)
	}
	return re, nil
}
