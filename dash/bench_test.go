package dash_test

import (
	"net/http"
	"runtime"
	"testing"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/dash"
)

// BenchmarkSecond is what a page costs in a second, with an hour of history of
// 100 Limiters that go on deciding: to measure, and to tell one reader. The
// metric %CPU is the share of one CPU, MB the memory of the page.
//
//	go test -run '^$' -bench Second ./dash
func BenchmarkSecond(b *testing.B) {
	before := heap()
	list := busy(100)
	limiters := heap() - before
	p := pageOf(list)
	for range dash.PointsKept {
		p.Pass()
	}
	b.Run("measure", func(b *testing.B) {
		for b.Loop() {
			decide(list)
			p.Pass()
		}
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*100, "%CPU")
		b.ReportMetric(float64(heap()-before-limiters)/1e6, "MB")
	})
	b.Run("stream", func(b *testing.B) {
		s := dash.NewStream(p, nowhere{})
		for b.Loop() {
			decide(list)
			p.Pass()
			if err := s.Tell(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*100, "%CPU")
	})
	runtime.KeepAlive(list)
}

// decide lets each Limiter come to a decision.
func decide(list []*sweetspot.Limiter) {
	for _, l := range list {
		l.SetLimit(3 - l.Limit())
	}
}

// nowhere is where a fast reader's connection ends.
type nowhere struct{}

func (nowhere) Header() http.Header         { return http.Header{} }
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) WriteHeader(int)             {}
func (nowhere) Flush()                      {}
