package run

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// parseDelimiter reads what ends a value: text with the escapes of C, as for xargs and GNU
// parallel.
func parseDelimiter(s string) (string, error) {
	if s == "" {
		return "", errors.New("an empty text ends nothing: want a character, such as , or \\t")
	}
	return unescape(s)
}

// unescape replaces the escapes of C: \n and its like, \0 and other octal
// numbers, \x and two digits.
func unescape(s string) (string, error) {
	var b strings.Builder
	for s != "" {
		c := s[0]
		s = s[1:]
		if c != '\\' {
			b.WriteByte(c)
			continue
		}
		if s == "" {
			return "", errors.New(`\ stands at the end: want \\ for itself`)
		}
		digits, radix, most, known := s, 8, 3, "01234567"
		if s[0] == 'x' {
			digits, radix, most, known = s[1:], 16, 2, "0123456789abcdefABCDEF"
		}
		n := 0
		for n < min(len(digits), most) && strings.IndexByte(known, digits[n]) >= 0 {
			n++
		}
		switch i := strings.IndexByte(`abfnrtv\`, s[0]); {
		case n > 0:
			v, err := strconv.ParseUint(digits[:n], radix, 8)
			if err != nil {
				return "", fmt.Errorf(`\%s is not a byte: want \0 to \377`, digits[:n])
			}
			b.WriteByte(byte(v))
			s = digits[n:]
		case i >= 0:
			b.WriteByte("\a\b\f\n\r\t\v\\"[i])
			s = s[1:]
		default:
			return "", fmt.Errorf(`\%c is not known: want \a, \b, \f, \n, \r, \t, \v, \\, \0 to \377 or \x00 to \xff`, []rune(s)[0])
		}
	}
	return b.String(), nil
}
