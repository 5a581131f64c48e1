package run

import (
	"os"

	"golang.org/x/sys/unix"
)

// discard gives back the disk space of what has been printed, so that a job that
// writes for days does not fill the disk. A file system that cannot do that
// keeps it until the job's end.
func discard(f *os.File, from, to int64) {
	const block = 4096 // the kernel frees whole blocks
	from, to = (from+block-1)/block*block, to/block*block
	if from < to {
		_ = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, from, to-from)
	}
}
