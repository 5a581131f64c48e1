package control

import (
	"fmt"
	"math"
	"time"
)

// DynamicTarget is the law of the talk "Optimization for Number of goroutines Using
// Feedback Control" (Yusuke Miyake, GopherCon 2019), as its published implementation
// computes it. It is here for comparison: it sees CPU usage, not throughput, so it
// cannot know whether more units in flight do more work.
//
// Two loops are nested. The inner one is a [PID] with three equal gains that compares
// the CPU usage with a set point; its output, rounded away from zero, is added to the
// limit once a period. The outer loop moves the set point:
//
//   - If the usage changed by more than the change rate, relative to the last period,
//     the set point goes 2 points above the usage, in search of the new upper limit. If
//     there is no usage at all it goes to -100, so that the limit falls to 1.
//   - If the usage is exactly that of the last period, this is the upper limit. The set
//     point goes 2 points below it, to find fewer units that still reach it.
//   - Otherwise it stays.
//
// Each move of the set point resets the integral.
//
// Usage is in percent of the CPUs available, 0 to 100. The published implementation
// starts from 1; this one starts from the limit in force, and has a maximum. Set the
// fields before the first call of Next.
type DynamicTarget struct {
	Metric Metric        // whose CPU usage; the application's own by default, as in the talk
	Period time.Duration // time between two steps; 100 ms if not set, as published
	Max    int           // highest limit decided; 100,000 if not set

	pid        PID
	changeRate float64
	windows    sampler
	usage      float64
	setPoint   float64
}

const (
	// reach is how far, in percent of the machine, the set point is put above
	// a usage that changed and below a usage that stands. As published.
	reach = 2
	// idleSetPoint pulls the limit down to 1 when there is no usage at all:
	// at a gain of 0.1 by some 30 units a period. As published.
	idleSetPoint = -100
	// leastUsage stands for no usage where a change is relative to it. As
	// published.
	leastUsage = 0.01
	// maxGain moves the limit across its whole range at an error of 100 %.
	// More means nothing, and would let the sums leave the range of a float.
	maxGain = 1000
	// cpuTick is the step in which Linux counts CPU time in /proc/stat. The
	// law waits for two equal usages, which finer counters never show.
	cpuTick = 10 * time.Millisecond
)

// NewDynamicTarget returns the law with KP = KI = KD = gain. Published gains are 0.1 to
// 0.3, for usage in percent, and the published change rate is 0.3. It panics unless
// gain is above 0 and at most 1000, and if changeRate is negative.
func NewDynamicTarget(gain, changeRate float64) *DynamicTarget {
	if !(gain > 0 && gain <= maxGain) {
		panic(fmt.Sprintf("control: NewDynamicTarget: gain %v: must be over 0 and at most %v, such as 0.1", gain, maxGain))
	}
	if !(changeRate >= 0) {
		panic(fmt.Sprintf("control: NewDynamicTarget: change rate %v: must be 0 or more, such as 0.3", changeRate))
	}
	return &DynamicTarget{
		Period:     defaultPeriod,
		Max:        defaultMax,
		pid:        PID{KP: gain, KI: gain, KD: gain},
		changeRate: changeRate,
	}
}

// Next takes one step of both loops when a period is over; otherwise it keeps the
// limit. The first reading only begins the first period.
func (d *DynamicTarget) Next(r Reading) Decision {
	period := orDefault(d.Period, defaultPeriod)
	from, wait, ok := d.windows.next(r, period)
	if !ok {
		return wait
	}
	d.moveSetPoint(d.measure(from, r))
	u := awayFromZero(d.pid.Next(d.setPoint - d.usage))
	// In floating point, as the integral may ask for more than an int holds.
	to := int(min(float64(orDefault(d.Max, defaultMax)), max(1, float64(r.Limit)+u)))
	return move(r.Limit, to, period, fmt.Sprintf("%v at %.0f %%, set point %.0f %%", d.Metric, d.usage, d.setPoint))
}

// Usage returns the CPU usage of the last full period, in percent.
func (d *DynamicTarget) Usage() float64 { return d.usage }

// SetPoint returns the target usage of the inner loop, in percent. It is 0 before the
// first period is over, and may be below 0 or above 100.
func (d *DynamicTarget) SetPoint() float64 { return d.setPoint }

// measure returns the usage of a window in whole ticks.
func (d *DynamicTarget) measure(from, to Reading) float64 {
	busy, capacity := d.Metric.window(from, to)
	ticks := math.Round(capacity / cpuTick.Seconds())
	if ticks < 1 { // a window shorter than a tick
		return d.Metric.Usage(from, to)
	}
	return min(100, max(0, 100*math.Round(busy/cpuTick.Seconds())/ticks))
}

// moveSetPoint is one step of the outer loop.
func (d *DynamicTarget) moveSetPoint(usage float64) {
	last := d.usage
	if last == 0 {
		last = leastUsage
	}
	change := (usage - last) / last
	d.usage = usage
	switch {
	case change == 0:
		d.setPoint = usage - reach
	case math.Abs(change) <= d.changeRate:
		return
	case usage == 0:
		d.setPoint = idleSetPoint
	default:
		d.setPoint = usage + reach
	}
	d.pid.ResetIntegral()
}

// awayFromZero rounds u to the next whole number away from zero.
func awayFromZero(u float64) float64 {
	if u > 0 {
		return math.Ceil(u)
	}
	return math.Floor(u)
}
