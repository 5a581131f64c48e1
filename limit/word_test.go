package limit_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/limit"
)

// TestLayout: the word that everybody writes shares no cache line with the
// ceiling, which everybody reads, nor with the mutex. It must hold wherever the
// Semaphore begins, for it may be a field of something else.
func TestLayout(t *testing.T) {
	if d := limit.WordOffset - limit.CeilingOffset; d < limit.Line {
		t.Errorf("word is %d bytes after ceiling, want at least %d", d, limit.Line)
	}
	if d := limit.MutexOffset - limit.WordOffset; d < limit.Line {
		t.Errorf("mu is %d bytes after word, want at least %d", d, limit.Line)
	}
	if limit.WordOffset%8 != 0 || limit.CeilingOffset%8 != 0 {
		t.Errorf("word at %d, ceiling at %d: not aligned for 64-bit atomics", limit.WordOffset, limit.CeilingOffset)
	}
	if limit.Size > 3*limit.Line {
		t.Errorf("a Semaphore takes %d bytes, want at most %d", limit.Size, 3*limit.Line)
	}
}

// TestFold: the count of completed units goes on where its field in the word
// ends, once and again.
func TestFold(t *testing.T) {
	s := limit.New(2)
	want := int64(0)
	for range 3 {
		skip := limit.FoldUnit - 3 - want%limit.FoldUnit // three units before the edge
		s.SkipCompleted(uint64(skip))
		want += skip
		for range 6 {
			s.TryAcquire()
			s.TryAcquire()
			s.Cancel()
			if got := s.Counters(); got.Completed != want || got.InFlight != 1 {
				t.Fatalf("got %+v, want Completed %d, InFlight 1", got, want)
			}
			s.Release()
			want++
			if got := s.Counters(); got.Completed != want || got.InFlight != 0 || got.Limit != 2 {
				t.Fatalf("got %+v, want Completed %d, InFlight 0, Limit 2", got, want)
			}
			if got := refuse(s.Release); got != releaseMisuse {
				t.Fatalf("Release with nothing held: panic %v", got)
			}
		}
	}
}

// TestFoldConcurrently: four goroutines run over the edge together.
func TestFoldConcurrently(t *testing.T) {
	s := limit.New(4)
	s.SkipCompleted(limit.FoldUnit - 2000)
	together(4, func(int) {
		for range 1000 {
			if s.TryAcquire() {
				s.Release()
			}
		}
	})
	got := s.Counters()
	if want := int64(limit.FoldUnit + 2000); got.Completed != want || got.InFlight != 0 {
		t.Fatalf("got %+v, want Completed %d", got, want)
	}
}

// TestGenerationWraps: the limit can change more often than its generation
// counts.
func TestGenerationWraps(t *testing.T) {
	s := limit.New(1)
	s.TryAcquire()
	first := s.Generation()
	for i := range 1000 {
		n := 2 + i%2
		s.SetLimit(n)
		got := s.Counters()
		if got.Limit != n || got.InFlight != 1 {
			t.Fatalf("change %d: got %+v, want Limit %d, InFlight 1", i, got, n)
		}
		if i == 255 && s.Generation() != first {
			t.Fatalf("generation %d after 256 changes, want %d: this test does not test wrapping", s.Generation(), first)
		}
	}
	s.Release()
	if got := refuse(s.Release); got != releaseMisuse {
		t.Fatalf("Release with nothing held: panic %v", got)
	}
}
