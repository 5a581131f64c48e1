package pool_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/sweetspot-go/sweetspot/internal/pool"
)

// TestQueue: values come out in order, those put back first, and submitters that wait for
// room are served in order.
func TestQueue(t *testing.T) {
	var q pool.Queue[int]
	q.SetRoom(20)
	for i := range 20 {
		if !q.Accepts() {
			t.Fatalf("no room for value %d of 20", i)
		}
		q.Add(i)
	}
	if q.Accepts() {
		t.Error("room for more")
	}
	a, b, c := q.Wait(20), q.Wait(21), q.Wait(22)
	q.Leave(b)
	if got := q.Take(5); !slices.Equal(got, []int{0, 1, 2, 3, 4}) {
		t.Errorf("took %v", got)
	}
	q.PutBack([]int{3, 4})
	if got := q.Take(3); !slices.Equal(got, []int{3, 4, 5}) {
		t.Errorf("took %v, with two put back", got)
	}
	if q.Accepts() {
		t.Error("a value may overtake a submitter that waits")
	}
	q.SetRoom(15)
	if ok, err := a.Settled(); !ok || err != nil {
		t.Errorf("the first submitter: settled %v, %v", ok, err)
	}
	if ok, _ := c.Settled(); ok {
		t.Error("a submitter was taken beyond the room")
	}
	bad := errors.New("bad")
	q.Refuse(bad)
	if ok, err := c.Settled(); !ok || err != bad {
		t.Errorf("refused: settled %v, %v", ok, err)
	}
	if ok, _ := b.Settled(); ok {
		t.Error("a submitter that had left was settled")
	}
	want := []int{6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}
	if got := q.Take(100); !slices.Equal(got, want) || q.Len() != 0 {
		t.Errorf("took %v, want %v; %d are left", got, want, q.Len())
	}
}

// TestQueueLetsGo: a queue keeps nothing that was taken, also of what was put back.
func TestQueueLetsGo(t *testing.T) {
	var q pool.Queue[*[64]byte]
	var values []weak.Pointer[[64]byte]
	value := func() *[64]byte {
		v := new([64]byte)
		values = append(values, weak.Make(v))
		return v
	}
	for range 3 {
		q.Add(value())
	}
	q.PutBack([]*[64]byte{value(), value(), value()})
	q.Take(2)
	q.Take(2)
	q.Add(value())
	runtime.GC()
	for i, kept := range []bool{false, true, true, false, false, false, true} {
		if got := values[i].Value() != nil; got != kept {
			t.Errorf("value %d: kept %v, want %v", i, got, kept)
		}
	}
	if got := q.Take(3); len(got) != 3 {
		t.Errorf("%d values are left, want 3", len(got))
	}
	runtime.GC()
	for i, v := range values {
		if v.Value() != nil {
			t.Errorf("value %d is kept by an empty queue", i)
		}
	}
	runtime.KeepAlive(&q)
}
