package lab

func c3() *experiment {
	const unit = "ns/request"
	return &experiment{
		id: "C3", title: "Requests and replies: a channel of channels", article: articleChannels,
		about: "One goroutine sends requests through a channel (buffer 100), each with a channel made for its reply (buffer 100), and waits for each reply; another replies. Beside it: how many CPUs that keeps busy, and how many two independent goroutines do; the same with each goroutine tied to a thread (a hundredth of the requests); and MapSeq over the requests, where the reply is what the function returns.",
		claim: "1,041 ms for 1,000,000 requests with 1 thread, 11,170 ms with 4 (Go 1.0.2, 4 CPUs)",
		size:  size{30_000, 500_000, 1_000_000, "requests"},
		axis:  cpuAxis,
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
