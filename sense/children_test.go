package sense_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

func ExampleNewChildren() {
	var s sense.Sensor = sense.NewChildren()
	fmt.Println("CPUs to run jobs on:", s.Sense(0).CPUs > 0)
	// Output: CPUs to run jobs on: true
}

func ExampleChildren_Started() {
	c := sense.NewChildren()
	c.Started(4711) // from now on it is watched, where the system allows
	c.Reaped(4711, 0.25, 12<<20)
	// Output:
}

func ExampleChildren_Admits() {
	c := sense.NewChildren()
	c.Started(4711)
	if ok, why := c.Admits(0); !ok {
		fmt.Println("wait until a child ends:", why)
	}
	// Output:
}

func ExampleChildren_Expect() {
	yesterday := sense.NewChildren()
	yesterday.Started(4711)
	yesterday.Reaped(4711, 2, 900<<20)

	today := sense.NewChildren()
	today.Expect(yesterday.Largest())
	fmt.Printf("%.0f MiB\n", yesterday.Largest()/(1<<20))
	// Output: 900 MiB
}

func ExampleChildren_Largest() {
	c := sense.NewChildren()
	fmt.Println(c.Largest(), "bytes: no child has ended")
	// Output: 0 bytes: no child has ended
}

func ExampleChildren_Reaped() {
	c := sense.NewChildren()
	before := c.Sense(1)
	// cmd.Wait returned; its ProcessState says 2 s of user and system time.
	c.Reaped(4711, 2, 12<<20)
	after := c.Sense(0)
	fmt.Printf("%.0f s\n", after.OwnCPU-before.OwnCPU)
	// Output: 2 s
}

func ExampleChildren_Sense() {
	c := sense.NewChildren()
	s := c.Sense(8) // eight jobs are running
	if s.Ceiling > 0 && s.Ceiling <= 8 {
		fmt.Println("no more jobs now:", s.Why)
	}
	fmt.Println("processes waiting for a CPU:", s.Runnable >= 0)
	// Output: processes waiting for a CPU: true
}

// A terminal stops the program and its jobs by Ctrl+Z. The pause does not count as time
// that the jobs have run.
func ExampleChildren_Freeze() {
	c := sense.NewChildren()
	c.Started(4711)
	c.Freeze(func() {
		// Send SIGSTOP to the job and to this process. The call returns after SIGCONT.
		fmt.Println("stopped, and resumed")
	})
	c.Reaped(4711, 0.25, 12<<20)
	// Output: stopped, and resumed
}

func ExampleChildren_Lend() {
	c := sense.NewChildren()
	wake := make(chan struct{}, 1) // for the goroutine that calls Suspend
	c.Lend(func() {
		select {
		case wake <- struct{}{}:
		default: // it has been woken already
		}
	})
	// From now on more jobs may start than surely fit, if earlier ones were brief.
	if ok, _ := c.Admits(0); ok {
		c.Started(4711)
	}
	c.Reaped(4711, 0.25, 12<<20)
	fmt.Printf("the job held %.0f MiB\n", c.Largest()/(1<<20))
	// Output: the job held 12 MiB
}

// What the goroutine does that Lend has woken.
func ExampleChildren_Suspend() {
	c := sense.NewChildren()
	c.Lend(func() {})
	signal := func(pids []int, name string) {
		for _, pid := range pids {
			fmt.Println("kill", name, pid) // a program sends the signal
		}
	}
	for again := true; again; time.Sleep(sense.SuspendEvery) {
		var suspended, resumed []int
		suspended, resumed, again = c.Suspend()
		signal(suspended, "-STOP")
		signal(resumed, "-CONT")
	}
	fmt.Println("memory suffices for all that run")
	// Output: memory suffices for all that run
}

// TestChildrenConcurrently has workers start and reap while the sensor reads.
func TestChildrenConcurrently(t *testing.T) {
	c := sense.NewChildren()
	start := c.Sense(0)
	var workers sync.WaitGroup
	const each = 200
	for w := range 4 {
		workers.Go(func() {
			for i := range each {
				pid := 1<<30 + w*each + i // no process has such a number
				c.Started(pid)
				c.Reaped(pid, 1, 1<<20)
			}
		})
	}
	before := start
	for range 50 {
		s := c.Sense(4)
		if s.OwnCPU < before.OwnCPU || s.MachineCPU < before.MachineCPU {
			t.Errorf("fell: %+v after %+v", s, before)
		}
		before = s
	}
	workers.Wait()
	end := c.Sense(0)
	if got := end.OwnCPU - start.OwnCPU; got < 4*each || got > 4*each+60 {
		t.Errorf("children count %v s, want %d and what this process took", got, 4*each)
	}
	if own, all := end.OwnCPU-start.OwnCPU, end.MachineCPU-start.MachineCPU; all < own-1e-6 {
		t.Errorf("the machine used %v, this work %v", all, own)
	}
}
