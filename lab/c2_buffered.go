package lab

func c2() *experiment {
	const unit = "ns/int"
	return &experiment{
		id: "C2", size: size{400_000, 1_000_000, 1_000_000, "ints"},
		axis: cpuAxis,
		points: func(scale) []point {
			p := handOverPoint(buffer100, unit, 100)
			// By the spread of the six rounds of a full run, it takes ten to tell which is quicker.
			return append(append(inRounds(20, onOneAndAll(p)...), busyPoints(p)...), onAll(seqPoint(unit)))
		},
		judge:  func(r *results) verdict { return judgeThreads(r, buffer100) },
		untold: func(r *results) string { return untoldThreads(r, buffer100) },
	}
}
