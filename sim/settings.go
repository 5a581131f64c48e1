package sim

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// settings are the keys of a block, each with what its value sets: a number, a time, a
// distribution, a curve, a text, or a function that takes it.
type settings map[string]any

// seconds are a number whose value is a time with a unit.
type seconds float64

// set parses the value of a key into what it sets.
func (s settings) set(key, value string) (err error) {
	switch to := s[key].(type) {
	case *int:
		if *to, err = strconv.Atoi(value); err != nil {
			err = fmt.Errorf("%s %q: want a whole number", key, value)
		}
	case *float64:
		*to, err = parseNumber(key, value)
	case *seconds:
		var t float64
		if t, err = parseSeconds(value); err != nil {
			err = fmt.Errorf("%s: %w", key, err)
		}
		*to = seconds(t)
	case *Dist:
		*to, err = ParseDist(value)
	case *Curve:
		*to, err = ParseCurve(value)
	case *string:
		*to = value
	case func(value string) error:
		err = to(value)
	}
	return err
}

func parseNumber(key, value string) (float64, error) {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0, fmt.Errorf("%s %q: want a number", key, value)
	}
	return x, nil
}

// The study's noise, that of every scenario and company.
const (
	defaultNoise     = 0.03
	defaultNoiseTime = 1
)

// noiseSetting sets a standard deviation and, unless the usual one will do, a time constant.
func noiseSetting(sd, constant *float64) func(value string) error {
	return func(value string) (err error) {
		f := strings.Fields(value)
		if len(f) > 2 {
			return fmt.Errorf("noise %q: want a standard deviation and a time constant, such as 0.03 1s", value)
		}
		if *sd, err = parseNumber("noise", f[0]); err == nil && len(f) == 2 {
			*constant, err = parseSeconds(f[1])
		}
		return err
	}
}

// A fileReader reads a file of parts, such as scenarios. A word and a name begin one. Its
// settings follow, a line each, and lines that begin a block with settings of its own. The
// reader is strict: see [Parse].
type fileReader[T interface{ Validate() error }] struct {
	word  string // that begins a part
	words string // all that begin something, for the error of an unknown key
	blank func(name string) T
	first func(part *T) settings // the block that a part begins with
	// open returns the block that a line begins, nil if it begins none.
	open func(part *T, key, value string) (settings, error)

	parts []T
	names map[string]bool
	line  int
	begun int // line of the part at hand
	block settings
	seen  map[string]bool // keys given in the block at hand
}

func (f *fileReader[T]) read(r io.Reader) ([]T, error) {
	f.names = map[string]bool{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		f.line++
		text, _, _ := strings.Cut(lines.Text(), "#")
		key, value, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(text, "\t", " ")), " ")
		if key == "" {
			continue
		}
		if err := f.setting(key, strings.TrimSpace(value)); err != nil {
			return nil, fmt.Errorf("line %d: %w", f.line, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", f.line+1, err)
	}
	if len(f.parts) == 0 {
		return nil, fmt.Errorf("no %s: want a line `%[1]s NAME` and its settings below", f.word)
	}
	if err := f.finish(); err != nil {
		return nil, err
	}
	return f.parts, nil
}

func (f *fileReader[T]) setting(key, value string) error {
	if key == f.word {
		return f.begin(value)
	}
	if len(f.parts) == 0 {
		return fmt.Errorf("%q before the first `%s NAME`", key, f.word)
	}
	switch block, err := f.open(&f.parts[len(f.parts)-1], key, value); {
	case err != nil:
		return err
	case block != nil:
		f.block, f.seen = block, map[string]bool{}
		return nil
	case f.block[key] == nil:
		return fmt.Errorf("unknown key %q: want one of %s, or %s", key, strings.Join(slices.Sorted(maps.Keys(f.block)), ", "), f.words)
	case f.seen[key]:
		return fmt.Errorf("%q is given twice", key)
	case value == "":
		return fmt.Errorf("%q has no value", key)
	}
	f.seen[key] = true
	return f.block.set(key, value)
}

// begin opens a new part.
func (f *fileReader[T]) begin(name string) error {
	if err := f.finish(); err != nil {
		return err
	}
	if name == "" || strings.ContainsAny(name, " ,") {
		return fmt.Errorf("%s name %q: want one word without a comma", f.word, name)
	}
	if f.names[name] {
		return fmt.Errorf("a second %s is called %q", f.word, name)
	}
	f.names[name] = true
	f.parts = append(f.parts, f.blank(name))
	f.block, f.seen, f.begun = f.first(&f.parts[len(f.parts)-1]), map[string]bool{}, f.line
	return nil
}

func (f *fileReader[T]) finish() error {
	if len(f.parts) == 0 {
		return nil
	}
	if err := f.parts[len(f.parts)-1].Validate(); err != nil {
		return fmt.Errorf("line %d: %w", f.begun, err)
	}
	return nil
}
