package load_test

import (
	"math"
	"os"
	"os/exec"
	"strings"
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

func TestIdleSeconds(t *testing.T) {
	const stat = "cpu  100 0 50 2000 300 0 7 9 0 0\ncpu0 50 0 25 1000 150 0 7 9 0 0\ncpu1 50 0 25 1000 150 0 0 0 0 0\nintr 1 2 3 4 5 6\nbtime 5\n"
	if idle, cpus, ok := load.IdleSeconds([]byte(stat)); idle != 23 || cpus != 2 || !ok {
		t.Errorf("idle %v s on %v CPUs, %v; want 23 s on 2", idle, cpus, ok)
	}
	for _, bad := range []string{"", "cpu  1 2 3 x 5 6\ncpu0 1 2 3 4 5 6\n", "cpu  1 2 3 4 5 6\n"} {
		if _, _, ok := load.IdleSeconds([]byte(bad)); ok {
			t.Errorf("%q: accepted", bad)
		}
	}
}

func TestParseProcess(t *testing.T) {
	const stat = "42 (a) name 7) S 41 42 42 0 -1 4194560 100 0 0 0 150 50 20 30 20 0 1 0 5 0"
	pid, parent, seconds, ok := load.ParseProcess(stat)
	if pid != 42 || parent != 41 || seconds != 2.5 || !ok {
		t.Errorf("%d, child of %d, %v s, %v; want 42 of 41, 2.5 s", pid, parent, seconds, ok)
	}
	for _, bad := range []string{"", "42 (a) S 41", "x" + stat, strings.Replace(stat, "41", "x", 1), strings.Replace(stat, "150", "x", 1)} {
		if _, _, _, ok := load.ParseProcess(bad); ok {
			t.Errorf("%q: accepted", bad)
		}
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
