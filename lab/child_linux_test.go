package lab_test

import (
	"strconv"
	"testing"
	"time"
)

// A process that a measuring process has started ends with that, which has no
// time to say so when it is killed.
func TestProcessesOfProcessesEnd(t *testing.T) {
	pid := interrupted(t, "T0")
	for began := time.Now(); !gone(strconv.Itoa(pid)); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 30*time.Second { // it takes some milliseconds
			ended(pid)
			t.Fatal("the process of the process that measured still runs")
		}
	}
}
