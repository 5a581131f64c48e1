package call

// StepAside makes the caller a producer, who does not work: it gives its permit back,
// and a helper may work in its place.
func (c *Call) StepAside() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stepAside()
}

func (c *Call) stepAside() {
	c.size--
	c.Caller.Aside = true
	c.full.Store(false)
	c.Caller.giveBack()
}

// StepBack makes the caller work again if the limit allows that now.
func (c *Call) StepBack() bool {
	w := &c.Caller
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.limiter.Load()
	switch {
	case l != nil && w.InheritsPermit:
		if c.permitLent {
			return false
		}
	case l != nil:
		if !l.TryTake() {
			return false
		}
		w.hasPermit.Store(true)
	case c.size >= c.bound():
		return false
	default:
		w.sawLimiter = false
	}
	c.size++
	w.Aside = false
	w.Began = c.Clock()
	w.permitSince = w.Began
	return true
}

// MayHelp reports whether the limit allows helpers, or a limiter of the call may, where
// slow says that items wait.
func (c *Call) MayHelp(slow bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limiter.Load() != nil || c.bound() >= 2 || c.Config.Fixed == 0 && slow
}

// HandOver makes the caller step aside and starts the first helper.
func (c *Call) HandOver() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.accompany() // also if nobody comes: the job may rely on helpers
	if c.limiter.Load() == nil && c.bound() < 2 {
		c.govern()
	}
	c.stepAside()
	c.spawn()
}

// Demand starts a helper, or puts a limiter over the call, where items are slow and
// helpers do not keep up with the caller. It returns how many were at work.
func (c *Call) Demand(slow bool) (size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size = c.size
	switch governed := c.limiter.Load() != nil; {
	case slow && c.Config.Fixed == 0 && !governed && c.Clock() >= GovernWorth:
		c.govern()
	case slow || size < c.bound()-1 || governed:
		c.spawn()
	}
	return size
}
