// Package chanitem has channels that carry one item at a time, and some that look
// like it.
package chanitem

import (
	"math"
	"os"
	"runtime"
	"sync"
	"time"

	"chanitem/remote"
)

// Through parameters of functions of their own.
func parameters(values []float64) float64 {
	c := make(chan float64)
	go produce(values, c)
	return consume(c)
}

func produce(values []float64, to chan<- float64) {
	for _, v := range values {
		to <- math.Sqrt(v) // want `chanitem/quiet: each float64 passes`
	}
	close(to)
}

func consume(from <-chan float64) (sum float64) {
	for {
		v, ok := <-from
		if !ok {
			return sum
		}
		sum += v
	}
}

// Workers that get one index each.
func workers(n int, f func(int) float64) []float64 {
	out := make([]float64, n)
	indexes := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range indexes {
				out[i] = f(i)
			}
		})
	}
	for i := range n {
		indexes <- i // want `chanitem/quiet: .*: hand out ranges of them, as sweetspot.WorkersRange does, or slices`
	}
	close(indexes)
	wg.Wait()
	return out
}

// What a generic function sends is of a size that is not known, whatever is taken for it here.
func each[T any](items []T) <-chan T {
	c := make(chan T)
	go func() {
		defer close(c)
		for _, item := range items {
			c <- item
		}
	}()
	return c
}

func eachPointer[T any](items []T) <-chan *T {
	c := make(chan *T)
	go func() {
		defer close(c)
		for i := range items {
			c <- &items[i] // want `chanitem/quiet: each \*T passes .*: return an iter.Seq\[\*T\]`
		}
	}()
	return c
}

func ofInts(items []int) (sum int) {
	for item := range each(items) {
		sum += item
	}
	for item := range eachPointer(items) {
		sum += *item
	}
	return sum
}

// A generator.
type tree struct {
	left, right *tree
	keys        []int
}

func (t *tree) iter(done <-chan struct{}) <-chan int {
	c := make(chan int)
	go func() {
		defer close(c)
		for _, k := range t.keys {
			select {
			case c <- k: // want `chanitem/quiet: .*: return an iter.Seq\[int\], which needs no goroutine and leaks none if the reader stops`
			case <-done:
				return
			}
		}
	}()
	return c
}

// Each is its reader, in this package.
func (t *tree) Each(f func(int)) {
	for k := range t.iter(nil) {
		f(k)
	}
}

// A generator that other packages read.
func Numbers(n int) <-chan int {
	c := make(chan int)
	go func() {
		for i := range n {
			c <- i // want `chanitem/quiet: .*: return an iter.Seq\[int\]`
		}
		close(c)
	}()
	return c
}

// A stage of a pipeline.
func double(in <-chan int) <-chan int {
	out := make(chan int)
	go func() {
		for v := range in {
			out <- 2 * v // want `chanitem/info: .*: do the work of this stage in the one before or after it`
		}
		close(out)
	}()
	return out
}

func pipeline() (sum int) {
	for v := range double(double(Numbers(10))) {
		sum += v
	}
	return sum
}

// The third listing: a channel for each reply.
func replies() (sum int) {
	requests := make(chan chan int, 100)
	go func() {
		for i := 0; i < 1000000; i++ {
			reply := <-requests
			reply <- i // want `hot`
		}
	}()
	for i := 0; i < 1000000; i++ {
		reply := make(chan int, 100)
		requests <- reply // want `chanitem/info: each turn makes a channel for one reply, and parks twice to get it`
		sum += <-reply
	}
	return sum
}

// An element goes to workers that compute for long: they may hide the channel.
func primes(n int, found func(int)) {
	c := make(chan int)
	for range 4 {
		go func() {
			for i := range c {
				if prime(i) {
					found(i)
				}
			}
		}()
	}
	for i := range n {
		c <- i // want `hot`
	}
	close(c)
}

func prime(n int) bool {
	for i := 2; i*i <= n; i++ {
		if n%i == 0 {
			return false
		}
	}
	return true
}

// As many items as the array is long, whatever is written of it.
func arrays() (sum int) {
	c := make(chan int)
	go func() {
		for i := range [1000]struct{}{} {
			c <- i // want `quiet`
		}
		marks := [1000]bool{7: true}
		for i := range marks {
			c <- i // want `quiet`
		}
		for i := range []int{999: 1} {
			c <- i // want `quiet`
		}
		close(c)
	}()
	for i := range c {
		sum += i
	}
	return sum
}

// From here on there is nothing to report but where a profile says so.

// The items are jobs: files to remove.
func removals(urls []string) {
	c := make(chan string)
	for range 4 {
		go func() {
			for url := range c {
				os.Remove(url)
			}
		}()
	}
	for _, url := range urls {
		c <- url
	}
	close(c)
}

// I/O in another package, in functions and methods.
func stored(n int, client *remote.Client) {
	a, b := make(chan int), make(chan int)
	go func() {
		for i := range a {
			remote.Store(i)
		}
	}()
	go func() {
		for i := range b {
			client.Send(i)
		}
	}()
	for i := range n {
		a <- i
		b <- i
	}
}

// In another package, but no I/O.
func halved(n int) (sum int) {
	c := make(chan int)
	go func() {
		for i := range n {
			c <- i // want `quiet`
		}
		close(c)
	}()
	for i := range c {
		sum += remote.Half(i)
	}
	return sum
}

// I/O behind an interface: what can fail.
type byteWriter interface{ WriteByte(byte) error }

func written(w byteWriter, data []byte) {
	c := make(chan byte)
	go func() {
		for _, b := range data {
			c <- b
		}
		close(c)
	}()
	for b := range c {
		w.WriteByte(b)
	}
}

// Making an item takes I/O.
func lines(f *os.File) (n int) {
	c := make(chan int)
	go func() {
		buf := make([]byte, 1000)
		for {
			k, err := f.Read(buf)
			if err != nil {
				break
			}
			c <- k
		}
		close(c)
	}()
	for k := range c {
		n += k
	}
	return n
}

// What Scan does is not known.
type scanner interface {
	Scan() bool
	Text() string
}

func scanned(s scanner) (n int) {
	c := make(chan string)
	go func() {
		for s.Scan() {
			c <- s.Text() // want `hot`
		}
		close(c)
	}()
	for line := range c {
		n += len(line)
	}
	return n
}

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

// Signals, errors and functions are no items.
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

// A state is not an item, however often it is told.
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
