package jobserver_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/jobserver"
	"github.com/sweetspot-go/sweetspot/sense"
)

// serving serves a pipe in a bubble, until the function that it returns is called. That returns
// what jobserver.Serve does.
func serving(p *pipe, l *sweetspot.Limiter, sensor *jobserver.Sensor, unused int) (stop func() (int64, int, string)) {
	done, served := make(chan struct{}), make(chan struct{})
	var turns int64
	var lost int
	var said string
	go func() {
		defer close(served)
		turns, lost, said = jobserver.Serve(p, l, sensor, p.written, func() int { return unused }, time.Second, done)
	}()
	synctest.Wait()
	return func() (int64, int, string) {
		close(done)
		<-served
		p.Put(1) // ends what still waits for one
		return turns, lost, said
	}
}

// search returns a Limiter that searches as the command does.
func search(sensor *jobserver.Sensor, cpus int) *sweetspot.Limiter {
	least := jobserver.Least(float64(cpus))
	return sweetspot.New(sweetspot.Start(least), sweetspot.Min(least), sweetspot.Sensor(sensor))
}

// The law finds the number for each kind of client, though each returns its tokens in its own way.
func TestFindsTheNumber(t *testing.T) {
	for _, work := range []struct {
		name          string
		cpus          int
		wait, compute time.Duration
		most          int     // jobs at a time
		share         float64 // of the throughput of a machine whose CPUs are full
		seconds       int
	}{
		{"compiling", 4, 0, 300 * time.Millisecond, 8, 0.95, 60},
		{"half waiting", 4, 150 * time.Millisecond, 150 * time.Millisecond, 20, 0.75, 60},
		{"mostly waiting", 2, 400 * time.Millisecond, 20 * time.Millisecond, 128, 0.75, 90},
	} {
		for name, run := range map[string]client{"make": likeMake, "ninja": likeNinja, "cargo": likeCargo} {
			t.Run(work.name+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					m, p := newMachine(work.cpus, work.wait, work.compute), newPipe()
					sensor := jobserver.NewSensor(m, m.look)
					l := search(sensor, work.cpus)
					unused := 0
					if name == "ninja" {
						unused = 1
					}
					stop := serving(p, l, sensor, unused)
					rate := float64(work.cpus) / work.compute.Seconds()
					jobs := int(rate * float64(work.seconds))
					began := time.Now()
					run(t, m, p, jobs)
					took := time.Since(began)
					turns, lost, _ := stop()
					share := float64(jobs) / rate / took.Seconds()
					t.Logf("%d jobs in %v, %.2f of full CPUs; limit %d, most %d, %d turns", jobs, took, share, l.Limit(), m.most, turns)
					if share < work.share {
						t.Errorf("%.2f of what full CPUs do, want %.2f: %v", share, work.share, l.Decisions())
					}
					if m.most > work.most {
						t.Errorf("%d jobs ran at a time, want no more than %d: %v", m.most, work.most, l.Decisions())
					}
					if lost > 0 {
						t.Errorf("%d tokens counted as lost", lost)
					}
				})
			})
		}
	}
}

// While the first jobs wait for the disk, idle CPUs do not call for more jobs: clients would keep the
// tokens.
func TestColdStart(t *testing.T) {
	for name, run := range map[string]client{"make": likeMake, "ninja": likeNinja, "cargo": likeCargo} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, p := newMachine(2, 0, time.Second), newPipe()
				m.cold = time.Now().Add(700 * time.Millisecond)
				sensor := jobserver.NewSensor(m, m.look)
				l := search(sensor, 2)
				stop := serving(p, l, sensor, 1)
				run(t, m, p, 60)
				if stop(); m.most > 4 {
					t.Errorf("%d jobs ran at a time, want no more than 4: %v", m.most, l.Decisions())
				}
			})
		})
	}
}

