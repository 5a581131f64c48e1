package jobserver

import (
	"os"
	"testing"
)

// A Pool is a real pipe.
type Pool struct{ pool *pool }

func (p *Pool) Level() int     { return p.pool.level() }
func (p *Pool) Put(n int) int  { return p.pool.put(n) }
func (p *Pool) Take(n int) int { return p.pool.take(n) }
func (p *Pool) Most() int      { return p.pool.most() }
func (p *Pool) Catch()         { p.pool.catch() }
func (p *Pool) Caught() bool   { return p.pool.caught() }
func (p *Pool) Unused() int    { return p.pool.unused() }
func (p *Pool) Close()         { p.pool.close() }

// Room returns how many tokens a pipe of so many bytes may hold.
func Room(size, page int) int { return room(size, page) }

// Ends opens the pipe for a client, which is to close them.
func (p *Pool) Ends(t *testing.T) (files []*os.File) {
	t.Helper()
	for _, mode := range []int{os.O_RDONLY, os.O_WRONLY} {
		fd, err := p.pool.end(mode)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, os.NewFile(uintptr(fd), "token pipe"))
	}
	return files
}

// A Watch is one of a real pipe.
type Watch struct{ watch watch }

func (w *Watch) Writes() int { return w.watch.writes() }
func (w *Watch) Close()      { w.watch.close() }

// NewPool makes a pipe that is watched.
func NewPool() (*Pool, *Watch, error) {
	p, err := newPool()
	if err != nil {
		return nil, nil, err
	}
	w, err := newWatch(p.path)
	return &Pool{p}, &Watch{w}, err
}

// Usable returns the jobserver that flags lead to.
func Usable(flags string) string { return usable(flags) }

// NewBuildSensor returns that of the processes below the test.
func NewBuildSensor() *Sensor { return newSensor() }
