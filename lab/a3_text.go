package lab

// a3 is the first attempt of the article.
func a3() *experiment {
	return hashingText("A3", "How many workers for work of the CPU", size{32, 200, 3000, "units of 10,000 hashes"},
		"kept getting faster with more workers than the 12 logical CPUs; another machine was best at 8 of 16")
}

// hashingText is the experiment of A3 and A4.
func hashingText(id, title string, size size, claim string) *experiment {
	const label = "Do"
	return &experiment{
		id: id, title: title, article: articleWorkers,
		about: "Each unit feeds a murmur3 digest with a text and then 10,000 times with the decimals of its own sum, which allocates all the time. " +
			"The pool Do, with buffers for all units, from one worker to well beyond the CPU count.",
		claim:  claim,
		size:   size,
		axis:   workersAxis,
		better: lower,
		points: func(s scale) []point {
			var ps []point
			for _, workers := range hashingWorkers(s) {
				ps = append(ps, doPoint(label, textUnits, workers, wholeBuffer))
			}
			return append(ps, mapPoint("Map", textUnits))
		},
		judge: func(r *results) verdict {
			words, more, notes := r.beyondCPUs(label)
			return verdict{words: words, effect: more.sees(1, 1-beyondGain/2), ours: r.answer(), notes: notes}
		},
	}
}
