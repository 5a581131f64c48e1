package learnt

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/limit"
)

// A Lesson is what was learnt about some work. Fields that are not known are 0.
type Lesson struct {
	Version int       `json:"version"`
	Name    string    `json:"name"` // of the work, for people
	CPUs    float64   `json:"cpus"`
	Limit   int       `json:"limit"`
	Found   bool      `json:"found"`                  // the search had come to an end, or the limit was tried before
	Trial   int       `json:"trial,omitempty"`        // the limit to begin with, once, where the search goes on from run to run
	Rate    float64   `json:"rate"`                   // weight that was done per second while units waited for a permit
	Weight  float64   `json:"weight,omitempty"`       // mean of what is done under a permit; 1
	Seconds float64   `json:"seconds,omitempty"`      // that a unit took, on average
	Memory  int64     `json:"memory_bytes,omitempty"` // that the largest unit held
	Jobs    int64     `json:"jobs,omitempty"`         // units that succeeded
	Learnt  time.Time `json:"learnt"`                 // when it was kept
}

const (
	// version is that of the files that this code writes.
	version = 1
	// Most bounds a folder: of more lessons, the oldest go.
	Most = 500
	// largest bounds a file, in bytes. With the longest name a lesson has some 1,000.
	largest = 4096
	// longestName bounds the name in it.
	longestName = 200
)

// Digest returns what tells some work from all other, in so many hexadecimal digits. The
// values are strings, numbers and lists of them; they cannot be read from it.
func Digest(digits int, of ...any) string {
	b, err := json.Marshal(of)
	if err != nil {
		panic(err) // strings and numbers only
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])[:digits]
}

// The name of a file: digests of the work, and of the host and its CPUs.
const (
	WorkDigits    = 16
	machineDigits = 8
	extension     = ".json"
	unfinished    = ".lesson-" // begins the names of files that are not written to their end
)

// File returns the path of the lesson about work, a [Digest] of [WorkDigits], on this host
// with so many CPUs.
func File(dir, work string, cpus float64) string {
	host, _ := os.Hostname() // without a name: as good as any
	return filepath.Join(dir, work+"-"+Digest(machineDigits, host, runtime.GOOS, cpus)+extension)
}

// isFile reports whether a name is one of [File].
func isFile(name string) bool {
	digits, is := strings.CutSuffix(name, extension)
	return is && len(digits) == WorkDigits+1+machineDigits && digits[WorkDigits] == '-' &&
		strings.Trim(digits, "0123456789abcdef-") == ""
}

// Files returns the paths of the lessons in a folder whose names begin so. There are none
// in a folder that is not there.
func Files(dir, begin string) (files []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if name := e.Name(); isFile(name) && strings.HasPrefix(name, begin) {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files, err
}

// Read returns the lesson in a file. The error says what is wrong with the file.
func Read(file string) (*Lesson, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe waits for its other end
		return nil, fmt.Errorf("%s: it is damaged: not a regular file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, largest+1))
	if err != nil {
		return nil, err
	}
	l, err := parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return l, nil
}

func parse(b []byte) (*Lesson, error) {
	if len(b) > largest {
		return nil, fmt.Errorf("it is damaged: longer than %d bytes", largest)
	}
	l := new(Lesson)
	if err := json.Unmarshal(b, l); err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	switch {
	case l.Version > version:
		return nil, fmt.Errorf("it is of version %d, and this sweetspot reads %d: a newer one wrote it", l.Version, version)
	case l.Version < 1, l.Limit < 1, l.Limit > limit.MaxLimit, l.Trial < 0, l.Trial > limit.MaxLimit, !(l.Rate > 0), !(l.Weight >= 0), l.Memory < 0:
		return nil, errors.New("it is damaged: a figure is out of range")
	}
	return l, nil
}

// Keep writes the lesson as that of now. It is written beside its place and then renamed, so
// readers see all of it or nothing. Of more than [Most] lessons in the folder, it removes
// the oldest, and no other files.
func (l Lesson) Keep(file string) error {
	l.Version, l.Learnt = version, time.Now().UTC()
	l.Name = l.Name[:min(len(l.Name), longestName)]
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, unfinished)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // not there once it is renamed
	if err := cmp.Or(json.NewEncoder(f).Encode(l), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return err
	}
	return prune(dir)
}

// prune removes the oldest lessons of a folder, so that [Most] are left. What a process that
// was killed has left unfinished counts.
func prune(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !isFile(e.Name()) && !strings.HasPrefix(e.Name(), unfinished)
	})
	if len(entries) <= Most {
		return nil
	}
	age := func(e fs.DirEntry) time.Time {
		info, err := e.Info()
		if err != nil {
			return time.Time{} // another process has removed it
		}
		return info.ModTime()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return age(b).Compare(age(a)) })
	for _, e := range entries[Most:] {
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
