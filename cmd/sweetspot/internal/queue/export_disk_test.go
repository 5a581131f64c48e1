package queue

import "os"

// SyncOf returns what has the disk keep a queue in a directory of streams.
func SyncOf(dir, home string, flush func(*os.File) error) func(queue string) error {
	d := newDisk(dir, home, flush)
	return func(queue string) error { return d.syncQueue(queue, whole) }
}
