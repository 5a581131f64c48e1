package share_test

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/company"
	"github.com/sweetspot-go/sweetspot/internal/share"
)

// A town is where processes share a name, by one clock.
type town struct {
	*testing.T
	dir   string
	clock time.Time
}

func newTown(t *testing.T) *town {
	isolated(t)
	return &town{T: t, clock: time.Now()}
}

// open lets a process join.
func (o *town) open(process string) *share.Folder {
	o.Helper()
	f, err := share.OpenAs("db", process, func() time.Time { return o.clock })
	if err != nil {
		o.Fatal(err)
	}
	o.Cleanup(func() { f.Close() })
	o.dir = filepath.Dir(f.File())
	return f
}

// pass lets time pass, in which each process exchanges every 10 ms.
func (o *town) pass(d time.Duration, fs ...*share.Folder) {
	for range d / (10 * time.Millisecond) {
		o.clock = o.clock.Add(10 * time.Millisecond)
		for _, f := range fs {
			add(f, 0)
		}
	}
}

// files returns how many files there are.
func (o *town) files() int {
	es, err := os.ReadDir(o.dir)
	if err != nil && !os.IsNotExist(err) {
		o.Fatal(err)
	}
	return len(es)
}

// add adds work to what a process has done, and returns by how much that of the others has
// grown.
func add(f *share.Folder, work float64) float64 { return f.Add(control.Others{Work: work}).Work }

func (o *town) want(what string, got, want float64) {
	o.Helper()
	if math.Abs(got-want) > 1e-9 {
		o.Errorf("%s: the others have grown by %v, want %v", what, got, want)
	}
}

// removesOpenFiles skips a test where the system does not.
func removesOpenFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files stay until they are stale")
	}
}

func TestProcessesSeeEachOther(t *testing.T) {
	o := newTown(t)
	a, b, c := o.open("a"), o.open("b"), o.open("c")
	if met := a.Met(); met != 0 {
		t.Errorf("the first one has met %d", met)
	}
	o.pass(time.Second, a, b, c)
	add(a, 1)
	add(b, 20)
	o.pass(20*time.Millisecond, a, b, c)
	o.want("a", add(a, 0), 20)
	o.want("b", add(b, 0), 1)
	o.want("c", add(c, 0), 21)
	d := o.open("d")
	add(b, 300)
	o.pass(time.Second, a, b, c, d)
	o.want("a", add(a, 0), 320)
	o.want("one that came later", add(d, 0), 300)
	add(d, 4000)
	o.pass(20*time.Millisecond, a, b, c, d)
	o.want("a", add(a, 0), 4320)
	b.Close() // having been there counts
	o.pass(time.Second, a, c, d)
	for i, f := range []*share.Folder{a, b, c, d} {
		if met := f.Met(); met != 3 {
			t.Errorf("process %d has met %d others, want 3", i, met)
		}
	}
}

// Files are read and written no more often than that.
func TestPace(t *testing.T) {
	o := newTown(t)
	a, b := o.open("a"), o.open("b")
	o.pass(time.Second, a, b)
	add(a, 1) // within the pace: kept
	o.clock = o.clock.Add(share.Pace - 1)
	add(a, 1)
	add(b, 0)
	o.clock = o.clock.Add(1)
	o.want("not written yet", add(b, 0), 0)
	add(a, 1)
	o.want("b has just looked", add(b, 0), 0)
	o.clock = o.clock.Add(share.Pace)
	o.want("b", add(b, 0), 3)
}

// Two Sharings of one process do not count twice what its Limiters know anyway.
func TestOneProcessIsNotItsOwnPeer(t *testing.T) {
	o := newTown(t)
	a, again := o.open("a"), o.open("a")
	o.pass(time.Second, a, again)
	add(a, 1)
	o.pass(time.Second, a, again)
	o.want("the same process", add(again, 0), 0)
	if o.files() != 2 {
		t.Errorf("%d files, want 2", o.files())
	}
}

// What happened while a process stood still does not count as a burst when it goes on.
func TestPauseIsNoBurst(t *testing.T) {
	o := newTown(t)
	a, b := o.open("a"), o.open("b")
	o.pass(time.Second, a, b)
	for range 1000 {
		add(b, 1)
		o.pass(10*time.Millisecond, b)
	}
	o.want("after a pause", add(a, 0), 0)
	add(b, 1)
	o.pass(20*time.Millisecond, a, b)
	o.want("then", add(a, 0), 1)
}

