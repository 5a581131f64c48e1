// Package recspawn has recursions that start goroutines.
package recspawn

import (
	"os"
	"path/filepath"
	"sync"
)

// In place, with a group.
func quicksort(s []int) {
	if len(s) < 2 {
		return
	}
	m := partition(s)
	var wg sync.WaitGroup
	wg.Go(func() { quicksort(s[:m]) }) // want `recspawn/quiet: quicksort starts a goroutine`
	wg.Go(func() { quicksort(s[m+1:]) })
	wg.Wait()
}

func partition(s []int) int {
	m := 0
	for i, v := range s[1:] {
		if v < s[0] {
			m++
			s[m], s[i+1] = s[i+1], s[m]
		}
	}
	s[0], s[m] = s[m], s[0]
	return m
}

// The results come by channels, those of the smallest too.
func mergesort(s []int, out chan<- []int) {
	if len(s) <= 1 {
		out <- s
		return
	}
	left, right := make(chan []int), make(chan []int)
	go mergesort(s[:len(s)/2], left) // want `recspawn/quiet: mergesort starts a goroutine`
	go mergesort(s[len(s)/2:], right)
	out <- merge(<-left, <-right)
}

func merge(a, b []int) []int { return append(a, b...) }

// A method, of the children of a node.
type tree struct {
	left, right *tree
	v           int
}

func (t *tree) sum() int {
	if t == nil {
		return 0
	}
	var l, r int
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { // want `recspawn/quiet: sum starts a goroutine`
		defer wg.Done()
		l = t.left.sum()
	}()
	go func() {
		defer wg.Done()
		r = t.right.sum()
	}()
	wg.Wait()
	return l + r + t.v
}

// A function in a variable; a helper that the goroutine runs.
func closure(n int) int {
	var count func(n int) int
	count = func(n int) int {
		if n == 0 {
			return 1
		}
		c := make(chan int)
		go func() { c <- count(n - 1) }() // want `recspawn/quiet: count starts a goroutine`
		return count(n-1) + <-c
	}
	return count(n)
}

func size(t *tree, out chan<- int) {
	if t == nil {
		out <- 0
		return
	}
	c := make(chan int)
	go side(t.left, c) // want `recspawn/quiet: size starts a goroutine`
	go side(t.right, c)
	out <- 1 + <-c + <-c
}

func side(t *tree, out chan<- int) {
	size(t, out)
}

// A goroutine for each child.
func walk(dir string, wg *sync.WaitGroup, sizes chan<- int64) {
	defer wg.Done()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() {
			wg.Add(1)
			go walk(filepath.Join(dir, e.Name()), wg, sizes) // want `recspawn/info: walk starts a goroutine for each child, at every level`
		} else if info, err := e.Info(); err == nil {
			sizes <- info.Size()
		}
	}
}

type node interface{ children() []node }

// A goroutine for each node, by functions that are passed on.
func markBy(root node, refs func(node, func(node))) {
	grays := make(chan node)
	var wg sync.WaitGroup
	send := func(n node) {
		wg.Add(1)
		grays <- n
	}
	go func() {
		for gray := range grays {
			go refs(gray, send) // want `recspawn/info: this starts a goroutine for each value of grays`
		}
	}()
	send(root)
}

// The bounds are compared with each other.
func between(s []int, low, high int, done chan<- bool) {
	if low < high {
		m := low + partition(s[low:high+1])
		half := make(chan bool)
		go between(s, low, m-1, half) // want `recspawn/quiet: between starts a goroutine`
		between(s, m+1, high, nil)
		<-half
	}
	if done != nil {
		done <- true
	}
}

// Each half has a condition of its own, and a goroutine for what is left.
func halves(left, right []int, out chan<- []int) {
	a, b := make(chan []int), make(chan []int)
	if len(left) > 1 {
		go halves(left[:len(left)/2], left[len(left)/2:], a) // want `recspawn/quiet: halves starts a goroutine`
	} else {
		go func() { a <- left }()
	}
	if len(right) > 1 {
		go halves(right[:len(right)/2], right[len(right)/2:], b)
	} else {
		go func() { b <- right }()
	}
	out <- merge(<-a, <-b)
}

// A goroutine for each of a number of parts that the data decide.
func parts(s []int, n int) {
	if len(s) <= 1 {
		return
	}
	list := make([][]int, min(n, len(s)))
	for i := range list {
		list[i] = s[i*len(s)/len(list) : (i+1)*len(s)/len(list)]
	}
	var wg sync.WaitGroup
	for _, part := range list {
		wg.Go(func() { parts(part, n) }) // want `recspawn/info: parts starts a goroutine for each child`
	}
	wg.Wait()
}

// At the end of the recursion only a call is left. Its arguments change places from level to
// level, but none becomes smaller.
func hanoi(n int, from, to, via *tree) {
	if n == 1 {
		move(from, to)
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { hanoi(n-1, from, via, to) }) // want `recspawn/quiet: hanoi starts a goroutine`
	hanoi(n-1, via, to, from)
	wg.Wait()
}

func move(from, to *tree) { from.v, to.v = to.v, from.v }

// The group is a part of a struct.
type crew struct {
	sync.WaitGroup
	sum int
}

func embedded(t *tree) int {
	if t == nil {
		return 0
	}
	var c crew
	c.Go(func() { c.sum = embedded(t.left) }) // want `recspawn/quiet: embedded starts a goroutine`
	right := embedded(t.right)
	c.Wait()
	return t.v + c.sum + right
}
