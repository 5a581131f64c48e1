package sense_test

import (
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

func TestHeapNeedsBothSigns(t *testing.T) {
	for name, c := range map[string]struct {
		live, share float64
		want        int
	}{
		"plenty of room":                 {0.3, 0.05, 0},
		"a full but quiet cache":         {0.95, 0.02, 0},
		"an allocating program":          {0.4, 0.6, 0},
		"nearly full, collecting":        {0.85, 0.35, 16},
		"full, collecting all the time":  {0.95, 0.5, 12},
		"full, collecting a good deal":   {0.95, 0.4, 16},
		"nearly full, collecting always": {0.85, 0.5, 16},
		"limit broken, little marking":   {1.1, 0.1, 16},
	} {
		var v sense.HeapVerdict
		if got := v.Judge(c.live, c.share, 16, 16); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestHeapVerdictStaysUntilItIsClearlyOver(t *testing.T) {
	var v sense.HeapVerdict
	v.Judge(0.85, 0.4, 16, 16)
	if got := v.Judge(0.85, 0.3, 16, 16); got != 16 {
		t.Errorf("%d at a share just below the threshold, want 16 still", got)
	}
	if got := v.Judge(0.85, 0.1, 16, 16); got != 0 {
		t.Errorf("%d with the collector quiet, want none", got)
	}
}

// A node is memory that the collector must walk through.
type node struct{ left, right *node }

func grow(depth int) *node {
	if depth == 0 {
		return new(node)
	}
	return &node{grow(depth - 1), grow(depth - 1)}
}

var (
	live    *node
	garbage [4]*node
)

// TestHeapUnderLimit fills a GOMEMLIMIT with live memory and allocates on: the
// sensor must say so, and must not while the same memory lies idle.
func TestHeapUnderLimit(t *testing.T) {
	live = grow(19) // a million nodes, 16 MiB
	defer func() { live, garbage = nil, [4]*node{} }()
	runtime.GC()
	// Far too low, so that the collector runs without pause.
	old := debug.SetMemoryLimit(4 << 20)
	defer debug.SetMemoryLimit(old)
	// The sensor's clock stands on the looks that are due, whatever the time.
	now := time.Hour
	p := sense.NewProcessAt("/nonexistent", func() time.Duration { return now }, sense.OwnCPU)
	if s := p.Sense(16); s.Ceiling != 0 {
		t.Errorf("ceiling %d (%s) for a full heap at rest, want none", s.Ceiling, s.Why)
	}
	looks := 0
	for s := (sense.Sample{}); !strings.Contains(s.Why, "GOMEMLIMIT"); looks++ {
		if looks == 2000 {
			t.Fatal("the collector runs without pause, and the sensor does not notice")
		}
		var both sync.WaitGroup
		for i := range garbage {
			both.Go(func() {
				for range 20 {
					garbage[i] = grow(10)
				}
			})
		}
		both.Wait()
		now += 100 * time.Millisecond
		if s = p.Sense(16); s.Ceiling > 16 {
			t.Fatalf("ceiling %d, want 16 or less", s.Ceiling)
		}
	}
	// No allocation any more: after two quiet seconds nothing stands in the way.
	for range 40 {
		now += 100 * time.Millisecond
		p.Sense(16)
	}
	if s := p.Sense(16); s.Ceiling != 0 {
		t.Errorf("ceiling %d (%s) for a heap at rest again, want none", s.Ceiling, s.Why)
	}
}