// A process that ends without a word stands still. Whatever process is there a
// minute later removes its file, and so does one that is older than this run.
func TestStaleFilesGo(t *testing.T) {
	o := newTown(t)
	a, dead := o.open("a"), o.open("dead")
	old := filepath.Join(o.dir, "1-OLD.1")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	add(dead, 5)
	o.pass(10*time.Millisecond, dead)
	age := func(path string, d time.Duration) {
		t.Helper()
		if err := os.Chtimes(path, o.clock.Add(-d), o.clock.Add(-d)); err != nil {
			t.Fatal(err)
		}
	}
	age(old, share.Stale-time.Second)
	age(a.File(), share.Stale+time.Second) // Windows does not say that an open file is written to
	o.pass(share.Roll, a)
	if info, err := os.Stat(a.File()); err != nil || o.clock.Sub(info.ModTime()) > share.Roll {
		t.Errorf("the file of one that lives looks old: %v, %v", info.ModTime(), err)
	}
	if o.files() != 3 {
		t.Errorf("%d files, want 3: the old one is not a minute old", o.files())
	}
	age(old, share.Stale+time.Second)
	age(dead.File(), share.Stale+time.Second)
	before := add(a, 0)
	o.pass(share.Roll, a)
	if o.files() != 1 {
		t.Errorf("%d files, want 1", o.files())
	}
	// It was only stopped, and goes on.
	add(dead, 100)
	o.pass(2*share.Roll, a, dead)
	o.want("one that came back", add(a, 0), before)
	add(dead, 7)
	o.pass(20*time.Millisecond, a, dead)
	o.want("one that came back", add(a, 0), before+7)
	if met := a.Met(); met != 2 {
		t.Errorf("met %d others, want 2: one that comes back is not another", met)
	}
}

// The folder may go while processes use it: something cleans up, or the last one leaves as
// another comes.
func TestFolderIsMadeAnew(t *testing.T) {
	removesOpenFiles(t)
	o := newTown(t)
	a, b := o.open("a"), o.open("b")
	o.pass(time.Second, a, b)
	if err := os.RemoveAll(filepath.Dir(o.dir)); err != nil {
		t.Fatal(err)
	}
	o.pass(2*share.Roll+20*time.Millisecond, a, b)
	add(a, 3)
	o.pass(20*time.Millisecond, a, b)
	o.want("b", add(b, 0), 3)
}

