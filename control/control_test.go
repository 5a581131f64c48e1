package control_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A night shift: two units by day, eight by night, whatever else is known.
type nightShift struct{}

func (nightShift) Next(r control.Reading) control.Decision {
	if r.At%(24*time.Hour) < 8*time.Hour {
		return control.Decision{Limit: 8, After: time.Minute}
	}
	return control.Decision{Limit: 2, After: time.Minute}
}

func ExampleController() {
	var c control.Controller = nightShift{}
	fmt.Println(c.Next(control.Reading{At: 1 * time.Hour}).Limit)
	fmt.Println(c.Next(control.Reading{At: 9 * time.Hour}).Limit)
	// Output:
	// 8
	// 2
}

// The difference of two readings describes the time between them.
func ExampleReading() {
	from := control.Reading{At: 10 * time.Second, Completed: 1000, Timed: 1000, Residence: 50, Occupancy: 50}
	to := control.Reading{At: 12 * time.Second, Completed: 1400, Timed: 1400, Residence: 82, Occupancy: 82}
	seconds := (to.At - from.At).Seconds()
	fmt.Println("units a second:", float64(to.Completed-from.Completed)/seconds)
	fmt.Println("seconds a unit:", (to.Residence-from.Residence)/float64(to.Timed-from.Timed))
	fmt.Println("units in flight:", (to.Occupancy-from.Occupancy)/seconds)
	// Output:
	// units a second: 200
	// seconds a unit: 0.08
	// units in flight: 16
}

// While this loop tried another limit, the three others did a tenth less than usual.
func ExampleOthers_Minus() {
	before := control.Others{Work: 290, Time: 300}
	after := control.Others{Work: 295.4, Time: 306}
	d := after.Minus(before)
	fmt.Printf("%.0f %% of what is usual\n", 100*d.Work/d.Time)
	// Output: 90 % of what is usual
}

// Loops of this process, and those of another one.
func ExampleOthers_Plus() {
	here := control.Others{Work: 1.5, Time: 2}
	there := control.Others{Work: 4, Time: 4}
	fmt.Println(here.Plus(there))
	// Output: {5.5 6}
}

// laws are all laws that do not experiment with pairs of windows, as Search
// does, fresh on every call.
func laws() map[string]control.Controller {
	return map[string]control.Controller{
		"Fixed":         control.NewFixed(5),
		"Step":          control.NewStep(60),
		"FixedTarget":   control.NewFixedTarget(60),
		"DynamicTarget": control.NewDynamicTarget(0.2, 0.3),
		"AIMD":          slowAIMD(),
		"Vegas":         control.NewVegas(3, 6),
		"Gradient2":     control.NewGradient2(1.5),
		"HillClimbing":  control.NewHillClimbing(),
	}
}

// slowAIMD goes down without reports of overload, too.
func slowAIMD() *control.AIMD {
	c := control.NewAIMD(0.9)
	c.Slow = 2
	return c
}

// work lets units end in a reading: some, each with a time in flight of its own.
func work(r *control.Reading, rng *rand.Rand) {
	n := rng.IntN(200)
	r.Completed += int64(n)
	r.Timed += int64(n)
	r.Residence += float64(n) * 0.1 * rng.Float64()
}

// The same readings give the same decisions, whatever the wall clock says.
func TestLawsAreDeterministic(t *testing.T) {
	for name := range laws() {
		a, b := laws()[name], laws()[name]
		rng := rand.New(rand.NewPCG(1, 2))
		r := control.Reading{Limit: 4, CPUs: 8}
		for range 2000 {
			r.At += time.Duration(rng.IntN(int(60 * time.Millisecond)))
			r.OwnCPU += 0.4 * rng.Float64()
			work(&r, rng)
			r.Waiting = rng.IntN(3)
			x, y := a.Next(r), b.Next(r)
			if x.Limit != y.Limit || x.After != y.After || x.Reason.String() != y.Reason.String() {
				t.Fatalf("%s at %v: %+v and %+v", name, r.At, x, y)
			}
			r.Limit = x.Limit
		}
	}
}

