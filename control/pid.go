package control

// PID is a proportional, integral and derivative controller in its discrete form. With
// the error e[t], the distance of the measured value from the set point at step t, its
// output is
//
//	u[t] = KP·e[t] + KI·(e[1] + … + e[t]) + KD·(e[t] - e[t-1])
//
// A step has no length here: if you change the sampling period, scale KI and KD with
// it. The error before the first counts as 0.
//
// The zero value with gains set is ready to use. PID does not decide a limit: it knows
// neither a set point nor a metric. [FixedTarget] and [DynamicTarget] do.
//
// Source: the talk "Optimization for Number of goroutines Using Feedback Control"
// (GopherCon 2019), which uses this form in its inner loop; the law itself is in every
// textbook on feedback control.
type PID struct {
	KP float64 // gain on the error
	KI float64 // gain on the sum of errors
	KD float64 // gain on the change of the error

	// Min and Max bound the output. Both 0 means no bounds. While the output
	// is at a bound and the error pushes further, the sum stands still: an
	// actuator at its stop would otherwise stay there long after the error
	// has changed its sign, until the sum is worked off (integral windup).
	Min, Max float64

	sum  float64
	last float64
}

// Next takes the error of this step, set point minus measured value, and returns the
// output.
func (p *PID) Next(e float64) float64 {
	sum := p.sum + e
	u := p.KP*e + p.KI*sum + p.KD*(e-p.last)
	p.last = e
	if p.Min == 0 && p.Max == 0 {
		p.sum = sum
		return u
	}
	bounded := min(p.Max, max(p.Min, u))
	// The sum moves u by KI·e. It stands still only when that is outwards.
	if outward := (u - bounded) * p.KI * e; outward <= 0 {
		p.sum = sum
	}
	return bounded
}

// ResetIntegral forgets the sum of errors. Call it when the set point moves, because
// the old sum belongs to the old set point.
func (p *PID) ResetIntegral() { p.sum = 0 }
