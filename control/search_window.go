package control

// Sizes of the windows. The log ratio of two throughputs has the standard
// deviation sqrt(2 cv²/units): 100 completions tell a doubling (0.69) from
// nothing by more than 3 of them, 300 in four pairs see 3–4 %.
const (
	rampUnits = 100
	holdUnits = 300

	// minWindow keeps the CPU figures meaningful: they advance in steps of 10 ms.
	minWindow = 0.1
	// blindWindow is the length of a window before anything has completed, and blindMost the
	// limit that they lead to: 8 units a CPU where that is more. A limit of n is doubled when
	// units have waited for n times blindPace, s: what can do 125 units a second gets at most
	// about twice what it bears, however long they take.
	blindWindow = 0.015
	blindMost   = 128
	blindPace   = 0.008
	// asleepEnough is the share of units that sleep from which more of them may start:
	// most of their time passes without a CPU or a disk.
	asleepEnough = 0.5
	// fewWindow is the least length of a window in which few units complete.
	fewWindow = 0.25
	// boundEnough is the share of a window during which the limit must have held
	// units back to count as binding.
	boundEnough = 0.8
	// boundLeast is the share from which a higher limit is worth a try. Batches, one after
	// another, wait for a permit only part of the time, but each could be shorter.
	boundLeast = 0.05
)

// A window is what was measured between two readings at one limit.
type window struct {
	n      int     // the limit
	t      float64 // length, s
	x      float64 // throughput, units/s
	comp   float64 // completions
	weight float64 // of a unit, on average
	r      float64 // mean residence, s; 0 if unknown
	cv2    float64 // squared coefficient of variation of the residence
	even   bool    // x is occupancy over mean residence (see evenly)
	busy   float64 // mean in flight
	peak   int     // most in flight at a reading
	bound  float64 // share of the time during which the limit held units back
	u      float64 // share of the CPUs that this process used
	idle   float64 // share of the CPUs that was not used
	cpus   float64
	crowd  float64 // other loops that queue
	other  float64 // what they did beyond the usual, each in units of what it usually does
	gc     float64 // collections of garbage a second
	at     float64 // when it ended, s
}

// fair is the share of the CPUs below which a full machine is full of others:
// the kernel would give us more if we had more to run.
const fair = 0.3

// full reports whether no CPU is left for us: idle time within the noise of the
// sensor.
func (w window) full() bool { return w.idle < 0.02*max(w.u, 0.2) && w.u > fair }

// led reports whether this process's own CPU use may say how well the work does. Below
// 80 % of what is available, the CPU may just as well be burnt by thrashing or spinning.
func (w window) led() bool { return w.u > 0.8*(w.u+w.idle) && w.u > fair }

// seated reports whether every unit in flight can have a CPU to itself and seems
// to use it, so that fewer units mean less work unless they slow each other down.
func (w window) seated() bool { return w.led() && float64(w.n) <= w.cpus }
