package chanitem

// Few items.
func few() (sum int) {
	c := make(chan int)
	go func() {
		for i := range 10 {
			c <- i
		}
		for _, i := range []int{1, 2, 3} {
			c <- i
		}
		ten := 10
		for i := range ten {
			c <- i
		}
		for i := 0; i < 999; i++ {
			c <- i
		}
		close(c)
	}()
	for i := range c {
		sum += i
	}
	return sum
}

// Few turns, in steps; many small ones.
func inSteps(n int, data []byte, sum func([]byte)) {
	c := make(chan int)
	go func() {
		for lo := 0; lo < 1<<20; lo += 1 << 18 {
			c <- lo
		}
		for hi := 1 << 20; hi > 0; hi -= 1 << 18 {
			c <- hi - 1<<18
		}
		for lo := 1; lo < 1<<20; lo *= 2 {
			c <- lo
		}
		close(c)
	}()
	for lo := range c {
		sum(data[lo : lo+1<<18])
	}
	odd := make(chan int)
	go func() {
		for i := 3; i < n; i += 2 {
			odd <- i // want `quiet`
		}
		close(odd)
	}()
	for i := range odd {
		_ = i
	}
}

// Ranges have been handed out already.
func ranges(data []byte, chunk int, sum func([]byte)) {
	c, d := make(chan int), make(chan int)
	go func() {
		for lo := 0; lo < len(data); lo += chunk {
			c <- lo
		}
		close(c)
		for lo := 0; lo < len(data); lo += 1024 {
			d <- lo
		}
		close(d)
	}()
	for lo := range c {
		sum(data[lo : lo+chunk])
	}
	for lo := range d {
		sum(data[lo : lo+1024])
	}
}

// One item for each worker.
func perWorker(workers int, partial []int) (sum int) {
	c := make(chan int)
	for w := range workers {
		go func() { c <- partial[w] }()
	}
	go func() {
		for w := range workers {
			c <- w
		}
	}()
	for range workers {
		sum += <-c
	}
	return sum
}

// Signals, errors and functions do not count as items.
func signals(n int) {
	tokens, errs, funcs := make(chan struct{}), make(chan error), make(chan func())
	go func() {
		for range n {
			tokens <- struct{}{}
			errs <- nil
			funcs <- func() {}
		}
	}()
	for range n {
		<-tokens
		<-errs
		(<-funcs)()
	}
}

// Large items.
func large(n int) (sum int) {
	c := make(chan [100]int)
	go func() {
		for i := range n {
			c <- [100]int{i}
		}
		close(c)
	}()
	for a := range c {
		sum += a[0]
	}
	return sum
}

// An item that may be dropped.
func dropped(n int) {
	c := make(chan int)
	go func() {
		for i := range n {
			select {
			case c <- i:
			default:
			}
		}
	}()
	for i := range c {
		_ = i
	}
}
