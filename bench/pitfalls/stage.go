package pitfalls

// stages is a pipeline whose stages do next to nothing.
func stages() pitfall {
	return pitfall{"chanitem", "a pipeline of three stages", "number", 1 << 15, func(n int) []form {
		return []form{
			{name: "a goroutine for each stage", run: func() int {
				total := 0
				for x := range squared(plusOne(squaresSent(n))) {
					total += x
				}
				return total
			}},
			{name: "one loop", run: func() int {
				total := 0
				for x := range squares(n) {
					total += (x + 1) * (x + 1)
				}
				return total
			}},
		}
	}}
}

func plusOne(in <-chan int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for x := range in {
			out <- x + 1
		}
	}()
	return out
}

func squared(in <-chan int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for x := range in {
			out <- x * x
		}
	}()
	return out
}
