package sweetspot

// Retire ends the ticks of l.
func (l *Limiter) Retire() { l.retire() }

// RetireLate makes l retire between the firing of its timer, for which due must
// wait, and the tick.
func (l *Limiter) RetireLate(due func()) {
	l.gov.mu.Lock()
	due()
	gone := l.gov.stop()
	l.gov.mu.Unlock()
	if gone != nil {
		<-gone
	}
}
