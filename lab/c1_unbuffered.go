package lab

func c1() *experiment {
	const unit = "ns/int"
	return &experiment{
		id: "C1", size: size{100_000, 1_000_000, 1_000_000, "ints"},
		axis: cpuAxis,
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
