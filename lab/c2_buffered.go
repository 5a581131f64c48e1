package lab

func c2() *experiment {
	const unit = "ns/int"
	return &experiment{
		id: "C2", title: "Ints through a channel with a buffer of 100", article: articleChannels,
		about: "As C1, with a buffer of 100: the goroutines take turns after a hundred ints, not after each.",
		claim: "9.7 ms for 100,000 with 1 thread and 16.7 ms with 4, that is 97 and 167 ns an int (Go 1.0.2, 4 CPUs)",
		size:  size{400_000, 1_000_000, 1_000_000, "ints"},
		axis:  cpuAxis,
		points: func(scale) []point {
			p := handOverPoint(buffer100, unit, 100)
			// By the spread of the six rounds of a full run, it takes ten to tell which is quicker.
			return append(append(inRounds(20, onOneAndAll(p)...), busyPoints(p)...), onAll(seqPoint(unit)))
		},
		judge:  func(r *results) verdict { return judgeThreads(r, buffer100) },
		untold: func(r *results) string { return untoldThreads(r, buffer100) },
	}
}
