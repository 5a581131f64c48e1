package sqllimit_test

import (
	"context"
	"database/sql"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	sqllimit "github.com/sweetspot-go/sweetspot/contrib/sql"
)

// BenchmarkPool compares the gate with pools of database/sql of every fixed size, on
// a real PostgreSQL on this machine, 64 callers each. Run it with -benchtime 1x.
//
// It reports the size of the best fixed pool, the limit found, and the throughput,
// relative to that of the best fixed pool, of the gate while it searches and after,
// and of pools of other sizes. All take turns; the figures are medians.
func BenchmarkPool(b *testing.B) {
	for _, w := range []struct{ name, query string }{
		{"waits", "select pg_sleep(0.02)"},
		{"mixed", "select pg_sleep(0.01), sum(i) from generate_series(1, 5000) i"},
		{"computes", "select sum(i) from generate_series(1, 20000) i"},
	} {
		b.Run(w.name, func(b *testing.B) {
			for b.Loop() {
				sweep(b, w.query)
			}
		})
	}
}

const (
	callers = 64
	slice   = 500 * time.Millisecond
	search  = 5 * time.Second
	rounds  = 3
)

func sweep(b *testing.B, query string) {
	dsn := postgres(b)
	l := sweetspot.New()
	gate := must(sqllimit.Open("pgx", dsn, l))
	defer gate.Close()
	ctx := b.Context()

	searched := throughput(ctx, b, gate, query, search)
	sizes := []int{1, 2, 4, 8, 16, 32, callers}
	fixed := make([][]float64, len(sizes))
	var found []float64
	var limits []int
	for range rounds {
		for i, n := range sizes {
			db := must(sql.Open("pgx", dsn))
			db.SetMaxOpenConns(n)
			db.SetMaxIdleConns(n)
			throughput(ctx, b, db, query, slice/5) // opens the connections
			fixed[i] = append(fixed[i], throughput(ctx, b, db, query, slice))
			ok(db.Close())
		}
		found = append(found, throughput(ctx, b, gate, query, 2*slice))
		limits = append(limits, l.Limit())
	}
	best, size := 0.0, 0
	for i, n := range sizes {
		if m := median(fixed[i]); m > best {
			best, size = m, n
		}
	}
	slices.Sort(limits)
	b.ReportMetric(float64(size), "best-size")
	b.ReportMetric(float64(limits[rounds/2]), "limit")
	b.ReportMetric(searched/best, "search/best")
	b.ReportMetric(median(found)/best, "found/best")
	b.ReportMetric(median(fixed[0])/best, "pool1/best")
	b.ReportMetric(median(fixed[1])/best, "pool2/best")
	b.ReportMetric(median(fixed[4])/best, "pool16/best")
	b.ReportMetric(median(fixed[len(sizes)-1])/best, "pool64/best")
}

// throughput returns how many statements a second the callers get done in d.
func throughput(ctx context.Context, b *testing.B, db *sql.DB, query string, d time.Duration) float64 {
	var n atomic.Int64
	var wg sync.WaitGroup
	began := time.Now()
	for range callers {
		wg.Go(func() {
			for time.Since(began) < d {
				if _, err := db.ExecContext(ctx, query); err != nil {
					b.Error(err)
					return
				}
				n.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(n.Load()) / time.Since(began).Seconds()
}

func median(xs []float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	return xs[len(xs)/2]
}
