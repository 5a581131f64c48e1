package chanitem

import "time"

// At the pace of a ticker.
func ticks() {
	c := make(chan int)
	go func() {
		t := time.NewTicker(time.Second)
		for i := 0; ; i++ {
			<-t.C
			c <- i
		}
	}()
	for i := range c {
		_ = i
	}
}

// A ticker in the head of the loop slows down the sender or the receiver, and so does one that
// is read with the second result.
func slowly(n int) (last int) {
	c := make(chan int)
	go func() {
		for i := range n {
			c <- i
		}
		close(c)
	}()
	for range time.NewTicker(time.Second).C {
		v, ok := <-c
		if !ok {
			return last
		}
		last = v
	}
	return last
}

func slowlySent() {
	c := make(chan int)
	go func() {
		i := 0
		for range time.Tick(time.Second) {
			i++
			c <- i
		}
	}()
	for i := range c {
		_ = i
	}
}

func pause(t *time.Ticker) {
	for range t.C {
		return
	}
}

func paused(n int, t *time.Ticker) {
	c, d := make(chan int), make(chan int)
	go func() {
		for i := range n {
			if _, ok := <-t.C; !ok {
				break
			}
			c <- i
			pause(t)
			d <- i
		}
	}()
	go func() {
		for range c {
		}
	}()
	for range d {
		_, _ = <-t.C
	}
}

// The outer loop is paced by a channel.
func changes(events <-chan []int) (sum int) {
	c := make(chan int)
	go func() {
		for list := range events {
			for _, v := range list {
				c <- v
			}
		}
		close(c)
	}()
	for v := range c {
		sum += v
	}
	return sum
}
