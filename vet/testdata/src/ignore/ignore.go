// Package ignore has comments that silence findings, and some that do not.
package ignore

func silence(n int, data []int) {
	sums := make([]int, n)
	for w := range n {
		go func() {
			//sweetspot:ignore falseshare two goroutines, for 1 ms
			for range data {
				//sweetspot:ignore recspawn it is none
				//sweetspot:ignore falseshare two goroutines, for 1 ms
				//sweetspot:ignore shardpad it is none // nor was it ever
				sums[w]++
			}
		}()
	}
}

func not(n int, data []int) {
	sums := make([]int, n)
	for w := range n {
		go func() {
			for range data {
				//sweetspot:ignore falseshare // want `ignore/quiet: this directive silences nothing, as it gives no reason: write //sweetspot:ignore falseshare and why`
				sums[w]++ // want `falseshare/quiet: each goroutine writes`
			}
		}()
		go func() {
			for range data {
				//sweetspot:ignore falseshares they are two // want `ignore/quiet: there is no check "falseshares"; the checks are .*falseshare, `
				sums[w]++ // want `falseshare/quiet: each goroutine writes`
			}
		}()
		go func() {
			for range data {
				//sweetspot:ignore // want `ignore/quiet: this directive silences nothing: write //sweetspot:ignore, the check and the reason`
				sums[w]++ // want `falseshare/quiet: each goroutine writes`
			}
		}()
		go func() {
			for range data {
				// sweetspot:ignore falseshare the space makes it a remark
				sums[w]++ // want `falseshare/quiet: each goroutine writes`
			}
		}()
		go func() {
			for range data {
				//sweetspot:ignored falseshare this is another word
				sums[w]++ // want `falseshare/quiet: each goroutine writes`
			}
		}()
		go func() {
			for range data {
				//sweetspot:ignore falseshare too far up

				sums[w]++ // want `falseshare/quiet: each goroutine writes`
			}
		}()
	}
}

// What a generated function writes is not told.
func written(n int, data []int) {
	sums := make([]int, n)
	for w := range n {
		go fill(sums, w, data)
	}
}
