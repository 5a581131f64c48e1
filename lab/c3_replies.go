package lab

func c3() *experiment {
	const unit = "ns/request"
	return &experiment{
		id: "C3", size: size{30_000, 500_000, 1_000_000, "requests"},
		axis: cpuAxis,
		points: func(scale) []point {
			p := replyPoint(unit)
			return append(append(onOneAndAll(p), busyPoints(p)...),
				onAll(tiedPoint(unit, "requests", func(n int) int64 { return replies(tied, n) })),
				onAll(seqPoint(unit)))
		},
		judge:  func(r *results) verdict { return judgeThreads(r, channelOfChannels) },
		untold: func(r *results) string { return untoldThreads(r, channelOfChannels) },
	}
}
