package frontier_test

import (
	"slices"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/frontier"
)

// TestQueueTakesTheOldest: and an equal part for each active walker.
func TestQueueTakesTheOldest(t *testing.T) {
	q := frontier.NewQueue(3, 0)
	q.Add(1, 2, 3, 4)
	q.Add(5, 6, 7)
	for _, step := range []struct {
		least, most int
		want        []int
	}{
		{1, 9, []int{1, 2}},
		{1, 1, []int{3}},
		{2, 9, []int{4, 5}},
		{9, 1, []int{6, 7}},
		{1, 9, nil},
	} {
		if got := q.Take(step.least, step.most); !slices.Equal(got, step.want) {
			t.Errorf("took %v, want %v", got, step.want)
		}
	}
	if n := q.Size.Load(); n != 0 {
		t.Errorf("%d keys are left", n)
	}
}

// TestQueueKeepsOrder: through growing, and through moving its keys to the front.
func TestQueueKeepsOrder(t *testing.T) {
	q := frontier.NewQueue(1, 0)
	added, taken := 0, 0
	for i := range 1000 {
		for range i % 7 {
			q.Add(added)
			added++
		}
		for _, k := range q.Take(1+i%5, 1) {
			if k != taken {
				t.Fatalf("took key %d, want %d", k, taken)
			}
			taken++
		}
		if n := q.Size.Load(); n != int64(added-taken) {
			t.Fatalf("size %d, want %d", n, added-taken)
		}
	}
}

// TestQueueWakesTheCaller: when there are keys, and when there are few.
func TestQueueWakesTheCaller(t *testing.T) {
	q := frontier.NewQueue(1, 3)
	if q.Woken() {
		t.Error("woken from the beginning")
	}
	q.Add(1, 2, 3)
	q.Add(4, 5)
	if !q.Woken() || q.Woken() {
		t.Error("not woken once for the keys added")
	}
	for left := 4; left >= 0; left-- {
		q.Take(1, 1)
		if got, want := q.Woken(), left < 3; got != want {
			t.Errorf("woken with %d keys left: %v", left, got)
		}
	}
}

// TestQueueKnowsTheEnd: no roots, no keys, and nobody who may bring forth more.
func TestQueueKnowsTheEnd(t *testing.T) {
	for _, order := range [][3]string{{"close", "take", "leave"}, {"leave", "take", "close"}, {"take", "close", "leave"}, {"leave", "close", "take"}} {
		q := frontier.NewQueue(1, 0)
		q.Add(1)
		steps := map[string]func(){"take": func() { q.Take(1, 1) }, "close": q.Close, "leave": q.Leave}
		for i, step := range order {
			if q.Over() {
				t.Errorf("%v: over after %d steps", order, i)
			}
			steps[step]()
		}
		if !q.Over() {
			t.Errorf("%v: not over", order)
		}
	}
}
