package humanize

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Grouped prints n with commas between thousands.
func Grouped[N int | int64 | uint64](n N) string {
	s := fmt.Sprint(n)
	first := strings.IndexFunc(s, unicode.IsDigit)
	for i := len(s) - 3; i > first; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Count prints n of what is named in the plural, such as "jobs" or "runs of fib". Of one
// it takes the plural off the first word that has it.
func Count[N int | int64 | uint64](n N, of string) string {
	if n == 1 && !strings.HasPrefix(of, "million ") {
		words := strings.Split(of, " ")
		for i, w := range words {
			if one, ok := strings.CutSuffix(w, "s"); ok && utf8.RuneCountInString(one) > 1 { // else it is a unit, such as µs
				if base, ok := strings.CutSuffix(one, "sse"); ok {
					one = base + "ss"
				}
				words[i] = one
				break
			}
		}
		of = strings.Join(words, " ")
	}
	return Grouped(n) + " " + of
}

// Number prints v with three digits, or all that are before the point.
func Number(v float64) string {
	switch a := math.Abs(v); {
	case a >= 999.5 && a < 1e15:
		return Grouped(int64(math.Round(v)))
	case a >= 99.95 && a < 999.5 || a == 0:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 9.995 && a < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 0.9995 && a < 9.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case a >= 1e-4 && a < 0.9995:
		return strconv.FormatFloat(v, 'f', 2-int(math.Floor(math.Log10(a/0.9995))), 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// Missing prints x with two digits behind the point, where NaN says that there is no
// such figure and infinity that it is never reached.
func Missing(x float64) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case math.IsInf(x, 1):
		return "never"
	}
	return fmt.Sprintf("%.2f", x)
}
