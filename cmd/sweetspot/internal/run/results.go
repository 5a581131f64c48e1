package run

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
)

// results keeps the outputs of all jobs below a directory, in the layout of GNU
// parallel: DIR/1/VALUE/stdout, stderr and seq, with another pair of number and
// value for each further source of values. Jobs without values, which write over
// each other there, have their number instead.
type results struct {
	dir  string
	lock *os.File   // the directory
	mu   sync.Mutex // held while the files of a job get their names

	probe sync.Once
	tells bool // the file system tells whether a file is unshared
}

// newResults makes the directory and locks it until it is closed, so that no two runs
// write over each other's results.
func newResults(dir string) (*results, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, resultError(err)
	}
	lock, err := os.Open(dir)
	if err != nil {
		return nil, resultError(err)
	}
	if lockDirectory(lock) != nil || reserve(lock) != nil {
		lock.Close()
		return nil, resultError(fmt.Errorf("%s is in use by another run: wait for its end, or give another directory", dir))
	}
	return &results{dir: dir, lock: lock}, nil
}

// A keeping is the place where one job's output is kept. A job writes to files
// with names of their own, which get their names when it has finished: so a
// result that is there is complete, however we end, and two jobs with equal
// values do not mix.
//
// As with the joblog there is no fsync, so a crash of the system is another matter.
// It would cost 3 ms per job (two files and their directory on ext4, median; 12 to 40
// at the 90th percentile), several times what a short job takes.
type keeping struct {
	results *results
	dir     string
	part    [3]string // the files while the job runs
}

var resultNames = [3]string{"stdout", "stderr", "seq"}

// partName returns the name of a file of a job that has not finished.
func partName(name string, seq int64) string { return fmt.Sprintf("%s.%d.part", name, seq) }

// open returns a spool whose files are kept, and where.
func (r *results) open(seq int64, values []string) (*spool.Spool, *keeping, error) {
	k := &keeping{results: r, dir: r.dir}
	for i, v := range values {
		k.dir = filepath.Join(k.dir, strconv.Itoa(i+1), fileName(v))
	}
	if len(k.dir) > longestPath {
		k.dir = filepath.Join(r.dir, "1", fileName(strings.Join(values, "\x00"))) // which no value holds
	}
	if len(values) == 0 {
		k.dir = filepath.Join(k.dir, strconv.FormatInt(seq, 10))
	}
	if err := os.MkdirAll(k.dir, 0o777); err != nil {
		return nil, nil, resultError(err)
	}
	for i, name := range resultNames {
		k.part[i] = filepath.Join(k.dir, partName(name, seq))
	}
	// At the end of the job there may be no file left to open for that.
	if err := os.WriteFile(k.part[2], strconv.AppendInt(nil, seq, 10), 0o666); err != nil {
		k.drop()
		return nil, nil, resultError(err)
	}
	var files [2]*os.File
	for i := range files {
		_ = os.Remove(k.part[i]) // a process of an earlier try may still write to it
		f, err := os.OpenFile(k.part[i], os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o666)
		if err != nil {
			if i == 1 {
				files[0].Close()
			}
			k.drop()
			return nil, nil, resultError(err)
		}
		files[i] = f
	}
	r.probe.Do(func() { r.tells = spool.Unshared(files[0]) })
	return &spool.Spool{Out: files[0], Err: files[1], Dir: k.dir}, k, nil
}

// left reports whether a process that the job of s has left behind may write to its files.
// Where the file system does not tell, those in the group of the job's process count.
func (k *keeping) left(s *spool.Spool, p process.Process) bool {
	if s.Lent || !k.results.tells {
		return p.GroupLives()
	}
	return !s.Unshared()
}

// detach puts so much of what the job of s has written into files that no process has: what is
// left of the job writes on to the old ones, which have no names any more.
func (k *keeping) detach(s *spool.Spool, out, err int64) error {
	for i, n := range [...]int64{out, err} {
		if e := copyAnew(k.part[i], s.Files()[i], n); e != nil {
			return resultError(e)
		}
	}
	return nil
}

// copyAnew copies the beginning of a file to a new one, in place of what has the name.
func copyAnew(name string, from *os.File, n int64) error {
	if err := os.Remove(name); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = copyOutput(f, from, 0, n, make([]byte, 64<<10), nil)
	return cmp.Or(err, f.Close())
}

// end gives the files of a job that has finished their names, and drops those of one that is
// cut.
func (k *keeping) end(cut bool) error {
	if cut {
		k.drop()
		return nil
	}
	k.results.mu.Lock() // or there may be files of two jobs
	defer k.results.mu.Unlock()
	for i, name := range resultNames {
		if err := os.Rename(k.part[i], filepath.Join(k.dir, name)); err != nil {
			return resultError(err)
		}
	}
	return nil
}

// drop removes the files of a job that has not finished.
func (k *keeping) drop() {
	for _, name := range k.part {
		_ = os.Remove(name) // what is left disturbs nobody
	}
}

// resultError returns an error that ends the run: its results would not be complete.
func resultError(err error) error { return fmt.Errorf("--results: %w", err) }

// longestName is how long a name in a directory may be on every file system.
const longestName = 255

// longestPath leaves room for the names of the files in it: macOS takes 1,023 bytes, Linux 4,095.
const longestPath = 900

// fileName returns a value as the name of a directory. As with GNU parallel, a
// slash becomes \_, a NUL \0, a tab \t and a backslash \\; what would be no name,
// or another directory, gets a backslash as well. The rest of a long value is
// replaced by its hash.
func fileName(value string) string {
	name := strings.NewReplacer(`\`, `\\`, "/", `\_`, "\t", `\t`, "\x00", `\0`).Replace(value)
	switch {
	case name == "" || name == "." || name == "..":
		return `\` + name
	case len(name) > longestName:
		sum := sha256.Sum256([]byte(value))
		return name[:longestName-34] + `\~` + hex.EncodeToString(sum[:16])
	}
	return name
}
