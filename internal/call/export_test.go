package call

func Remember(key uintptr, cost float64, limit int) {
	h := History{key: key, Cost: cost, Limit: limit}
	h.Keep()
}

// Learn takes note of a call, and reports whether the function is steady then.
func Learn(key uintptr, cost float64, limit int) (steady bool) {
	var h History
	h.Load(key)
	h.Learn(cost)
	h.Limit = limit
	h.Keep()
	h = History{}
	h.Load(key)
	return h.Steady
}

// LearnBrief takes note of a call that began at the limit remembered and was over
// before its controller had decided anything: its items, what each took and cost, and whether
// the CPUs were full. It returns the limit of the next call.
func LearnBrief(key uintptr, items int, took, cost float64, full bool) int {
	var h History
	h.Load(key)
	h.brief, h.full, h.items, h.each = true, full, int64(items), took
	h.Learn(cost)
	h.Keep()
	h = History{}
	h.Load(key)
	return h.Limit
}

func Recall(key uintptr) (cost float64, limit int) {
	var h History
	h.Load(key)
	return h.Cost, h.Limit
}

// SizerOf returns a Sizer for items that cost that much, ns, in earlier calls.
func SizerOf(ns float64) Sizer { return Sizer{prior: ns} }
