package run

import (
	"fmt"
	"strconv"
	"strings"
)

// A switchFlag is on or off.
type switchFlag bool

// Set implements pflag.Value. A flag that stands alone is set to "true".
func (b *switchFlag) Set(s string) error {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		*b = true
	case "false", "no", "off", "0":
		*b = false
	default:
		return fmt.Errorf("%q is neither true nor false", s)
	}
	return nil
}

func (b *switchFlag) String() string   { return strconv.FormatBool(bool(*b)) }
func (b *switchFlag) Type() string     { return "bool" }
func (b *switchFlag) IsBoolFlag() bool { return true }

// A countFlag is a number from 1 upwards; 0 is that of a flag not given.
type countFlag int

// Set implements pflag.Value.
func (c *countFlag) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is not a number: want 1 or more, at most %d", s, 1<<31-1)
	}
	*c = countFlag(n)
	return nil
}

func (c *countFlag) String() string { return strconv.Itoa(int(*c)) }
func (c *countFlag) Type() string   { return "N" }
