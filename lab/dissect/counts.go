package dissect

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/pattern"
)

// Counts say how often lines were executed, by a program that was built with
// -cover -covermode=atomic. Files that end in _test.go are not counted.
type Counts struct{ blocks map[blockKey]float64 }

type blockKey struct {
	file     string
	from, to int // lines
	columns  string
}

var coverBlock = pattern.Of(`^(.+\.go):(\d+)\.(\d+),(\d+)\.(\d+) \d+ (\d+)$`)

// ReadCounts reads a profile as -coverprofile writes it. The directories of packages,
// by import path, make names of files whole.
func ReadCounts(name string, dirs map[string]string) (*Counts, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	c := &Counts{blocks: map[blockKey]float64{}}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		m := coverBlock().FindStringSubmatch(lines.Text())
		if m == nil {
			if strings.HasPrefix(lines.Text(), "mode:") {
				continue
			}
			return nil, fmt.Errorf("%s: %q is not a block of a cover profile", name, lines.Text())
		}
		at := m[1]
		if dir, known := dirs[path.Dir(at)]; known {
			at = filepath.Join(dir, path.Base(at))
		}
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[4])
		times, _ := strconv.ParseFloat(m[6], 64)
		c.blocks[blockKey{at, from, to, m[3] + "," + m[5]}] += times
	}
	return c, lines.Err()
}

// Less subtracts the counts of base, which do not belong to the operations in
// question, and divides by the number of operations.
func (c *Counts) Less(base *Counts, ops float64) {
	for at, times := range c.blocks {
		if base != nil {
			times -= base.blocks[at]
		}
		c.blocks[at] = max(times, 0) / ops
	}
}

// Times returns how often a line was executed, or 0 if it was not counted. For a line
// with several blocks it is that of the block that was executed most. At the head of a
// loop over a channel that is the body, which runs once for each item.
func (c *Counts) Times(file string, line int) float64 {
	most := 0.0
	if c == nil {
		return most
	}
	for at, times := range c.blocks {
		if at.file == file && at.from <= line && line <= at.to {
			most = max(most, times)
		}
	}
	return most
}
