package sense

func freeMemory(h *host) (free, total float64, ok bool) {
	m := newMemoryMeter(h, make([]byte, scratch))
	h.follow(monotonic(), m.buf)
	r := m.tightest(room.available)
	return r.available(), r.total, r.ok
}
