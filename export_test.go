package sweetspot

// Awake reports whether the governor ticks.
func (l *Limiter) Awake() bool { return l.loop.Awake() }

// Unit returns one whose permit was taken otherwise, or not at all.
func (l *Limiter) Unit() Unit { return Unit{loop: &l.loop, began: l.loop.Clock()} }

// Registered returns for how many named Limiters there are places.
func Registered() int {
	named.Lock()
	defer named.Unlock()
	return len(named.list)
}

// BoundsIn returns the number and the Limiter in opts, or 0 and nil.
func BoundsIn(opts []MapOption) (fixed int, l *Limiter) {
	for _, o := range opts {
		if given, ok := o.(*Limiter); ok {
			l = given
		}
	}
	return settingsOf("", opts).Fixed, l
}
