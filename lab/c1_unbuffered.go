package lab

func c1() *experiment {
	const unit = "ns/int"
	return &experiment{
		id: "C1", title: "Ints through an unbuffered channel", article: articleChannels,
		about: "Ints go from one goroutine to another through an unbuffered channel, with one CPU and with all, each tenth of them timed. Beside it: how many CPUs that keeps busy, and how many two independent goroutines do; the same with each goroutine tied to a thread (a hundredth of the ints); and MapSeq over the same ints, whose items are so small that it stays in one goroutine, which is the point.",
		claim: "24 ms for 100,000 with 1 thread and 535 ms with 4, that is 240 and 5,350 ns an int: over 20 times slower (Go 1.0.2, 4 CPUs)",
		size:  size{100_000, 1_000_000, 1_000_000, "ints"},
		axis:  cpuAxis,
		points: func(scale) []point {
			p := handOverPoint(unbuffered, unit, 0)
			timed := p
			timed.shown = true
			return append(append(onOneAndAll(timed), busyPoints(p)...),
				onAll(tiedPoint(unit, "ints", func(n int) int64 { sum, _ := stream(tied, n, 0); return sum })),
				onAll(seqPoint(unit)))
		},
		judge:  func(r *results) verdict { return judgeThreads(r, unbuffered) },
		untold: func(r *results) string { return untoldThreads(r, unbuffered) },
	}
}
