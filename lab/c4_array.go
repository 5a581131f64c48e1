package lab

import "fmt"

// filled fills a channel completely before it takes anything out.
func filled(n int) (int64, error) {
	full := make(chan int, n)
	filled := make(chan struct{})
	done := make(chan int64)
	free(func() {
		for i := range n {
			full <- i
		}
		close(filled)
	})
	free(func() {
		<-filled
		var sum int64
		for range n {
			sum += int64(<-full)
		}
		done <- sum
	})
	return <-done, nil
}

// sliced does the same with a slice, in the goroutine of the caller, because
// the phases follow each other.
func sliced(n int) (int64, error) {
	full := make([]int, 0, n)
	for i := range n {
		full = append(full, i)
	}
	var sum int64
	for _, v := range full {
		sum += int64(v)
	}
	return sum, nil
}

func c4() *experiment {
	const unit, channel, slice = "ns/int", "full channel", "slice"
	return handingOver("C4", unit, size{300_000, 1_000_000, 1_000_000, "ints"}, func(r *results) verdict {
		x := float64(r.cpus)
		all, array := r.at(channel, x), r.at(slice, x)
		words := fmt.Sprintf("A slice, which also has to hold all ints at once, is %v as fast as the channel, and takes %v the time of MapSeq, which holds only a few.",
			ratio(all, array), ratio(array, r.at("MapSeq", x)))
		if r.cpus == 1 {
			return verdict{words: ", so the figures do not show whether the channel can use a second one", notes: []string{words}}
		}
		alternate, why := takeTurns(r, channel)
		return verdict{
			words: says(alternate, "it is sequential", "it is not sequential",
				"whether it is sequential is undecided") + ": " + why,
			effect: alternate,
			notes:  []string{fmt.Sprintf("With %d CPUs it takes %v the time that it takes with one.", r.cpus, ratio(all, r.at(channel, 1))), words},
		}
	}, func() []point {
		p := sumPoint(channel, unit, filled)
		array := sumPoint(slice, unit, sliced).asAside() // no channel
		return append(append(onOneAndAll(p), busyPoints(p)...), onAll(array))
	})
}
