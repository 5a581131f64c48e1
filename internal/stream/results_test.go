package stream_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/sweetspot-go/sweetspot/internal/stream"
)

// TestResults: results come in the order of their places, whatever the order in which they
// are put, or in that order.
func TestResults(t *testing.T) {
	const n = 1000
	bad := errors.New("bad")
	for _, unordered := range []bool{false, true} {
		q := stream.NewResults[int](unordered)
		places := make([]*stream.Place[int], n)
		for i := range places {
			if q.Full(n) {
				t.Fatalf("full with %d of %d", i, n)
			}
			places[i], _ = q.Add(n, nil)
		}
		if !q.Full(n) {
			t.Error("not full")
		}
		if _, _, ok := q.Get(); ok {
			t.Error("a result before one was put")
		}
		order := rand.Perm(n)
		for _, i := range order {
			var err error
			if i%10 == 3 {
				err = bad
			}
			q.Put(places[i], i, err)
		}
		for i := range n {
			want := i
			if unordered {
				want = order[i]
			}
			if v, err, ok := q.Get(); v != want || !ok || (err == bad) != (want%10 == 3) {
				t.Fatalf("unordered %v: result %d is %d, %v, %v; want %d", unordered, i, v, err, ok, want)
			}
		}
		if _, _, ok := q.Get(); ok || q.Full(1) {
			t.Error("there are more results")
		}
	}
}

// TestResultsWait: where most results lie there, one who adds waits for the consumer, or
// until it is done.
func TestResultsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := stream.NewResults[int](false)
		first, _ := q.Add(1, nil)
		over := make(chan struct{})
		close(over)
		if _, ok := q.Add(1, over); ok {
			t.Error("added beyond the most, where nobody takes")
		}
		added := make(chan bool, 1)
		go func() {
			_, ok := q.Add(1, nil)
			added <- ok
		}()
		synctest.Wait()
		if len(added) > 0 {
			t.Fatal("one who adds does not wait")
		}
		q.Put(first, 7, nil)
		if v, _, ok := q.Get(); v != 7 || !ok {
			t.Errorf("%d, %v", v, ok)
		}
		if !<-added {
			t.Error("not added after one was taken")
		}
	})
}
