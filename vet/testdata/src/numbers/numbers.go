// Package numbers has numbers that bound concurrency, in all the ways in which they are
// written.
package numbers

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"flag"
	"iter"
	"log"
	"net/http"
	"os"
	"runtime"
	"sync"

	"github.com/panjf2000/ants/v2"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
	"numbers/below"
)

// Limits of groups.

func group(names []string) error {
	var g errgroup.Group
	g.SetLimit(20) // want `group limit: 20; the work behind it waits; instead: SetLimiter of a sweetspot.Group`
	for _, name := range names {
		g.Go(func() error { return os.Remove(name) })
	}
	return g.Wait()
}

func groupOfCPUs(blocks [][]byte, sums [][32]byte) {
	var g errgroup.Group
	workers := runtime.GOMAXPROCS(0)
	g.SetLimit(workers) // want `group limit: workers = runtime.GOMAXPROCS\(0\); the work behind it computes`
	for i, b := range blocks {
		g.Go(func() error {
			sums[i] = sha256.Sum256(b)
			return nil
		})
	}
	g.Wait()
}

// The number comes from elsewhere, and so does the work.
func groupGiven(n int, work []func() error) error {
	var g errgroup.Group
	g.SetLimit(n) // want `group limit: n; the work behind it is unknown`
	for _, f := range work {
		g.Go(f)
	}
	return g.Wait()
}

func groupWithout() {
	var g errgroup.Group
	g.SetLimit(-1)
	g.SetLimit(1)
}

// Loops over workers.

const parallelism = 5

func workers(ids chan string, out chan []byte) {
	for i := 0; i < parallelism; i++ { // want `workers: parallelism = 5; the work behind it waits; instead: sweetspot.Pool or ForEachSeq`
		go func() {
			for id := range ids {
				b, err := below.Load(id)
				if err != nil {
					log.Print(err)
				}
				out <- b
			}
		}()
	}
}

type source interface {
	Connections() uint
	Load(ctx context.Context, id string) ([]byte, error)
	Len() int
}

// What takes a context waits.
func mixed(ctx context.Context, s source, ids chan string) {
	count := s.Connections() + uint(runtime.GOMAXPROCS(0))
	for i := uint(0); i < count; i++ { // want `workers: count = s.Connections\(\) \+ uint\(runtime.GOMAXPROCS\(0\)\); the work behind it waits`
		go load(ctx, s, ids)
	}
}

func load(ctx context.Context, s source, ids <-chan string) {
	for {
		select {
		case <-ctx.Done():
			return
		case id := <-ids:
			s.Load(ctx, id)
		}
	}
}

// What is logged, or done under a lock, is beside the work.
func hashes(n int, blocks chan []byte) {
	var mu sync.Mutex
	sums := make(map[[32]byte]int)
	for range n { // want `workers: n; the work behind it computes`
		go func() {
			for b := range blocks {
				sum := sha256.Sum256(b)
				log.Printf("%x", sum)
				mu.Lock()
				sums[sum]++
				mu.Unlock()
			}
		}()
	}
}

// Goroutines that are waited for count by what they do.
func halves(lists [][]string) {
	for i := range 6 { // want `workers: 6; the work behind it computes`
		go func() {
			var both sync.WaitGroup
			both.Go(func() { below.Fold(lists[i][:1]) })
			both.Go(func() { below.Fold(lists[i][1:]) })
			both.Wait()
		}()
	}
}

func called(numWorkers int, f func(int)) {
	for w := range numWorkers { // want `workers: numWorkers; the work behind it is unknown; instead: sweetspot.ForEachIndex or WorkersRange`
		go f(w)
	}
}

func across(lists [][]string) {
	for i := range 4 { // want `workers: 4; the work behind it computes`
		go below.Fold(lists[i])
	}
}

// A goroutine for each element.

func get(url string) { http.Get(url) }

func unbounded(urls []string) {
	for _, u := range urls {
		go get(u) // want `no number: one for each element; the work behind it waits; instead: sweetspot.ForEach$`
	}
}

func unboundedParameter(urls []string, get func(string)) {
	for _, u := range urls {
		go get(u) // want `no number: one for each element; the work behind it is unknown; instead: sweetspot.ForEach$`
	}
}

func unboundedGroup(urls []string) {
	var g errgroup.Group
	for _, u := range urls {
		g.Go(func() error { get(u); return nil }) // want `no number: one for each element; the work behind it waits; instead: SetLimiter`
	}
}

func unboundedIndex(urls []string) {
	for i := range len(urls) {
		go get(urls[i]) // want `no number: one for each turn of the loop; the work behind it waits`
	}
}

// Pools.

func pools(names []string) {
	p, err := ants.NewPool(8) // want `pool: 8; the work behind it waits; instead: sweetspot.Pool`
	if err != nil {
		return
	}
	for _, name := range names {
		p.Submit(func() { os.Remove(name) })
	}
	ants.NewPoolWithFunc(2*runtime.NumCPU(), func(v any) { below.Fold(v.([]string)) }) // want `pool: 2 \* runtime.NumCPU\(\); the work behind it computes`
}

// Semaphores.

func weighted(ctx context.Context, names []string) {
	s := semaphore.NewWeighted(10) // want `semaphore: 10; the work behind it waits; instead: sweetspot.Limiter`
	for _, name := range names {
		s.Acquire(ctx, 1)
		go func() {
			defer s.Release(1)
			os.Remove(name)
		}()
	}
}

