package run

import "math"

// A Size is the value of a flag of other commands: a number of bytes, spelt as that of
// --memfree. It implements [pflag.Value].
type Size int64

func (z *Size) Set(s string) error {
	var n memoryFlag
	if err := n.Set(s); err != nil {
		return err
	}
	*z = Size(min(float64(n), math.MaxInt64/2)) // sums of two do not overflow
	return nil
}

func (z Size) String() string {
	if z == 0 {
		return ""
	}
	return bytesText(float64(z))
}

// Type returns what help calls the value.
func (z Size) Type() string { return "SIZE" }
