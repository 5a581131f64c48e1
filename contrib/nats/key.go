package natslimit

import (
	"fmt"
	"strings"
)

// keyName returns the name of a stream or consumer as it stands in a key of a bucket. Names
// may have bytes that keys may not, such as a colon: these become = and two hexadecimal
// digits, as does =, so that no two names have the same key.
func keyName(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	return b.String()
}
