package kaburaya_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/kaburaya"
	"github.com/sweetspot-go/sweetspot/sense"
)

// The usage of the talk: Wait before a task starts, Signal when it ends.
func ExampleNewSem() {
	sem := kaburaya.NewSem(100*time.Millisecond, 0.1)
	defer sem.Stop()

	var wg sync.WaitGroup
	var sum atomic.Int64
	for i := range 100 {
		sem.Wait()
		wg.Go(func() {
			defer sem.Signal()
			sum.Add(int64(i))
		})
	}
	wg.Wait()
	fmt.Println(sum.Load())
	// Output: 4950
}

func ExampleSem_Wait() {
	sem := kaburaya.NewSem(time.Second, 0.1)
	defer sem.Stop()
	sem.Wait()
	fmt.Println("one of at most", sem.Limit())
	sem.Signal()
	// Output: one of at most 1
}

func ExampleSem_Signal() {
	sem := kaburaya.NewSem(time.Second, 0.1)
	defer sem.Stop()
	sem.Wait()
	go func() {
		fmt.Println("first")
		sem.Signal()
	}()
	sem.Wait()
	fmt.Println("second")
	sem.Signal()
	// Output:
	// first
	// second
}

func ExampleSem_Limit() {
	sem := kaburaya.NewSem(time.Second, 0.1)
	defer sem.Stop()
	fmt.Println(sem.Limit()) // to begin with
	// Output: 1
}

func ExampleSem_Stop() {
	sem := kaburaya.NewSem(time.Second, 0.1)
	sem.Stop()
	sem.Stop() // harmless
	sem.Wait() // works on, at the last limit
	sem.Signal()
	fmt.Println(sem.Limit())
	// Output: 1
}

func ExampleMax() {
	sem := kaburaya.NewSem(time.Second, 0.1, kaburaya.Max(1))
	defer sem.Stop()
	fmt.Println(sem.Limit())
	// Output: 1
}

func ExampleCPU() {
	// As published: what everybody on the machine uses.
	sem := kaburaya.NewSem(time.Second, 0.1, kaburaya.CPU(control.MachineCPU))
	defer sem.Stop()
	fmt.Println(sem.Limit())
	// Output: 1
}

func ExampleChangeRate() {
	sem := kaburaya.NewSem(time.Second, 0.1, kaburaya.ChangeRate(0.5))
	defer sem.Stop()
	fmt.Println(sem.Limit())
	// Output: 1
}

// An idleSensor says that nothing uses the CPUs.
type idleSensor struct{}

func (idleSensor) Sense(int) sense.Sample { return sense.Sample{CPUs: 2} }

func ExampleAsPublished() {
	limits := make(chan int, 1)
	sem := kaburaya.NewSem(10*time.Millisecond, 0.3, kaburaya.AsPublished(), kaburaya.Sensor(idleSensor{}), kaburaya.Record(func(p kaburaya.Point) {
		select {
		case limits <- p.Limit:
		default:
		}
	}))
	fmt.Println(<-limits) // nothing runs, which counts as low usage
	sem.Stop()
	// Output: 1
}

// A busySensor says that two CPUs are busy all the time.
type busySensor struct{ used float64 }

func (b *busySensor) Sense(int) sense.Sample {
	b.used += 3600 // more than there is
	return sense.Sample{OwnCPU: b.used, CPUs: 2}
}

func ExampleRecord() {
	points := make(chan kaburaya.Point, 1)
	sem := kaburaya.NewSem(10*time.Millisecond, 0.1, kaburaya.Record(func(p kaburaya.Point) {
		select {
		case points <- p:
		default: // the first is enough here
		}
	}))
	p := <-points
	sem.Stop()
	fmt.Println(p.At >= 10*time.Millisecond, p.Limit)
	// Output: true 1
}

func ExampleSensor() {
	points := make(chan kaburaya.Point, 1)
	sem := kaburaya.NewSem(10*time.Millisecond, 0.1,
		kaburaya.Sensor(new(busySensor)),
		kaburaya.Record(func(p kaburaya.Point) {
			select {
			case points <- p:
			default:
			}
		}))
	p := <-points
	sem.Stop()
	fmt.Printf("%.0f %%\n", p.Usage)
	// Output: 100 %
}
