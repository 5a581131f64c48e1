// Package unboundedgo starts goroutines in loops, of which some are bounded.
package unboundedgo

import (
	"bufio"
	"context"
	"iter"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

func lines(s *bufio.Scanner, handle func(string) error) {
	for s.Scan() {
		line := s.Text()
		go handle(line) // want `unboundedgo/info: a goroutine is started for each token scanned, as many at once as there are: sweetspot.ForEachSeq runs as many at a time as pay`
	}
}

func received(c <-chan string, handle func(string) error) {
	for v := range c {
		go handle(v) // want `unboundedgo/info: a goroutine is started for each value received`
	}
}

func sequence(seq iter.Seq[string], handle func(string) error) {
	var g errgroup.Group
	for v := range seq {
		g.Go(func() error { return handle(v) }) // want `unboundedgo/info: .* value of the sequence, .*: give the group a limit with SetLimit, or one that is found, with the SetLimiter of a sweetspot.Group`
	}
	g.Wait()
}

func rows(matrix [][]float64, f func([]float64)) {
	for _, row := range matrix {
		go f(row) // want `unboundedgo/info: .* each row`
	}
}

func files(f func(string)) error {
	names, err := os.ReadDir(".")
	if err != nil {
		return err
	}
	for _, n := range names {
		go f(n.Name()) // want `unboundedgo/info: .* each element read`
	}
	for _, field := range strings.Fields("a b") {
		go f(field) // want `unboundedgo/info: .* each element read`
	}
	words := strings.Split("a b", " ")
	for _, w := range words {
		go f(w) // want `unboundedgo/info: .* each element read`
	}
	return nil
}

func constant(f func(int)) {
	for i := 0; i < 1000000; i++ {
		go f(i) // want `unboundedgo/info: .* each turn of the loop`
	}
}

func ofContext(ctx context.Context, c <-chan string, handle func(string) error) error {
	g, ctx := errgroup.WithContext(ctx)
	h := &errgroup.Group{}
	_ = ctx
	for v := range c {
		g.Go(func() error { return handle(v) }) // want `unboundedgo/info: .* value received`
		h.Go(func() error { return handle(v) }) // want `unboundedgo/info: .* value received`
	}
	h.Wait()
	return g.Wait()
}

// As many as the array is long, whatever is written of it.
func array(f func()) {
	for range [100000]struct{}{} {
		go f() // want `unboundedgo/info: .* each turn of the loop`
	}
}

// It does next to nothing.
func counted(items []string, sum *atomic.Int64) {
	for _, item := range items {
		go func() { // want `unboundedgo/info: a goroutine is started for each element, and does less than starting it takes`
			sum.Add(int64(len(item)))
		}()
	}
}

type item struct{ name string }

func elements(items []item, byName map[string]item, f func(item)) {
	for _, i := range items {
		go f(i) // want `unboundedgo/hot: .* each element,`
	}
	for _, i := range byName {
		go f(i) // want `unboundedgo/hot: .* each element,`
	}
	for i := range len(items) {
		go f(items[i]) // want `unboundedgo/hot: .* each turn of the loop`
	}
}

// None of these.

func fewTurns(f func(int)) {
	for i := range 10 {
		go f(i)
	}
	for _, i := range []int{1, 2, 3} {
		go f(i)
	}
	for i := range [...]int{5: 1} {
		go f(i)
	}
	for i := range runtime.NumCPU() {
		go f(i)
	}
	n := runtime.GOMAXPROCS(0) * 2
	for i := 0; i < n; i++ {
		go f(i)
	}
}

// In steps, so that there are few.
func inParts(f func(int)) {
	for lo := 0; lo < 1000000; lo += 250000 {
		go f(lo)
	}
	for hi := 1000000; hi >= 0; hi -= 250000 {
		go f(hi)
	}
	for size := 1; size < 1000000; size *= 2 {
		go f(size) // want `hot: `
	}
}

func workers(numWorkers int, f func(int)) {
	for w := range numWorkers {
		go f(w)
	}
}

func limited(work []uint64, f func(uint64) error) error {
	var g errgroup.Group
	g.SetLimit(8)
	for _, u := range work {
		g.Go(func() error { return f(u) })
	}
	return g.Wait()
}

func tried(work []uint64, f func(uint64) error) {
	var g errgroup.Group
	for _, u := range work {
		if !g.TryGo(func() error { return f(u) }) {
			f(u)
		}
	}
}

// The group of somebody else may have a limit.
func given(g *errgroup.Group, work []uint64, f func(uint64) error) {
	for _, u := range work {
		g.Go(func() error { return f(u) })
	}
}

func newGroup() *errgroup.Group {
	g := new(errgroup.Group)
	g.SetLimit(8)
	return g
}

func configure(g *errgroup.Group) { g.SetLimit(8) }

// The limit is set in another function.
func limitedThere(c <-chan string, handle func(string) error) error {
	g := newGroup()
	var h errgroup.Group
	configure(&h)
	for v := range c {
		g.Go(func() error { return handle(v) })
		h.Go(func() error { return handle(v) })
	}
	h.Wait()
	return g.Wait()
}

type pool struct{}

func (pool) Go(f func()) { f() }

func pooled(p pool, work []uint64, f func(uint64)) {
	for _, u := range work {
		p.Go(func() { f(u) })
	}
}

func tokens(work []uint64, f func(uint64)) {
	tokens := make(chan struct{}, 4)
	for _, u := range work {
		tokens <- struct{}{}
		go func() {
			defer func() { <-tokens }()
			f(u)
		}()
	}
}

type semaphore interface{ Acquire(int) error }

func acquired(s semaphore, work []uint64, f func(uint64)) {
	for _, u := range work {
		if err := s.Acquire(1); err != nil {
			break
		}
		go f(u)
	}
}

func batches(work []uint64, chunks [][]uint64, f func(uint64)) {
	for len(work) > 0 {
		n := min(100, len(work))
		var wg sync.WaitGroup
		for _, u := range work[:n] {
			wg.Go(func() { f(u) })
		}
		wg.Wait()
		work = work[n:]
	}
	for _, c := range chunks {
		go f(c[0])
	}
}

func divide(n, by int) []int { return make([]int, by) }

func divided(n int, f func(int)) {
	for _, part := range divide(n, runtime.NumCPU()) {
		go f(part)
	}
}

func one(work []uint64, f func(uint64)) {
	for _, u := range work {
		if u != 0 {
			go f(u)
			break
		}
	}
}

func oneOfGroup(wg *sync.WaitGroup, c <-chan uint64, f func(uint64)) {
	for v := range c {
		wg.Go(func() { f(v) })
		break
	}
	for v := range c {
		if v != 0 {
			wg.Go(func() { f(v) })
			return
		}
	}
}

func configured(listeners []uint64, plugins []func(), f func(uint64)) {
	for _, l := range listeners {
		go f(l)
	}
	for _, p := range plugins {
		go p()
	}
}

type task struct{ in chan int }

func (t *task) run() {}

func (t *task) forever() {
	for v := range t.in {
		_ = v
	}
}

func lasting(ids []uint64, tasks chan *task) {
	for t := range tasks {
		go t.run()
	}
	for t := range tasks {
		go t.forever()
	}
	for id := range ids {
		go func() {
			for {
				runtime.Gosched()
				_ = id
			}
		}()
	}
}

func accepted(accept func() (uint64, error), f func(uint64)) {
	for {
		c, err := accept()
		if err != nil {
			return
		}
		go f(c)
	}
}

type request struct {
	key   uint64
	reply chan uint64
}

// A server, whose requests wait for their replies.
func served(requests chan request, f func(uint64) uint64) {
	for r := range requests {
		go func() { r.reply <- f(r.key) }()
	}
	for r := range requests {
		go func() {
			v := f(r.key)
			r.reply <- v
		}()
	}
}

// A goroutine that only hands over.
func handed(lists <-chan []uint64, c chan []uint64) {
	for list := range lists {
		go func() { c <- list }()
	}
}

// The disks of a machine, in any order.
func shuffled(disks []item, f func(item)) {
	for _, i := range rand.Perm(len(disks)) {
		go f(disks[i]) // want `hot: `
	}
}

// Numbers of servers.
func asked(ctx context.Context, ids []int32, ask func(context.Context, int32) error) {
	for _, id := range ids {
		go func() { // want `hot: `
			ask(ctx, id)
		}()
	}
}

// Who there is to talk to, by their numbers.
type broker struct{}

func (*broker) ask() {}

func peers(ids, brokerIDs []int32, find func(int32) *broker, ask func(int32)) {
	for _, id := range ids {
		b := find(id)
		go func(b *broker) { b.ask() }(b)
	}
	for _, id := range brokerIDs {
		go ask(id)
	}
	for _, id := range ids {
		go ask(id) // want `info: .* each number`
	}
}

// Addresses, and what is done now and then.
func addressed(routes [][]byte, c <-chan int, f func([]byte)) {
	for _, g := range routes {
		go f(g) // want `hot: `
	}
	n := 0
	for range c {
		n++
		if n > 1000 {
			n = 0
			go f(nil) // want `hot: `
		}
	}
}

// A recursion is another check's.
func visit(n uint64, children func(uint64) []uint64, wg *sync.WaitGroup) {
	for _, c := range children(n) {
		wg.Go(func() { visit(c, children, wg) })
	}
}
