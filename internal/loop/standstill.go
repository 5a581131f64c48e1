package loop

import "time"

const (
	// standstillLeast is how late a tick must come for that: beyond what timers are late
	// by on a machine that is merely full.
	standstillLeast = 200 * time.Millisecond
	// standstillCPU is the share of a CPU that the process has used at most meanwhile.
	// Where it has used more, it ran, and only its governor had to wait.
	standstillCPU = 0.1
)

// standstill returns for how long of the time since the last tick the whole process
// stood still: it was stopped, or its machine slept or moved, or others left no CPU to
// it. That time is dt, where due was planned, and the process used cpu in it, CPU
// seconds. Nothing was to be learnt then: it would look as if the limit had brought the
// work to a halt.
func standstill(dt, due time.Duration, cpu float64) time.Duration {
	late := dt - due
	if late < standstillLeast || cpu > standstillCPU*late.Seconds() {
		return 0
	}
	return late
}
