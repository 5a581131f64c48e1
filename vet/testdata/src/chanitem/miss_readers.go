package chanitem

import "chanitem/remote"

// A channel that comes from elsewhere.
func Foreign(n int, c chan int) {
	for i := range n {
		c <- i // want `hot`
	}
}

// A channel of several.
func several(n int, shards []chan int) {
	for i := range n {
		shards[i%len(shards)] <- i
	}
}

// A channel for each turn.
func perTurn(n int, lists [][]int) (sum int) {
	for _, list := range lists {
		c := make(chan int)
		go func() {
			for _, v := range list {
				c <- v // want `quiet`
			}
			close(c)
		}()
		for v := range c {
			sum += v
		}
	}
	return sum
}

// Each goroutine sends once.
func equal(a, b [][]int) bool {
	c := make(chan bool)
	for i := range a {
		go func() {
			for j := range a[i] {
				if a[i][j] != b[i][j] {
					c <- false
					return
				}
			}
			c <- true
		}()
	}
	same := true
	for range a {
		same = <-c && same
	}
	return same
}

// A subscription, which does not say that it is over.
func Subscribe(done <-chan struct{}, items []int) (<-chan int, func()) {
	out := make(chan int)
	go func() {
		for _, i := range items {
			select {
			case out <- i: // want `hot`
			case <-done:
				return
			}
		}
	}()
	return out, func() {}
}

// Who waits takes one value each, and goes on.
type batcher struct {
	queue   chan int
	waiters int
}

func (b *batcher) wait() int { return <-b.queue }

func (b *batcher) release() {
	for id := range b.waiters {
		b.queue <- id // want `hot`
	}
}

func newBatcher() *batcher { return &batcher{queue: make(chan int)} }

// A channel of states carries no items, even if many are sent.
type ready bool

func told(n int) (times int) {
	c, d := make(chan bool), make(chan ready)
	go func() {
		for i := range n {
			c <- i > 0
		}
		close(c)
	}()
	go func() {
		for i := range n {
			d <- i > 0
		}
		close(d)
	}()
	for range c {
		times++
	}
	for range d {
		times++
	}
	return times
}

// A goroutine that keeps a balance: where it sends, it does not receive.
func bank(deposits chan int, balances chan int) {
	balance := 0
	for {
		select {
		case amount := <-deposits:
			balance += amount
		case balances <- balance: // want `hot`
		}
	}
}

func banked() int {
	deposits, balances := make(chan int), make(chan int)
	go bank(deposits, balances)
	deposits <- 1
	return <-balances
}

// A counter that somebody reads one by one, and news that it is over.
func counted(done <-chan bool) (sum int) {
	c := make(chan int)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			case c <- i: // want `quiet: .*: send slices`
			}
		}
	}()
	for i := range c {
		sum += i
	}
	return sum
}

// A channel that a type hands out: who reads it, and what for, is not known.
type Producer struct{ successes chan int }

func NewProducer() *Producer { return &Producer{successes: make(chan int)} }

func (p *Producer) Successes() <-chan int { return p.successes }

func (p *Producer) flush(batch []int) {
	for _, v := range batch {
		p.successes <- v // want `hot`
	}
}

func (p *Producer) drain() {
	for range p.successes {
	}
}

// A channel that is read through an interface of this package, be it by a call or by a method value.
type source interface {
	items() <-chan int
	more() <-chan int
}

type feed struct{ out, rest chan int }

func newFeed() *feed { return &feed{out: make(chan int), rest: make(chan int)} }

func (f *feed) items() <-chan int { return f.out }

func (f *feed) more() <-chan int { return f.rest }

func (f *feed) flush(batch []int) {
	for _, v := range batch {
		f.out <- v // want `hot`
	}
	for _, v := range batch {
		f.rest <- v // want `hot`
	}
}

func (f *feed) drain() {
	for range f.out {
	}
	for range f.rest {
	}
}

func store(s source, client *remote.Client) {
	for v := range s.items() {
		client.Send(v)
	}
	more := s.more
	for v := range more() {
		client.Send(v)
	}
}

// The sieve of many tutorials, its functions exported.
func Generate(c chan<- int) {
	for i := 2; ; i++ {
		c <- i // want `quiet: each int passes`
	}
}

func Filter(in <-chan int, out chan<- int, prime int) {
	for i := range in {
		if i%prime != 0 {
			out <- i // want `info: .*: do the work of this stage`
		}
	}
}

func Sieve(n int) (primes []int) {
	c := make(chan int)
	go Generate(c)
	for range n {
		prime := <-c
		primes = append(primes, prime)
		next := make(chan int)
		go Filter(c, next, prime)
		c = next
	}
	return primes
}

// The inner loop ends with what it sends.
func firsts(rows [][]int) (sum int) {
	c := make(chan int)
	go func() {
		defer close(c)
	next:
		for _, row := range rows {
			for _, v := range row {
				if v > 0 {
					c <- v
					continue next
				}
			}
		}
	}()
	for v := range c {
		sum += v
	}
	return sum
}

// A continue of the loop itself does not end it.
func positives(row []int) (sum int) {
	c := make(chan int)
	go func() {
		defer close(c)
	next:
		for _, v := range row {
			if v > 0 {
				c <- v // want `chanitem/quiet: each int passes`
				continue next
			}
		}
	}()
	for v := range c {
		sum += v
	}
	return sum
}
