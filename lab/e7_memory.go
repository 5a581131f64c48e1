package lab

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

func e7() *experiment {
	return &experiment{
		id: "E7", size: streamSize,
		axis: streamAxis, better: higher,
		points: func(s scale) []point {
			ps := pointsOf(memoryJobs(s), s)
			for _, m := range memoryTasks {
				j := m.finite(s)
				for _, p := range j.points(s) {
					if p.extra != medianLimit {
						p.rounds = max(2, p.rounds/2) // the verdict is of the endless ones
						p.size = func(int) string { return humanize.Count(j.count, "blocks") }
						ps = append(ps, p)
					}
				}
			}
			return ps
		},
		judge: judgeMemory,
		short: shortIn(memoryJobs),
	}
}

var streamAxis = figures.Axis{Name: "units at a time", Log2: true}

func memoryJobs(s scale) []*job {
	return each(memoryTasks, func(m memoryTask) *job { return m.job(s) })
}

func pointsOf(jobs []*job, s scale) []point {
	return concat(jobs, func(j *job) []point { return j.points(s) })
}

// hurt is how far below the best throughput too many at a time must be.
const hurt = 0.8

// shape describes the article's three pictures, each by what its numbers do.
func (w sweep) shape(m memoryTask) (words string, effect figures.Effect) {
	one, rest := w.among(1, 1), w.among(2, math.Inf(1))
	switch m.bytes {
	case largeBlock: // more is better at first, and much worse at last
		return "more at a time are better, and too many are much worse", every(w.beats(rest, one, slower), w.more().below(hurt))
	case middleBlock: // flat from 16 on, and better at last
		return "flat from 16 on, and better past 1,024", every(w.flat(flatFrom, mostTried/2), w.beats(w.among(mostTried, math.Inf(1)), w.among(1, mostTried/2), slower))
	}
	return "best at 4 to 64", every(w.beats(w.among(4, 64), one, slower), w.beats(w.among(4, 64), w.among(128, math.Inf(1)), 1))
}

const flatFrom = 16

// flat says whether the numbers from a to b differ by no more than a tenth.
func (w sweep) flat(a, b float64) figures.Effect {
	best := w.among(a, b)
	var near []figures.Effect
	for _, p := range w.fixed() {
		if p.X >= a && p.X <= b {
			near = append(near, w.r.speedup(p, best).above(clearly))
		}
	}
	if len(near) < 2 {
		return figures.Untold
	}
	return every(near...)
}

func judgeMemory(r *results) verdict {
	sweeps, notes := r.sweepsOf(memoryJobs(r.scale))
	var effects []figures.Effect
	var bests []string
	for i, w := range sweeps {
		shape, effect := w.shape(memoryTasks[i])
		effects = append(effects, effect)
		notes = append(notes, fmt.Sprintf("%s, %s: %s.", w.job.name, shape, effect.Words()))
		bests = append(bests, fmt.Sprintf("%g for %s", w.best.X, w.job.name))
	}
	for _, m := range memoryTasks {
		notes = append(notes, sentence(r.sweepOf(m.finite(r.scale)).words()))
	}
	if set := os.Getenv(memoryVariable); set != "" {
		notes = append(notes, fmt.Sprintf("%s was %s, from the environment, instead of the value of this size.", memoryVariable, set))
	}
	return verdict{words: "best are " + strings.Join(bests, ", "), effect: every(effects...), ours: worst(sweeps), notes: notes}
}

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
}

var memoryTasks = []memoryTask{
	{largeBlock, 10_000},
	{middleBlock, 100_000},
	{smallBlock, 1_000_000},
}

// What the blocks in flight may take before more of them hurt. The article's
// machine had 4 GB, less what the system takes, and swapped. Here the garbage
// collector has a limit, and works against it, because swapping depends on what
// else a machine does. The small limit shows the same with a 32nd of the blocks.
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

// finite is the article's own task, which ends: all its blocks, or a part of them.
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

// numbers are powers of two up to the most. They end earlier if the blocks
// would be more than four times what the limit allows, which takes minutes.
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
// lets others run, so all blocks in flight are in memory.
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