// All tokens are there at the start, a lower limit takes back those that come back, a higher one adds some.
func TestFollowsTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, p := newMachine(8, 97*time.Millisecond, 0), newPipe() // not in step with the looks
		sensor := jobserver.NewSensor(m, m.look)
		l := sweetspot.New(sweetspot.Sensor(sensor))
		l.SetLimit(6)
		stop := serving(p, l, sensor, 0)
		if n := p.Level(); n != 5 {
			t.Fatalf("%d tokens at a limit of 6, want 5", n)
		}
		ended := make(chan struct{})
		go func() { likeMake(t, m, p, 900); close(ended) }()
		for _, limit := range []int{6, 2, 9, 1, 4} {
			l.SetLimit(limit)
			time.Sleep(3 * time.Second)
			synctest.Wait()
			m.mu.Lock()
			if m.running != limit {
				t.Errorf("%d jobs run at a limit of %d", m.running, limit)
			}
			m.mu.Unlock()
		}
		<-ended
		time.Sleep(time.Second)
		if n := p.Level(); n != 3 {
			t.Errorf("at the end %d tokens are there at a limit of 4", n)
		}
		if _, lost, said := stop(); lost != 0 {
			t.Errorf("%d tokens counted as lost: %s", lost, said)
		}
	})
}

// Tokens of a dead client are replaced a second after its last job has ended. If one was not lost after
// all and comes back, it is one too many, and goes.
func TestLostTokens(t *testing.T) {
	const unused = 0
	synctest.Test(t, func(t *testing.T) {
		m, p := newMachine(8, time.Hour, 0), newPipe()
		var working atomic.Int64 // threads
		working.Store(8)
		sensor := jobserver.NewSensor(m, func() (sense.Usage, bool) { return sense.Usage{Ends: int(working.Load())}, true })
		l := sweetspot.New(sweetspot.Sensor(sensor))
		l.SetLimit(8)
		stop := serving(p, l, sensor, unused)
		p.Take(7)
		steps := []struct {
			working, level int
			after          time.Duration
			when           string
		}{
			{8, 0, 10 * time.Second, "all work"},
			{9, 0, 10 * time.Second, "one more works"},
			{6, 0, 800 * time.Millisecond, "two clients are dead, and that may be a pause"},
			{8, 0, 10 * time.Second, "it was one"},
			{5, 0, 900 * time.Millisecond, "three are dead"},
			{5, 3, 400 * time.Millisecond, "and stay so"},
			{5, 3, 10 * time.Second, "the others work on"},
			{1, 7, 2 * time.Second, "all are dead"},
		}
		for _, s := range steps {
			working.Store(int64(s.working))
			time.Sleep(s.after)
			synctest.Wait()
			if n := p.Level(); n != s.level {
				t.Fatalf("%s: %d tokens are there, want %d", s.when, n, s.level)
			}
		}
		p.give()
		p.give()
		time.Sleep(time.Second)
		if n := p.Level(); n != 7 {
			t.Errorf("two that were taken for lost came back: %d tokens are there, want 7", n)
		}
		if _, lost, said := stop(); lost != 7 {
			t.Errorf("%d tokens counted as lost, want 7: %s", lost, said)
		}
	})
}

// While one job runs alone, the limit stays as it was, however long.
func TestRestsWhileOneRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, p := newMachine(16, 0, 100*time.Millisecond), newPipe()
		sensor := jobserver.NewSensor(m, m.look)
		l := search(sensor, 16)
		stop := serving(p, l, sensor, 0)
		for range 20 {
			m.job()
		}
		time.Sleep(5 * time.Minute)
		if n, a := l.Limit(), l.Stats().Active; n != 17 || a > 2*time.Second {
			t.Errorf("limit %d after %v of work, want 17 and hardly any", n, a)
		}
		began := time.Now()
		likeMake(t, m, p, 16*10*5)
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("the rest of the build took %v, want the 5 s of 16 CPUs", took)
		}
		stop()
	})
}

// A ninja whose jobs all have tokens has lost none, and one of several that are lost may be such a place.
func TestPlaceWithoutToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, p := newMachine(8, 0, 0), newPipe()
		var working atomic.Int64
		working.Store(7)
		sensor := jobserver.NewSensor(m, func() (sense.Usage, bool) { return sense.Usage{Ends: int(working.Load())}, true })
		l := sweetspot.New(sweetspot.Sensor(sensor))
		l.SetLimit(8)
		stop := serving(p, l, sensor, 1)
		p.Take(7)
		time.Sleep(10 * time.Second)
		if n := p.Level(); n != 0 {
			t.Errorf("%d tokens replaced, though one place of eight was empty", n)
		}
		working.Store(4)
		time.Sleep(10 * time.Second)
		if n := p.Level(); n != 3 {
			t.Errorf("%d tokens replaced, want three of the four that may be lost", n)
		}
		if _, lost, _ := stop(); lost != 3 {
			t.Errorf("%d tokens counted as lost, want 3", lost)
		}
	})
}
