package run

import (
	"fmt"
	"strconv"
	"strings"
)

// A flagValue reads the argument of a flag. It implements [pflag.Value].
type flagValue struct {
	kind string // what help calls the argument
	text string // the newest
	read func(text string) error
}

func newFlagValue(f *flag, o *options) *flagValue {
	v := &flagValue{kind: f.arg}
	switch to := f.to(o).(type) {
	case *bool:
		v.kind, v.read = "bool", into(to, parseSwitch)
	case *string:
		v.text, v.read = *to, into(to, func(s string) (string, error) { return s, nil })
	case *int:
		v.read = into(to, parseCount)
	case func(string) error:
		v.read = to
	default:
		panic(fmt.Sprintf("sweetspot: the flag --%s goes to a %T, want *bool, *string, *int or func(string) error", f.name, to))
	}
	return v
}

// into returns what puts what parse makes of a text into to.
func into[T any](to *T, parse func(text string) (T, error)) func(text string) error {
	return func(text string) error {
		v, err := parse(text)
		if err == nil {
			*to = v
		}
		return err
	}
}

// Set reads the argument.
func (v *flagValue) Set(text string) error {
	v.text = text
	return v.read(text)
}

func (v *flagValue) String() string { return v.text }

// Type returns what help calls the argument.
func (v *flagValue) Type() string { return v.kind }

// An optional is the value of a flag for which none is another value than the zero one.
type optional[T any] struct {
	value T
	given bool
}

// parseText takes a text as it is, an empty one, too.
func parseText(s string) (optional[string], error) { return optional[string]{s, true}, nil }

// parseSwitch reads what is on or off. A flag that stands alone is set to "true".
func parseSwitch(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", s)
}

// orNone returns what reads a number from 0 upwards, where 0 means something.
func orNone(of, zero string) func(s string) (optional[int], error) {
	return func(s string) (optional[int], error) {
		n, err := strconv.ParseUint(s, 10, 31)
		if err != nil {
			return optional[int]{}, fmt.Errorf("%q is not a number of %s: want 1 or more, or 0 for %s", s, of, zero)
		}
		return optional[int]{int(n), true}, nil
	}
}

// parseCount reads a number from 1 upwards; 0 is that of a flag not given.
func parseCount(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q: want 1 or more, at most %d", s, 1<<31-1)
	}
	return int(n), nil
}
