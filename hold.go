package sweetspot

import (
	"runtime"
	"sync"
)

// A hold is what a call has of its crew. It is part of the call's object, which a
// callback can keep beyond the end of the call by its ctx. Nobody can keep the crew
// of a call that never had a helper, so the next call takes it: to allocate one, and
// to collect it as garbage, would be half of what a short call costs.
type hold struct {
	*crew // nil once it was given back
	ctx   callContext
}

// crews are those that have nothing to do.
var crews = sync.Pool{New: func() any { return new(crew) }}

// engage takes a crew for the call of that name, of the function with that code.
func (h *hold) engage(name string, key uintptr, opts []Option) {
	h.crew = crews.Get().(*crew)
	h.crew.ctx = &h.ctx
	if len(opts) > 0 {
		h.set = settingsOf(name, opts)
	}
	h.recall.load(key)
}

// run does the job and returns when all of it has ended. It panics if a callback
// did, and ends the goroutine if one called [runtime.Goexit]. If it returns nil, the
// crew may be gone.
func (h *hold) run() error {
	c := h.crew
	c.workAs(&c.lead)
	switch {
	case c.panicked != nil:
		panic(c.panicked)
	case c.goexit:
		runtime.Goexit()
	case c.err != nil:
		return c.err
	}
	h.dismissed()
	return nil
}

// dismissed gives the crew back if nobody else can know it.
func (h *hold) dismissed() {
	if c := h.crew; c.alone() {
		h.crew = nil
		*c = crew{}
		crews.Put(c)
	}
}
