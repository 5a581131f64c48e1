package sense

import (
	"bytes"
	"encoding/binary"
	"iter"
	"syscall"
	"unsafe"
)

// names yields the names in b, directory entries as getdents64 wrote them,
// without "." and "..".
func names(b []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			name, rest := entry(b)
			if name == nil || name[0] != '.' && !yield(name) {
				return
			}
			b = rest
		}
	}
}

// entry returns the name of the first directory entry in b and what follows it,
// or nil.
func entry(b []byte) (name, rest []byte) {
	const (
		length = unsafe.Offsetof(syscall.Dirent{}.Reclen)
		start  = int(unsafe.Offsetof(syscall.Dirent{}.Name))
	)
	if len(b) <= start {
		return nil, nil
	}
	size := int(binary.NativeEndian.Uint16(b[length:]))
	if size <= start || size > len(b) {
		return nil, nil
	}
	name = b[start:size]
	if i := bytes.IndexByte(name, 0); i >= 0 {
		name = name[:i]
	}
	if len(name) == 0 {
		return nil, nil
	}
	return name, b[size:]
}
