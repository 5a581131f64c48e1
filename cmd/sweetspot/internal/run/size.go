package run

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Size is the value of a flag: a number of bytes. It implements [pflag.Value].
type Size int64

// memoryUnits are those of GNU parallel: capitals count in steps of 1,024, small
// letters in steps of 1,000.
const memoryUnits = "kmgtp"

// Set reads SIZE.
func (z *Size) Set(s string) error {
	digits, unit := s, 1.0
	if n := len(s) - 1; n >= 0 {
		step := 1024.0
		i := strings.IndexByte(strings.ToUpper(memoryUnits), s[n])
		if i < 0 {
			i, step = strings.IndexByte(memoryUnits, s[n]), 1000
		}
		if i >= 0 {
			digits, unit = s[:n], math.Pow(step, float64(i+1))
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(n*unit >= 1) || math.IsInf(n*unit, 0) || strings.ContainsAny(digits, "xXpP_") {
		return fmt.Errorf("%q is not a size: want a number of bytes, at least 1, with K, M, G, T or P (of 1,024) or k, m, g, t or p (of 1,000) after it, such as 500M", s)
	}
	*z = Size(min(n*unit, math.MaxInt64/2)) // sums of two do not overflow
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
