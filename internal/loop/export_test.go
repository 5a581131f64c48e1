package loop

const (
	DecisionsKept = decisionsKept
	CeilingLinger = ceilingLinger
)

// Weigh adds to the sum of the weights.
func (l *Loop) Weigh(n int64) { l.plant.surplus.Add(n) }

// Ticking returns how many governors of the process tick.
func Ticking() int64 { return ticking.Load() }

// AtEase is how many of them tick at the usual pace, and Few how many may be dropped and stay
// counted.
const (
	AtEase = atEase
	Few    = few
)

// Tick makes the governor tick now, if it is awake, whatever the time.
func (l *Loop) Tick() {
	l.gov.mu.Lock()
	defer l.gov.mu.Unlock()
	if l.plant.awake.Load() {
		l.gov.step()
	}
}

// RetireLate makes l retire between the firing of its timer, for which due must
// wait, and the tick.
func (l *Loop) RetireLate(due func()) {
	l.gov.mu.Lock()
	due()
	gone := l.gov.stop()
	l.gov.mu.Unlock()
	if gone != nil {
		<-gone
	}
}
