package sweetspot

const (
	ChangesKept = changesKept
	VetoLinger  = vetoLinger
)

// Awake reports whether the governor ticks.
func (l *Limiter) Awake() bool {
	l.gov.mu.Lock()
	defer l.gov.mu.Unlock()
	return l.running.Load()
}

// Weigh adds to the sum of the weights.
func (l *Limiter) Weigh(n int64) { l.surplus.Add(n) }

// Ticking returns how many governors of the process tick.
func Ticking() int64 { return awake.Load() }

// AtEase is how many of them tick at the usual pace.
const AtEase = atEase

// Tick makes the governor tick now, if it is awake, whatever the time.
func (l *Limiter) Tick() {
	l.gov.mu.Lock()
	defer l.gov.mu.Unlock()
	if l.running.Load() {
		l.gov.step()
	}
}

// Registered returns for how many named Limiters there are places.
func Registered() int {
	named.Lock()
	defer named.Unlock()
	return len(named.list)
}

// Full reports whether the CPUs have been busy since the first measurement.
func (l *Limiter) Full() bool { return l.full() }
