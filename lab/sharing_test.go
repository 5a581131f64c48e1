package lab_test

import (
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

func TestSharingWork(t *testing.T) {
	for _, e := range []string{"B1", "B2", "B3", "B4"} {
		for _, s := range lab.Scales {
			if err := lab.DoAll(e, s, 1); err != nil {
				t.Error(err)
			}
		}
		if _, article := lab.SizesInWords(e); article != "10,000 million numbers" {
			t.Errorf("%s has %s at the article's size, want 10,000 million", e, article)
		}
	}
}

func TestSumBelow(t *testing.T) {
	for _, limit := range []int64{0, 1, 2, 3, 10, 999, 1000, 123_457} {
		if got, want := lab.SumBelow(limit), lab.Sum(0, limit); got != want {
			t.Errorf("below %d: %d, want %d", limit, got, want)
		}
	}
	// 49,999,999,995,000,000,000 modulo 2^64.
	if got, want := lab.SumBelow(10_000*lab.Million), int64(-5_340_232_226_128_654_848); got != want {
		t.Errorf("below the article's limit: %d, want %d", got, want)
	}
}

func TestSumsKeepTheRemainder(t *testing.T) {
	for _, limit := range []int64{0, 1, 5, 7, 1000, 1001, 2999} {
		for n := 1; n < 9; n++ {
			next := int64(0)
			for i := range n {
				lo, hi := lab.Share(limit, i, n)
				if lo != next || hi < lo {
					t.Fatalf("share %d of %d below %d is %d to %d, want it to begin at %d", i, n, limit, lo, hi, next)
				}
				next = hi
			}
			if next != limit {
				t.Errorf("%d shares below %d end at %d", n, limit, next)
			}
			total := lab.SumInSlots(limit, n, 24)
			if want := lab.SumBelow(limit); total != want {
				t.Errorf("%d goroutines below %d: %d, want %d", n, limit, total, want)
			}
		}
		if got := lab.SumByChannel(limit); got != lab.SumBelow(limit) {
			t.Errorf("channel below %d: %d, want %d", limit, got, lab.SumBelow(limit))
		}
		if got, err := lab.SumByReduce(limit); got != lab.SumBelow(limit) || err != nil {
			t.Errorf("ReduceRange below %d: %d, %v, want %d", limit, got, err, lab.SumBelow(limit))
		}
	}
}

func TestSumTaskRefusesWrongSums(t *testing.T) {
	if err := lab.CheckSum(10, 44); err == nil || !strings.Contains(err.Error(), "is 44, want 45") {
		t.Errorf("got %v, want an error that names both sums", err)
	}
}

func TestSlotsAreAligned(t *testing.T) {
	for _, stride := range []int{8, 16, 32, 64, 128, 256} {
		for n := 1; n < 20; n++ {
			at, room := lab.Slots(n, stride)
			if at%256 != 0 {
				t.Fatalf("%d slots %d bytes apart begin at %x", n, stride, at)
			}
			if last := (n-1)*stride + 8; room < last {
				t.Fatalf("there is room for %d bytes, want %d", room, last)
			}
		}
	}
}

const (
	quick = "quick"
	full  = "full"
)

// judged is what an experiment makes of figures that are all 1, except for those
// given by label, or by label and place.
func judged(t *testing.T, id, scale string, cpus int, given map[string]float64) lab.Conclusion {
	t.Helper()
	c, err := lab.Conclude(id, scale, cpus, given)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSharedSliceVerdict(t *testing.T) {
	v := judged(t, "B2", quick, 2, map[string]float64{
		"serial": 0.4, "serial, in memory": 2.8, "shared slice": 1.6, "slice, 128 bytes apart": 1.5,
		"shared slice, atomic": 18, "slice, 128 bytes apart, atomic": 4, "ReduceRange": 0.2,
	})
	if v.Effect != figures.Absent || !strings.Contains(v.Words, "the line is not the cause") {
		t.Errorf("memory costs more: %+v", v)
	}
	if v.Ours == nil || v.Ours.Low < 1.9 || v.Ours.Best != "serial" {
		t.Errorf("ours is %+v, want twice as good as serial", v.Ours)
	}
	v = judged(t, "B2", quick, 4, map[string]float64{"serial": 0.6, "serial, in memory": 0.7, "shared slice": 1.6, "slice, 128 bytes apart": 0.4})
	if v.Effect != figures.Shows || !strings.Contains(v.Words, "more than memory") {
		t.Errorf("the line costs more: %+v", v)
	}
	v = judged(t, "B2", quick, 4, map[string]float64{"serial": 3, "serial, in memory": 3, "shared slice": 1, "slice, 128 bytes apart": 1})
	if v.Effect != figures.Absent || !strings.Contains(v.Words, "is undecided") {
		t.Errorf("nothing costs anything: %+v", v)
	}
	v = judged(t, "B2", quick, 2, map[string]float64{"serial": 0.98, "serial, in memory": 0.98, "shared slice": 0.97, "slice, 128 bytes apart": 0.5})
	if v.Effect != figures.Absent { // the slice is as quick as the loop, so sharing costs nothing
		t.Errorf("the line costs what the CPUs gain: %+v", v)
	}
	v = judged(t, "B2", quick, 1, map[string]float64{"serial, in memory": 7, "shared slice": 7, "slice, 128 bytes apart": 7})
	if v.Effect != figures.Untold || !strings.Contains(v.Words, "one CPU") || strings.Contains(v.Words, "more than the line") {
		t.Errorf("with one CPU: %+v", v)
	}
}

func TestLocalSumsVerdict(t *testing.T) {
	if v := judged(t, "B3", quick, 2, map[string]float64{"serial": 2}); v.Effect != figures.Shows || !strings.Contains(v.Words, "2.00 x") {
		t.Errorf("twice as fast: %+v", v)
	}
	if v := judged(t, "B3", quick, 2, nil); v.Effect == figures.Shows {
		t.Errorf("as fast: %+v", v)
	}
	if v := judged(t, "B3", quick, 1, nil); v.Effect == figures.Shows || !strings.Contains(v.Words, "1 CPU,") {
		t.Errorf("with one CPU: %+v", v)
	}
}

func TestStrideVerdict(t *testing.T) {
	given := map[string]float64{"plain": 3, "atomic": 5, "atomic/8": 20, "atomic/16": 20, "atomic/32": 20}
	v := judged(t, "B4", quick, 2, given)
	if v.Effect != figures.Shows || !strings.Contains(v.Words, "as long 32 bytes apart as 64 bytes apart") || !strings.Contains(v.Words, "plain ones show no cliff") {
		t.Errorf("a cliff at 64 bytes: %+v", v)
	}
	given["atomic/64"] = 20
	if v := judged(t, "B4", quick, 2, given); !strings.Contains(v.Words, "as long 64 bytes apart as 128 bytes apart") {
		t.Errorf("a cliff at 128 bytes: %+v", v)
	}
	if v := judged(t, "B4", quick, 1, nil); v.Effect == figures.Shows || !strings.Contains(v.Words, "with one CPU") {
		t.Errorf("with one CPU: %+v", v)
	}
}

func TestSerialSumVerdict(t *testing.T) {
	if v := judged(t, "B1", quick, 2, map[string]float64{"serial": 0.5}); v.Effect != figures.Baseline || !strings.Contains(v.Words, "that is 5.01 s") {
		t.Errorf("%+v", v)
	}
}
