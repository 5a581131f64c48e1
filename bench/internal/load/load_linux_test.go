package load_test

import (
	"math"
	"os"
	"os/exec"
	"testing"

	"github.com/sweetspot-go/sweetspot/bench/internal/load"
)

func TestOthersSince(t *testing.T) {
	for _, c := range []struct {
		was, now [3]float64
		cpus     float64
		known    bool
	}{
		{[3]float64{0, 10, 5}, [3]float64{2, 14, 8}, 0.5, true}, // 4 s used, 3 of them by us, in 2 s
		{[3]float64{0, 10, 5}, [3]float64{2, 12, 7.1}, 0, true}, // ticks may count us for more than all
		{[3]float64{1, 10, 5}, [3]float64{1, 10, 5}, 0, false},  // no time
	} {
		if cpus, known := load.OthersSince(c.was, c.now); math.Abs(cpus-c.cpus) > 1e-9 || known != c.known {
			t.Errorf("%v to %v: %v %v, want %v %v", c.was, c.now, cpus, known, c.cpus, c.known)
		}
	}
	if !load.Known() {
		t.Error("the load of a Linux machine must be known")
	}
}

// A grandchild that computes is found while it and its parent live.
func TestDescendants(t *testing.T) {
	cmd := exec.Command("sh", "-c", `sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo; read x'; :`)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if s := load.DescendantSeconds(os.Getpid()); s <= 0 {
		t.Errorf("%v s, want those of the grandchild", s)
	}
	in.Close()
	_ = cmd.Wait() // read fails at the end of the input
}
