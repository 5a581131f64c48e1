package sense

func freeMemory(h *host) (free, total float64, ok bool) {
	m := newMemoryMeter(h, make([]byte, scratch))
	r := m.room()
	return r.free + r.margin, r.total, r.ok
}
