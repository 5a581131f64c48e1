package pitfalls

// collect keeps numbers until all are there.
func collect() pitfall {
	return pitfall{"chanarray", "a list", "number", 1 << 16, func(n int) []form {
		return []form{
			{name: "a channel", run: func() int { return listInChannel(n) }},
			{name: "a slice", run: func() int { return listInSlice(n) }},
		}
	}}
}

func listInChannel(n int) (total int) {
	list := make(chan int, n)
	for i := range n {
		list <- i * i
	}
	close(list)
	for x := range list { // in the goroutine that has filled it
		total += x
	}
	return total
}

func listInSlice(n int) (total int) {
	list := make([]int, 0, n)
	for i := range n {
		list = append(list, i*i)
	}
	for _, x := range list {
		total += x
	}
	return total
}
