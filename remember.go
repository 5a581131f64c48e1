package sweetspot

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/sweetspot-go/sweetspot/internal/learnt"
	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/sense"
)

// A Memory keeps what Limiters learn from one process to the next; see [Remember]. A nil
// *Memory, as an option of [New], keeps nothing.
type Memory struct {
	dir string

	mu       sync.Mutex
	learners []*learner // one a file, that of the newest Limiter last, at most learnt.Most
}

// Remember keeps what Limiters learn in files of the folder dir, which it makes if need be. A
// program should use a folder of its own, such as one in [os.UserCacheDir]. As an option
// of [New], a Memory makes a Limiter begin with the limit that the last process has found:
//
//	memory, err := sweetspot.Remember(filepath.Join(cache, "thumbnails"))
//	...
//	defer memory.Save()
//	l := sweetspot.New(sweetspot.Name("resize"), memory)
//
// A limit is found again by the [Name] of the Limiter, which must have one, the type of its
// controller, the host and its number of CPUs. It replaces [Start] and is never trusted. If
// units are refused, or if there is no room for so many, the law goes on from there at
// once, and otherwise after 10 s. If the throughput is more than 20 % lower than then while callers
// wait for a permit, it goes on from a limit that is lower by the same factor. A limit is
// learnt once callers have waited for permits at it for a second.
//
// Limiters write what they have learnt after their first 10 s with units in flight, and
// then once a minute; [Memory.Save] does so at the end. A file has some hundred bytes. The
// newest 500 stay; other files in the folder are left alone. Processes may use one folder
// at the same time: the last one counts. A file that cannot be read is not used but
// replaced, and the [Logger] of the Limiter gets a warning.
//
// The error says why the folder cannot be used.
func Remember(dir string) (*Memory, error) {
	if dir == "" {
		return nil, errors.New(`sweetspot: Remember(""): want a folder, such as one in os.UserCacheDir`)
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("sweetspot: Remember: %w", err)
	}
	return &Memory{dir: dir}, nil
}

// Save writes what the Limiters have learnt since the last write. Call it when the program
// ends; the Memory and its Limiters can still be used afterwards. The error is the first
// that the system returns.
func (m *Memory) Save() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var err error
	for _, l := range m.learners {
		err = cmp.Or(err, l.keep())
	}
	if err != nil {
		return fmt.Errorf("sweetspot: what was learnt is not kept: %w", err)
	}
	return nil
}

func (m *Memory) limiter(c *loop.Config) {
	if m != nil {
		c.Recall = m.recall
	}
}

// recall makes c begin with what is known of its work.
func (m *Memory) recall(c *loop.Config) {
	switch {
	case c.Name == "":
		panic("sweetspot: New: a Memory needs the option Name, by which it finds again what was learnt")
	case c.Observe:
		return // the limit is not the law's
	case c.Sensor == nil:
		c.Sensor = sense.NewProcess()
	}
	cpus := c.Sensor.Sense(0).CPUs
	if math.IsNaN(cpus) || math.IsInf(cpus, 0) {
		cpus = 0 // not known: JSON has no such numbers
	}
	file := learnt.File(m.dir, learnt.Digest(learnt.WorkDigits, c.Name, fmt.Sprintf("%T", c.Controller)), cpus)
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.learner(file, c.Name, cpus)
	_ = l.keep() // Save reports what fails
	last, err := learnt.Read(file)
	start := c.Start
	if start == 0 {
		start = runtime.GOMAXPROCS(0)
	}
	if err == nil {
		c.Start = last.Limit
	} else if !errors.Is(err, fs.ErrNotExist) && c.Logger != nil {
		c.Logger.Warn("sweetspot: what was learnt is not used", "limiter", c.Name, "err", err)
	}
	law := learnt.NewLaw(c.Controller, start, last)
	c.Controller, c.After = law, func() { l.afterTick(law) }
}

// learner returns that of a file, as the newest. m.mu is held.
func (m *Memory) learner(file, name string, cpus float64) *learner {
	l := &learner{name: name, cpus: cpus, file: file}
	if at := slices.IndexFunc(m.learners, func(l *learner) bool { return l.file == file }); at >= 0 {
		l = m.learners[at]
		m.learners = slices.Delete(m.learners, at, at+1)
	}
	if m.learners = append(m.learners, l); len(m.learners) > learnt.Most {
		m.learners = m.learners[1:]
	}
	return l
}

// A learner keeps what the Limiters of one file learn, which have the same name: that of
// the one that has learnt last. It does not hold the Limiters, which may be dropped.
type learner struct {
	name string
	cpus float64
	file string

	writing sync.Mutex // held while the file is written, so not by ticks that have nothing to write

	mu     sync.Mutex
	now    learnt.Lesson
	isNews bool // it is not in the file
}

// keep writes what was learnt since it was written last. Else it would replace what
// another process has learnt since by what is older.
func (l *learner) keep() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	now, isNews := l.now, l.isNews
	l.isNews = false
	l.mu.Unlock()
	if !isNews {
		return nil
	}
	now.Name, now.CPUs = l.name, l.cpus
	err := now.Keep(l.file)
	if err != nil {
		l.mu.Lock()
		l.isNews = true
		l.mu.Unlock()
	}
	return err
}

// note takes over what a law has learnt.
func (l *learner) note(law *learnt.Law) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now, is := law.News(); is {
		l.now, l.isNews = now, true
	}
}

// afterTick is called at each tick. What cannot be written [Memory.Save] tries once more,
// and says what is wrong.
func (l *learner) afterTick(law *learnt.Law) {
	l.note(law)
	if law.Due() {
		_ = l.keep()
	}
}
