package control

import (
	"fmt"
	"math"
)

// A Metric says whose CPU usage a law reads.
//
// The talk "Optimization for Number of goroutines Using Feedback Control" (GopherCon
// 2019) uses the CPU usage of the Go application; its published implementation reads
// that of the whole machine. Both are here.
type Metric uint8

const (
	OwnCPU     Metric = iota // CPU used by this work: Reading.OwnCPU
	MachineCPU               // that, and what others take of the CPUs available: Reading.MachineCPU
)

// String returns "own CPU" or "machine CPU".
func (m Metric) String() string {
	switch m {
	case OwnCPU:
		return "own CPU"
	case MachineCPU:
		return "machine CPU"
	}
	return fmt.Sprintf("metric(%d)", uint8(m))
}

// Usage returns the CPU usage between two readings in percent of the CPUs available,
// from 0 to 100. It is 0 if no time passed between the readings, or if a counter is
// NaN. A reading without CPUs counts as one CPU. CPUs outside our set can be busy too,
// so machine CPU may exceed our share: it then counts as 100.
func (m Metric) Usage(from, to Reading) float64 {
	busy, capacity := m.window(from, to)
	if capacity <= 0 {
		return 0
	}
	return min(100, max(0, 100*busy/capacity))
}

// window returns the CPU seconds used between two readings, and the CPU
// seconds there were to use.
func (m Metric) window(from, to Reading) (busy, capacity float64) {
	cpus := to.CPUs
	if !(cpus > 0) {
		cpus = 1
	}
	capacity = (to.At - from.At).Seconds() * cpus
	busy = to.OwnCPU - from.OwnCPU
	if m == MachineCPU {
		busy = to.MachineCPU - from.MachineCPU
	}
	if math.IsNaN(busy) || math.IsInf(capacity, 0) {
		return 0, 0
	}
	return busy, capacity
}

// heldBack says whether the limit held back any unit between two readings. In a
// window where it did not, a higher limit would have changed nothing.
func heldBack(from, to Reading) bool {
	return to.Bound > from.Bound || to.Waiting > 0 || to.InFlight >= to.Limit
}

// mustBeUsage panics unless target is a CPU usage that a law can aim at.
func mustBeUsage(who string, target float64) {
	if !(target > 0 && target <= 100) {
		panic(fmt.Sprintf("control: %s(%v): want a CPU usage in percent, above 0 and at most 100", who, target))
	}
}
