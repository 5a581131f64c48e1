package lab

import (
	"fmt"
	"os"
	"runtime"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// The memory tasks of the article: blocks of 4,096,000, 409,600 and 40,960 bytes
// are allocated and touched, many at a time, on a machine with 4 GB.

const (
	largeBlock  = 4_096_000
	middleBlock = 409_600
	smallBlock  = 40_960
)

type memoryTask struct {
	bytes int
	units int // of the article
	best  string
}

var memoryTasks = []memoryTask{
	{largeBlock, 10_000, "512"},
	{middleBlock, 100_000, "more than 1,024"},
	{smallBlock, 1_000_000, "4 to 64"},
}

// What the blocks in flight may take before more of them hurt. The article's
// machine had 4 GB, of which the system takes some, and swapped. Here the garbage
// collector has a limit, and works against it: where a machine swaps depends on
// what else it does. The small limit lets the same happen at a 32nd of the number
// of blocks.
const (
	memoryOfArticle = int64(3 << 30)
	memoryHere      = memoryOfArticle / 32
)

const memoryVariable = "GOMEMLIMIT"

func (m memoryTask) name() string { return humanize.Grouped(m.bytes) + " B" }

// job is the task under the memory limit of a scale, unless the user has set another: off
// leaves the limit to a cgroup, which may swap.
func (m memoryTask) job(s scale) *job {
	limit := by(s, memoryHere, memoryHere, memoryOfArticle)
	var env []string
	if os.Getenv(memoryVariable) == "" {
		env = []string{fmt.Sprintf("%s=%d", memoryVariable, limit)}
	}
	return &job{
		name: m.name(),
		env:  env,
		numbers: func(s scale) []int {
			return m.numbers(s, limit, figures.ThisMachine().Memory)
		},
		most: m.most(figures.ThisMachine().Memory),
		open: func() (*work, error) {
			return &work{unit: func(i int64) error { return block(m.bytes, byte(i)) }}, nil
		},
	}
}

// finite is the article's own task, which ends: so many blocks, or a part of them.
func (m memoryTask) finite(s scale) *job {
	j := m.job(s)
	j.count = m.units / by(s, 200, 20, 1)
	j.name += ", finite"
	if s == quick {
		j.numbers = func(scale) []int { return []int{1, 16} }
	}
	return j
}

// most is how many blocks there may be at a time: up to mostSwept, but less where they would be more than half of the machine's memory.
func (m memoryTask) most(machine int64) int {
	if machine <= 0 {
		return mostSwept
	}
	return int(max(1, min(mostSwept, machine/2/int64(m.bytes))))
}

// numbers are powers of two up to the most; less where the blocks would be more
// than four times what the limit allows, which takes minutes.
func (m memoryTask) numbers(s scale, limit, machine int64) []int {
	most := min(int64(m.most(machine)), 4*limit/int64(m.bytes))
	return powers(s, int(most))
}

// powers are the powers of two up to a number; quick takes every second one, and 2.
func powers(s scale, most int) []int {
	var ns []int
	for n := 1; n == 1 || n <= most; n *= by(s, 4, 2, 2) {
		ns = append(ns, n)
		if s == quick && n == 1 {
			ns = append(ns, 2)
		}
	}
	return ns
}

// block is a unit of a memory task. Between being touched and being read again it
// lets others run: so what is in flight is in memory, all of it.
func block(size int, mark byte) error {
	b := make([]byte, size)
	const line = 64 // each cache line
	for i := 0; i < len(b); i += line {
		b[i] += mark + byte(i/line)
	}
	runtime.Gosched()
	for i := 0; i < len(b); i += line {
		if b[i] != mark+byte(i/line) {
			return fmt.Errorf("byte %d of a block is %d, want %d", i, b[i], mark+byte(i/line))
		}
	}
	runtime.KeepAlive(b)
	return nil
}
