package sense_test

import (
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

// TestSensorsShareReadings: however many sensors look, what is the process's is read
// once in a while.
func TestSensorsShareReadings(t *testing.T) {
	now, read := time.Hour, 0
	first := sense.NewProcessAt(t.TempDir(), func() time.Duration { return now }, func() float64 { read++; return float64(read) })
	sensors := []*sense.Process{first}
	for range 999 {
		sensors = append(sensors, first.Another())
	}
	for round := 1; round <= 3; round++ {
		for _, p := range sensors {
			if s := p.Sense(1); s.OwnCPU != float64(round) {
				t.Fatalf("round %d: own CPU time %v, read %d times, want once a round", round, s.OwnCPU, read)
			}
		}
		now += sense.Fresh
	}
}

// TestSensorsTogether is for the race detector.
func TestSensorsTogether(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			p, last := sense.NewProcess(), sense.Sample{}
			for range 300 {
				s := p.Sense(2)
				if s.OwnCPU < last.OwnCPU || s.MachineCPU-last.MachineCPU < s.OwnCPU-last.OwnCPU-1e-9 && last.CPUs > 0 {
					t.Errorf("from %+v to %+v", last, s)
				}
				last = s
				if free, total, ok := sense.FreeMemory(); ok && free > total {
					t.Errorf("%v bytes free of %v", free, total)
				}
			}
		})
	}
	wg.Wait()
}