// A decision that moves the limit says so, and one that keeps it is silent.
func TestLawsGiveReasons(t *testing.T) {
	for name, c := range laws() {
		rng := rand.New(rand.NewPCG(3, 4))
		r := control.Reading{Limit: 4, CPUs: 8}
		moves := 0
		for i := range 2000 {
			d := c.Next(r)
			switch kind := d.Reason.Kind; {
			case i == 0:
				if kind != control.Start {
					t.Errorf("%s: first decision is of kind %v, want %v", name, kind, control.Start)
				}
			case d.Limit > r.Limit && kind != control.Grow,
				d.Limit < r.Limit && kind != control.Shrink,
				d.Limit == r.Limit && kind != control.None:
				t.Fatalf("%s: %d→%d is of kind %v", name, r.Limit, d.Limit, kind)
			case kind != control.None:
				moves++
				if d.Reason.From != r.Limit || d.Reason.To != d.Limit || d.Reason.Note == "" {
					t.Fatalf("%s: %d→%d is explained by %+v", name, r.Limit, d.Limit, d.Reason)
				}
			}
			r.Limit = d.Limit
			if i%100 == 99 { // others move the limit
				r.Limit = 1 + rng.IntN(20)
			}
			r.At += 40 * time.Millisecond
			r.OwnCPU += 0.32 * rng.Float64()
			work(&r, rng)
			r.Waiting = 1
		}
		if moves < 10 {
			t.Errorf("%s: only %d moves in 80 s: the test shows nothing", name, moves)
		}
	}
}

// Two controllers next to each other share nothing, and asking for no reading
// before a time means that an earlier one changes nothing.
func TestLawsKeepTheLimitWhenAskedEarly(t *testing.T) {
	for name, c := range laws() {
		r := control.Reading{Limit: 5, CPUs: 4, Waiting: 1}
		d := c.Next(r)
		for range 9 {
			r.At += d.After / 10
			if got := c.Next(r); got.Limit != 5 || got.Reason.Kind != control.None {
				t.Errorf("%s: asked at %v of %v: %+v", name, r.At, d.After, got)
			}
		}
	}
}

// Waiting for the end of a window costs no memory.
func TestLawsAllocateNothingWithinAWindow(t *testing.T) {
	for name, c := range laws() {
		r := control.Reading{Limit: 5, CPUs: 4, Waiting: 1}
		c.Next(r)
		r.At++
		if n := testing.AllocsPerRun(100, func() { c.Next(r) }); n != 0 {
			t.Errorf("%s: %v allocations in a reading", name, n)
		}
	}
}

// Whatever the sensors say, a law decides a usable limit and a time.
func FuzzLaws(f *testing.F) {
	f.Add([]byte("a stretch of bytes, read as a stretch of sensor readings."))
	f.Add(make([]byte, 200))
	f.Add(bytes.Repeat([]byte{0xff}, 40)) // counters that are no numbers
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, c := range laws() {
			r := control.Reading{Limit: 4, CPUs: 4}
			for rest := data; len(rest) >= 8; rest = rest[8:] {
				word := binary.LittleEndian.Uint64(rest)
				r.At += time.Duration(word & (1<<30 - 1)) // up to a second
				r.OwnCPU += math.Float64frombits(word)
				r.MachineCPU += float64(word>>32) / 1e9
				r.Residence += math.Float64frombits(word)
				r.Occupancy += math.Float64frombits(word << 1)
				r.Completed += int64(word % 101)
				r.Timed += int64(word % 61)
				r.Overloads += int64(word % 3 / 2)
				r.CPUs = float64(word%257) - 1
				r.Waiting = int(word >> 60)
				r.InFlight = int(word >> 62)
				d := c.Next(r)
				if d.Limit < 1 || d.Limit > 100_000 || d.After <= 0 {
					t.Fatalf("%s: limit %d after %v to %+v", name, d.Limit, d.After, r)
				}
				r.Limit = d.Limit
			}
		}
	})
}
