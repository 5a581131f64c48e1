package sense

func freeMemory(h *host) (free, total float64, ok bool) {
	h.follow(monotonic())
	r := h.tightest(room.available)
	return max(0, r.available()), r.total, r.ok
}
