package sense

// FreeMemory returns the bytes of memory that work on this machine can still take
// before the kernel must refuse or kill, and the total: what Linux calls available, or
// less if a cgroup of this process leaves less. File cache that the kernel would drop
// counts as free. ok is false if nothing can be read, as on systems other than Linux. A
// call takes about 10 µs and may be made from any goroutine.
func FreeMemory() (free, total float64, ok bool) {
	h := here()
	h.mu.Lock()
	defer h.mu.Unlock()
	return freeMemory(h)
}
