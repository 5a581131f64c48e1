package lab

// a4 is the second attempt of the article: more of the same, so that CPUs
// that are slow to wake up matter less.
func a4() *experiment {
	return hashingText("A4", "How many workers, with more units to tell", size{64, 500, 30_000, "units of 10,000 hashes"},
		"24 workers 240 ms (1.12 %) faster than 12, the CPU count; the other machine flat from 8 on")
}
