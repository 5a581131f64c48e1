package control_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// bound is the highest limit that the tests of odd readings allow.
const bound = 4096

// feed gives a law a reading and puts its decision in force. It fails the test
// if the decision is none.
func feed(t *testing.T, c *control.Search, r *control.Reading) {
	t.Helper()
	d := c.Next(*r)
	if d.Limit < 1 || d.Limit < r.Min || d.Limit > max(bound, r.Min, r.Limit) || d.After < 0 {
		t.Fatalf("limit %d after %v to %+v", d.Limit, d.After, *r)
	}
	_ = d.Reason.String()
	r.Limit = max(min(d.Limit, r.Max), r.Min, 1)
}

// Sensors fail: counters jump, fall, or are no numbers; there are no CPUs; the
// time stands still. The limit remains one.
func TestSearchBearsOddReadings(t *testing.T) {
	rerun.Skip(t)
	for name, odd := range map[string]func(*control.Reading){
		"no CPUs":         func(r *control.Reading) { r.CPUs = 0 },
		"negative CPUs":   func(r *control.Reading) { r.CPUs = -3 },
		"CPUs NaN":        func(r *control.Reading) { r.CPUs = math.NaN() },
		"CPUs Inf":        func(r *control.Reading) { r.CPUs = math.Inf(1) },
		"CPU NaN":         func(r *control.Reading) { r.OwnCPU, r.MachineCPU = math.NaN(), math.NaN() },
		"CPU Inf":         func(r *control.Reading) { r.OwnCPU, r.MachineCPU = math.Inf(1), math.Inf(1) },
		"CPU runs back":   func(r *control.Reading) { r.OwnCPU, r.MachineCPU = -r.OwnCPU, -r.MachineCPU },
		"residence NaN":   func(r *control.Reading) { r.Residence, r.Residence2 = math.NaN(), math.NaN() },
		"residence Inf":   func(r *control.Reading) { r.Residence = math.Inf(1) },
		"residence 0":     func(r *control.Reading) { r.Residence, r.Residence2 = 0, 0 },
		"squares 0":       func(r *control.Reading) { r.Residence2 = 0 },
		"occupancy NaN":   func(r *control.Reading) { r.Occupancy = math.NaN() },
		"occupancy back":  func(r *control.Reading) { r.Occupancy = -r.Occupancy },
		"nothing timed":   func(r *control.Reading) { r.Timed, r.TimedSince = 0, 0 },
		"bound NaN":       func(r *control.Reading) { r.Bound = math.NaN() },
		"runnable NaN":    func(r *control.Reading) { r.Runnable = math.NaN() },
		"units NaN":       func(r *control.Reading) { r.Units = math.NaN() },
		"completed jumps": func(r *control.Reading) { r.Completed *= 1 << 40 },
		"completed back":  func(r *control.Reading) { r.Completed = -r.Completed },
		"time stands":     func(r *control.Reading) { r.At = 5 * time.Second },
		"time runs back":  func(r *control.Reading) { r.At = 10*time.Second - r.At },
		"tick NaN":        func(r *control.Reading) { r.Tick = math.NaN() },
		"tick Inf":        func(r *control.Reading) { r.Tick = math.Inf(1) },
		"negative tick":   func(r *control.Reading) { r.Tick = -1 },
		"a limit of 0":    func(r *control.Reading) { r.Limit = 0 },
		"huge limit":      func(r *control.Reading) { r.Limit = math.MaxInt32 },
		"min over max":    func(r *control.Reading) { r.Min, r.Max = 10, 5 },
	} {
		t.Run(name, func(t *testing.T) {
			for i := range 4 {
				always, tick := i%2 == 0, 0.004*float64(i/2)
				c := control.NewSearch()
				p := &fluid{cpus: 4, cpu: 0.001, rate: server(50, 20*time.Millisecond)}
				p.r = control.Reading{Limit: 4, Min: 1, Max: bound, Tick: tick}
				for i := range 3000 {
					p.r.CPUs = p.cpus
					r := p.r
					if always || i > 500 && i%200 < 20 {
						odd(&r)
					}
					r.Limit = max(r.Limit, 0)
					feed(t, c, &r)
					p.r.Limit = min(r.Limit, bound)
					p.flow()
				}
			}
		})
	}
}

// A fault of the sensors that lasts a fifth of a second does no lasting harm.
func TestSearchForgetsOddReadings(t *testing.T) {
	for name, odd := range map[string]func(*control.Reading){
		"CPU NaN":   func(r *control.Reading) { r.OwnCPU, r.MachineCPU = math.NaN(), math.NaN() },
		"CPUs 0":    func(r *control.Reading) { r.CPUs = 0 },
		"no timing": func(r *control.Reading) { r.Residence, r.Residence2, r.Timed = 0, 0, 0 },
	} {
		for _, tick := range []float64{0, 0.004} {
			c := control.NewSearch()
			p := &fluid{cpus: 4, rate: server(100, 50*time.Millisecond)}
			p.edit = func(r *control.Reading) { r.Tick = tick }
			p.run(c, 4, 5*time.Second)
			for range 20 {
				r := p.r
				r.CPUs = p.cpus
				odd(&r)
				feed(t, c, &r)
				p.flow()
			}
			p.run(c, 0, 60*time.Second)
			if home := c.Home(); home < 80 || home > 300 {
				t.Errorf("%s, tick %v s: the limit stands at %d, want about 100", name, tick, home)
			}
		}
	}
}

// Whatever the sensors say, the search decides a limit within the bounds.
func FuzzSearch(f *testing.F) {
	f.Add([]byte("a stretch of bytes, read as a stretch of sensor readings."))
	f.Add(make([]byte, 400))
	f.Add(bytes.Repeat([]byte{0xff}, 80))
	f.Add(bytes.Repeat([]byte{3, 0x80, 17, 0, 1, 0x40, 0, 9, 0xf0, 0x3f, 5}, 60))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := control.NewSearch()
		r := control.Reading{Limit: 4, Min: 1, Max: bound, CPUs: 4}
		for rest := data; len(rest) >= 8; rest = rest[8:] {
			word := binary.LittleEndian.Uint64(rest)
			float := math.Float64frombits(word)
			r.At += time.Duration(word & (1<<29 - 1)) // up to half a second
			r.InFlight = int(word>>8) & 63
			r.Waiting = int(word>>3) & 1
			r.Occupancy += float64(r.InFlight) * 0.01
			switch word >> 60 {
			case 0:
				r.OwnCPU, r.MachineCPU = float, float
			case 1:
				r.Residence, r.Residence2 = float, float*float
			case 2:
				r.Completed, r.Timed = int64(word<<4), int64(word<<4)
			case 3:
				r.CPUs = float
			case 4:
				r.Overloads++
				r.Tick = float64(word>>8&15) / 1000 // 0 to 15 ms
			case 5:
				r.Max = 1 + int(word>>20)&(bound-1)
				r.Limit = min(r.Limit, r.Max)
			case 6:
				r.Occupancy, r.Runnable, r.Bound = float, -float, float
			default: // work goes on
				n := int64(word>>16) & 255
				r.Completed += n
				r.Units += float64(n)
				r.Timed += n
				r.TimedSince += n
				r.Residence += float64(n) * 0.02
				r.ResidenceSince += float64(n) * 0.02
				r.Residence2 += float64(n) * 0.02 * 0.03
				r.Bound += float64(word&(1<<29-1)) / 1e9
				r.OwnCPU += float64(n) * 1e-3
				r.MachineCPU += float64(n) * 2e-3
			}
			feed(t, c, &r)
		}
	})
}
