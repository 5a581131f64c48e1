//go:build unix

package share

import (
	"io/fs"
	"os"
	"syscall"
)

// owned says that files have an owner and a mode.
const owned = true

// ours reports whether a file belongs to the user of this process.
func ours(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}
