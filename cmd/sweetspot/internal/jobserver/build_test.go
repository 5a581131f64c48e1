package jobserver_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

// A pipe is one of tokens in memory. It counts who writes.
type pipe struct {
	tokens   chan struct{}
	catching bool
	catches  chan struct{}
	writes   atomic.Int64
}

func newPipe() *pipe {
	return &pipe{tokens: make(chan struct{}, 10_000), catches: make(chan struct{}, 1)}
}

func (p *pipe) Level() int { return len(p.tokens) }

func (p *pipe) Put(n int) int {
	for range n {
		p.tokens <- struct{}{}
	}
	p.writes.Add(1)
	return n
}

func (p *pipe) Take(n int) int {
	for i := range n {
		select {
		case <-p.tokens:
		default:
			return i
		}
	}
	return n
}

func (p *pipe) Most() int { return cap(p.tokens) }

func (p *pipe) Catch() {
	if p.catching {
		return
	}
	p.catching = true
	go func() {
		<-p.tokens
		p.catches <- struct{}{}
	}()
}

func (p *pipe) Caught() bool {
	select {
	case <-p.catches:
		p.catching = false
		return true
	default:
		return false
	}
}

// give is a client's.
func (p *pipe) give() {
	p.tokens <- struct{}{}
	p.writes.Add(1)
}

// written returns how often was written since the last call.
func (p *pipe) written() int { return int(p.writes.Swap(0)) }

// A machine runs the jobs of a simulated build: each waits and computes.
type machine struct {
	cpus    int
	wait    time.Duration
	compute time.Duration // on average

	mu      sync.Mutex
	running int
	rate    float64 // CPUs in use
	used    float64 // CPU seconds until at
	at      time.Time
	done    int
	most    int       // that ran at a time
	cold    time.Time // until then jobs wait for the disk first
	random  *rand.Rand
}

func newMachine(cpus int, wait, compute time.Duration) *machine {
	return &machine{cpus: cpus, wait: wait, compute: compute, at: time.Now(), random: rand.New(rand.NewPCG(1, 2))}
}

// job runs one job.
func (m *machine) job() {
	m.mu.Lock()
	cold := time.Until(m.cold)
	m.running++
	m.most = max(m.most, m.running)
	m.mu.Unlock()
	time.Sleep(cold)
	m.mu.Lock()
	m.pass()
	busy := m.compute.Seconds() * (0.5 + m.random.Float64())
	took := max(m.wait.Seconds()+busy, busy*float64(m.running)/float64(m.cpus))
	rate := busy / took
	m.rate += rate
	m.mu.Unlock()
	time.Sleep(time.Duration(took * float64(time.Second)))
	m.mu.Lock()
	m.pass()
	m.running--
	m.rate -= rate
	m.done++
	m.mu.Unlock()
}

// pass brings the CPU time up to date. It is called with mu held.
func (m *machine) pass() {
	now := time.Now()
	m.used += min(m.rate, float64(m.cpus)) * now.Sub(m.at).Seconds()
	m.at = now
}

func (m *machine) cpu() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pass()
	return m.used
}

func (m *machine) look() (sense.Usage, bool) {
	u := sense.Usage{CPU: m.cpu()}
	m.mu.Lock()
	defer m.mu.Unlock()
	u.Ends = max(m.running, 1)
	return u, true
}

// Sense makes it a sensor.
func (m *machine) Sense(int) sense.Sample {
	used := m.cpu()
	return sense.Sample{OwnCPU: used, MachineCPU: used, CPUs: float64(m.cpus)}
}

// A client runs so many jobs on a machine with the tokens of a pipe, as one of the programs does.
type client func(t *testing.T, m *machine, p *pipe, jobs int)

// likeMake gives a token back for each job that ends while others run.
func likeMake(_ *testing.T, m *machine, p *pipe, jobs int) {
	ended := make(chan struct{})
	for running := 0; jobs > 0 || running > 0; {
		more := p.tokens
		switch {
		case jobs == 0:
			more = nil
		case running == 0:
			jobs--
			running++
			go func() { m.job(); ended <- struct{}{} }()
			continue
		}
		select {
		case <-more:
			jobs--
			running++
			go func() { m.job(); ended <- struct{}{} }()
		case <-ended:
			if running--; running > 0 {
				p.give()
			}
		}
	}
}

// likeNinja takes tokens only when a job of its own ends, and the place without one is as good
// as any.
func likeNinja(_ *testing.T, m *machine, p *pipe, jobs int) {
	ended := make(chan bool) // whether the job had a token
	free := true
	for running := 0; jobs > 0 || running > 0; {
		for jobs > 0 {
			token := !free
			if token && p.Take(1) == 0 {
				break
			}
			free = false
			jobs--
			running++
			go func() { m.job(); ended <- token }()
		}
		if token := <-ended; token {
			p.give()
		} else {
			free = true
		}
		running--
	}
}

// likeCargo keeps its tokens as long as there are jobs.
func likeCargo(_ *testing.T, m *machine, p *pipe, jobs int) {
	ended := make(chan struct{})
	for running, held := 0, 0; jobs > 0 || running > 0; {
		for jobs > 0 && running <= held {
			jobs--
			running++
			go func() { m.job(); ended <- struct{}{} }()
		}
		for ; held > max(running-1, 0); held-- {
			p.give()
		}
		more := p.tokens
		if jobs == 0 {
			more = nil
		}
		select {
		case <-more:
			held++
		case <-ended:
			running--
		}
	}
}