type store struct {
	s      source
	tokens chan struct{}
	busy   *semaphore.Weighted
}

func newStore(s source, n int) *store {
	return &store{
		s:      s,
		tokens: make(chan struct{}, n),    // want `semaphore: n; the work behind it waits; instead: sweetspot.Limiter`
		busy:   semaphore.NewWeighted(30), // want `semaphore: 30; the work behind it computes`
	}
}

func (s *store) getToken()     { s.tokens <- struct{}{} }
func (s *store) releaseToken() { <-s.tokens }

func (s *store) load(ctx context.Context, id string) ([]byte, error) {
	s.getToken()
	defer s.releaseToken()
	return s.s.Load(ctx, id)
}

func (s *store) fold(ctx context.Context, v []string) int {
	s.busy.Acquire(ctx, 1)
	defer s.busy.Release(1)
	return below.Fold(v)
}

func tokens(blocks [][]byte) {
	tokens := make(chan bool, 4) // want `semaphore: 4; the work behind it computes`
	for _, b := range blocks {
		tokens <- true
		go func() {
			defer func() { <-tokens }()
			sha256.Sum256(b)
		}()
	}
}

// The tokens are in the channel at first.
func filled(names []string) {
	tokens := make(chan struct{}, 16) // want `semaphore: 16; the work behind it waits`
	for range cap(tokens) {
		tokens <- struct{}{}
	}
	for _, name := range names {
		<-tokens
		go func() {
			os.Remove(name)
			tokens <- struct{}{}
		}()
	}
}

// As many results on their way as the channel has room for.
func ahead(names []string, write func([]byte)) {
	results := make(chan chan []byte, 7) // want `semaphore: 7; the work behind it waits; instead: sweetspot.MapSeq`
	go func() {
		for r := range results {
			write(<-r)
		}
	}()
	for _, name := range names {
		result := make(chan []byte, 1)
		go func() {
			b, _ := os.ReadFile(name)
			result <- b
		}()
		results <- result
	}
	close(results)
}

// The token is taken by one function for another, which gives it back.
func (s *store) enter() func() {
	s.getToken()
	return s.releaseToken
}

func (s *store) remove(id string) {
	defer s.enter()()
	os.Remove(id)
}

// These tell that something is over, or pass something on.
func signals(names []string) {
	done := make(chan struct{}, 2)
	go func() {
		os.Remove(names[0])
		done <- struct{}{}
	}()
	go func() {
		os.Remove(names[1])
		done <- struct{}{}
	}()
	<-done
	<-done
	quit := make(chan struct{}, len(names))
	for _, name := range names {
		quit <- struct{}{}
		os.Remove(name)
		<-quit
	}
	lock := make(chan struct{}, 1)
	lock <- struct{}{}
	get(names[0])
	<-lock
	items := make(chan int, 10)
	go func() { items <- 1 }()
	println(<-items)
}

// Numbers whose names tell what they are.

type Config struct {
	ReadConcurrency uint
	Connections     uint
	MaxIdleConns    int
	Threads         int
	Name            string
}

var standard = Config{Connections: 5, MaxIdleConns: 100, Threads: 1} // want `setting: 5; the work behind it waits; instead: a sweetspot.Limiter, with this as its Max`

func (c *Config) setDefaults() {
	if c.ReadConcurrency == 0 {
		c.ReadConcurrency = 2 // want `setting: 2; the work behind it is unknown`
	}
	c.Connections = c.ReadConcurrency + uint(runtime.GOMAXPROCS(0)) // want `setting: c.ReadConcurrency \+ uint\(runtime.GOMAXPROCS\(0\)\); the work behind it waits`
	c.Connections = c.ReadConcurrency
}

func settings(ctx context.Context, db *sql.DB, names []string) {
	below.Each(ctx, names, 8, os.Remove) // want `setting: 8; the work behind it waits`
	below.Each(ctx, names, len(names), os.Remove)
	db.SetMaxOpenConns(25)                 // want `connections: 25; the work behind it waits; instead: a sweetspot.Limiter in the driver, by contrib/sql`
	_ = http.Transport{MaxConnsPerHost: 6} // want `connections: 6; the work behind it waits; instead: httplimit.Transport`
	runtime.GOMAXPROCS(4)                  // want `GOMAXPROCS: 4; the work behind it is unknown; instead: no call: the runtime knows the CPUs`
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
}

type option struct {
	Name    string
	Default any
}

var (
	jobs    = flag.Int("workers", 12, "how many at a time") // want `default: 12; the work behind it is unknown`
	size    = flag.Int("size", 12, "of what")
	options = []option{
		{Name: "upload_concurrency", Default: 4}, // want `default: 4; `
		{Name: "chunk_size", Default: 4},
	}
)

// What an iterator does, nobody knows who only has it.
func sequence(all iter.Seq[int], sums []int) {
	for i := range 4 { // want `workers: 4; the work behind it is unknown`
		go func() {
			for v := range all {
				sums[i] += v
			}
		}()
	}
}

// What a sync.WaitGroup of a struct starts is not bounded either.
type site struct{ sync.WaitGroup }

func (s *site) visit(urls []string) {
	for _, u := range urls {
		s.Go(func() { get(u) }) // want `no number: one for each element; the work behind it waits; instead: sweetspot.ForEach$`
	}
	s.Wait()
}
