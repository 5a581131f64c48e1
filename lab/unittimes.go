package lab

import (
	"sync"
	"time"
)

// unitTimes says how many units a second a stream does, by J. D. C. Little's law (Operations
// Research 9(3), 1961): as many as are under way on average, over the time that one takes. Of
// those under way at the end it counts the part that is done. To count only the units that have
// ended loses up to all that are under way, which are a sixth of a short stream.
type unitTimes struct {
	mu       sync.Mutex
	underWay int
	began    time.Duration // when those began, in all
	ended    int
	took     time.Duration // by those, in all
	rate     float64       // up to the cut, 0 if none had ended
}

func (u *unitTimes) begin(w *watch) time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := time.Since(w.began)
	u.underWay++
	u.began += now
	return now
}

func (u *unitTimes) end(w *watch, began time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.underWay--
	u.began -= began
	u.ended++
	u.took += time.Since(w.began) - began
}

// cut takes the rate up to now.
func (u *unitTimes) cut(now time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended == 0 {
		return
	}
	inAll := u.took + time.Duration(u.underWay)*now - u.began
	u.rate = float64(inAll) / now.Seconds() / float64(u.took) * float64(u.ended)
}