func TestCloseLeavesNothing(t *testing.T) {
	removesOpenFiles(t)
	o := newTown(t)
	a, b := o.open("a"), o.open("b")
	o.pass(time.Second, a, b)
	for range 2 {
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if o.files() != 1 {
		t.Errorf("%d files, want that of b", o.files())
	}
	add(a, 1)
	o.pass(2*time.Second, a, b)
	o.want("one that has left", add(b, 0), 0)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(o.dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

// What else is in the folder neither counts nor hurts.
func TestStrangeFiles(t *testing.T) {
	o := newTown(t)
	a := o.open("a")
	// The time is 1 s, and the checksum is right if complement is that of 0.
	float := func(x float64, complement uint64) string {
		work, time := math.Float64bits(x), math.Float64bits(1)
		b := binary.LittleEndian.AppendUint64(nil, work)
		b = binary.LittleEndian.AppendUint64(b, time)
		return string(binary.LittleEndian.AppendUint64(b, work^time^complement))
	}
	texts := []string{"", "x", "12345678", "123456781234567812345678", float(math.NaN(), ^uint64(0)), float(math.Inf(1), ^uint64(0)), float(-5, ^uint64(0)), float(5, 0)}
	for i, text := range texts {
		if err := os.WriteFile(filepath.Join(o.dir, fmt.Sprint("f", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(o.dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	_ = os.Symlink(a.File(), filepath.Join(o.dir, "link")) // some systems have none
	o.pass(time.Second, a)
	// Halves of a number: neither what it was nor what it will be.
	for i := range texts {
		if err := os.WriteFile(filepath.Join(o.dir, fmt.Sprint("f", i)), []byte(float(1e9, uint64(i)+1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	add(a, 1)
	o.pass(time.Second, a)
	o.want("strange files", add(a, 0), 0)
	// The first number that can be read is where one begins; a smaller one is a new beginning.
	for i, x := range []float64{1e9, 1e9 + 2, 10, 11} {
		if err := os.WriteFile(filepath.Join(o.dir, "f0"), []byte(float(x, ^uint64(0))), 0o600); err != nil {
			t.Fatal(err)
		}
		o.pass(20*time.Millisecond, a)
		o.want(fmt.Sprint("number ", i), add(a, 0), []float64{0, 2, 2, 3}[i])
	}
}

// A file that cannot be written stands still.
func TestWriteFails(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	o := newTown(t)
	a, b := o.open("a"), o.open("b")
	if err := os.Remove(a.File()); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(o.dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(o.dir, fs.FileMode(0o700))
	add(b, 2)
	o.pass(2*time.Second, a, b)
	o.want("a", add(a, 0), 2)
	if a.File() != "" {
		t.Errorf("a has a file: %s", a.File())
	}
}

// A folder that cannot be listed for a moment is not taken for one that is gone: all stay.
func TestListFails(t *testing.T) {
	removesOpenFiles(t)
	o := newTown(t)
	a, b := o.open("a"), o.open("b")
	o.pass(time.Second, a, b)
	file, aside := a.File(), o.dir+"-aside"
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Rename(o.dir, aside))
	must(os.WriteFile(o.dir, nil, 0o600)) // a file, where the folder was
	o.pass(share.Roll, a, b)
	add(b, 2)
	o.pass(share.Roll, a, b)
	o.want("a, meanwhile", add(a, 0), 2)
	must(os.Remove(o.dir))
	must(os.Rename(aside, o.dir))
	add(b, 3)
	o.pass(2*share.Roll, a, b)
	o.want("a, afterwards", add(a, 0), 5)
	if a.File() != file {
		t.Errorf("a has the file %q, and had %q", a.File(), file)
	}
}

// Many Limiters of each process exchange at once; the race detector looks on.
func TestAddIsConcurrent(t *testing.T) {
	isolated(t)
	const work = 1.0 / 1024 // sums are exact
	var all []*share.Folder
	for i := range 3 {
		f, err := share.OpenAs("db", fmt.Sprint("p", i), time.Now)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	var group sync.WaitGroup
	for _, f := range all {
		for range 8 {
			group.Go(func() {
				last := 0.0
				for range 3000 {
					x := add(f, work)
					if x < last || x > 2*8*3000*work {
						t.Errorf("the others' progress went from %v to %v, and is at most %v", last, x, 2*8*3000*work)
						return
					}
					last = x
				}
			})
		}
	}
	group.Wait()
	for _, f := range all {
		f.Close()
	}
}

// What a process says it has done never goes back, whoever of its Limiters was first to ask: others would count it twice.
func TestNoStepBack(t *testing.T) {
	o := newTown(t)
	var during func() // the next look at the clock
	f, err := share.OpenAs("db", "a", func() time.Time {
		if d := during; d != nil {
			during = nil
			d()
		}
		return o.clock
	})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := o.open("b")
	o.pass(share.Roll, f, b)
	o.clock = o.clock.Add(10 * time.Millisecond)
	during = func() { add(f, 1) } // comes in while the other exchanges
	add(f, 1)
	o.clock = o.clock.Add(10 * time.Millisecond)
	o.want("both", add(b, 0), 2)
}

// Members of two Companies whose processes share a name are company to each other: each
// that queues and does as much as usual adds 1 a second.
func TestMembersOfTwoProcesses(t *testing.T) {
	o := newTown(t)
	var loops []*loop
	for _, process := range []string{"a", "b"} {
		c, f := new(company.Company), o.open(process)
		for range 2 {
			l := &loop{Member: c.Join(f), residence: 10 * time.Millisecond}
			l.Wake()
			loops = append(loops, l)
		}
	}
	run := func(d time.Duration) {
		for range d / (10 * time.Millisecond) {
			o.clock = o.clock.Add(10 * time.Millisecond)
			for _, l := range loops {
				l.observe()
			}
		}
	}
	run(3 * time.Second)
	for _, l := range loops {
		l.residence *= 2
	}
	run(5 * time.Second)
	before := loops[0].r.Others
	run(time.Second)
	if got := loops[0].r.Others.Minus(before).Work; math.Abs(got-3) > 0.3 {
		t.Errorf("three others queue: Others grew by %.3f in a second, want 3", got)
	}
}

// A loop does 1000 units/s; a reading comes every 10 ms.
type loop struct {
	company.Member
	residence time.Duration
	r         control.Reading
}

func (l *loop) observe() {
	r := &l.r
	r.At += 10 * time.Millisecond
	r.Completed += 10
	r.Timed, r.Units = r.Completed, float64(r.Completed)
	r.Residence += 10 * l.residence.Seconds()
	l.Observe(r)
}
