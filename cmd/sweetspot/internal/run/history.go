package run

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A history is what a joblog says of the jobs of earlier runs.
type history struct {
	name string
	flag string // that names it
	jobs []past // by number, one for each
	seed maphash.Seed
}

// A past is a job that has finished. Its command is kept as a hash, so that a
// log of a million jobs needs some 40 MB, however long their commands are.
type past struct {
	seq     int64
	command uint64
	line    int64 // in the log
	failed  bool
	took    float64 // s
}

// unwritten is how a file looks where a power failure came between its length and its
// bytes. A record has fewer NULs in a row, for the newlines of a command; see [logged].
var unwritten = strings.Repeat("\x00", 64)

// read reads a log from its beginning, and returns the length of its complete
// lines: what follows them is a record that a kill cut short, or what a power failure
// left. keep says that the jobs are wanted.
func (h *history) read(f io.Reader, keep bool) (whole int64, err error) {
	h.seed = maphash.MakeSeed()
	mark := []byte(unwritten)
	r := bufio.NewReaderSize(f, 64<<10)
	for n := int64(1); ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if n == 1 && !strings.HasPrefix(joblogHeader, string(line)) {
				return 0, h.foreign()
			}
			break
		}
		if err != nil {
			return 0, h.unreadable(err)
		}
		if n > 1 && bytes.Contains(line, mark) {
			break
		}
		if n == 1 {
			if string(line) != joblogHeader {
				return 0, h.foreign()
			}
		} else if keep {
			p, ok := h.parse(line)
			if !ok {
				return 0, fmt.Errorf("%s: line %d of %s is not a record of a job: want nine columns with tabs between them, as in its first line", h.flag, n, h.name)
			}
			p.line = n
			h.jobs = append(h.jobs, p)
		}
		whole += int64(len(line))
	}
	// Of several records of a job the last counts: the others are of runs before
	// a --resume-failed.
	slices.SortFunc(h.jobs, func(a, b past) int {
		return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(b.line, a.line))
	})
	h.jobs = slices.CompactFunc(h.jobs, func(a, b past) bool { return a.seq == b.seq })
	return whole, nil
}

func (h *history) unreadable(err error) error {
	return fmt.Errorf("%s: cannot read %s: %w", h.flag, h.name, bare(err))
}

func (h *history) irregular() error {
	return fmt.Errorf("--resume: %s is not a regular file, from which the jobs of an earlier run could be read", h.name)
}

func (h *history) foreign() error {
	return fmt.Errorf("%s: %s is not a joblog: its first line is not %q", h.flag, h.name, strings.TrimSuffix(joblogHeader, "\n"))
}

func (h *history) parse(line []byte) (past, bool) {
	line = line[:len(line)-1]
	var field [8][]byte
	for i := range field {
		var ok bool
		if field[i], line, ok = bytes.Cut(line, []byte{'\t'}); !ok {
			return past{}, false
		}
	}
	seq, err1 := strconv.ParseInt(string(field[0]), 10, 64)
	status, err2 := strconv.ParseInt(string(field[6]), 10, 64)
	signal, err3 := strconv.ParseInt(string(field[7]), 10, 64)
	if err1 != nil || err2 != nil || err3 != nil || seq < 1 {
		return past{}, false
	}
	took, err := strconv.ParseFloat(strings.TrimSpace(string(field[3])), 64)
	if err != nil {
		return past{}, false
	}
	return past{seq: seq, command: maphash.Bytes(h.seed, line), failed: status != 0 || signal != 0, took: took}, true
}

// hash returns what a command is kept as.
func (h *history) hash(command string) uint64 {
	return maphash.String(h.seed, logged(command))
}

// command returns the command in a line of the log, for people to compare.
func (h *history) command(line int64) string {
	text, _ := os.ReadFile(h.name)
	lines := strings.SplitN(string(text), "\n", int(line)+1)
	if len(lines) <= int(line) {
		return "another"
	}
	return strings.ReplaceAll(strings.SplitN(lines[line-1], "\t", 9)[8], "\x00", "\n")
}
