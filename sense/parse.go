package sense

import "bytes"

// number reads the decimal number at the start of b, after blanks, and returns
// it with what follows. It saturates instead of overflowing, because kernels
// write "no limit" as a number near the largest one.
func number(b []byte) (v uint64, rest []byte, ok bool) {
	i := 0
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	start := i
	for ; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		d := uint64(b[i] - '0')
		if v > (1<<64-1-d)/10 {
			v = 1<<64 - 1
			for i < len(b) && b[i] >= '0' && b[i] <= '9' {
				i++
			}
			return v, b[i:], true
		}
		v = v*10 + d
	}
	return v, b[i:], i > start
}

// after returns what follows key on the first line of b that begins with key.
// The key carries its own separator ("MemAvailable:", "usage_usec ").
func after(b []byte, key string) ([]byte, bool) {
	for line := range bytes.Lines(b) {
		if len(line) >= len(key) && string(line[:len(key)]) == key {
			return line[len(key):], true
		}
	}
	return nil, false
}

// value returns the number that follows key on the first line that begins with
// key.
func value(b []byte, key string) (uint64, bool) {
	rest, ok := after(b, key)
	if !ok {
		return 0, false
	}
	v, _, ok := number(rest)
	return v, ok
}
