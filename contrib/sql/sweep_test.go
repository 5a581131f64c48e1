package sqllimit_test

import (
	"context"
	"database/sql"
	"fmt"
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
// relative to that of the best fixed pool, of the gate and of pools of other sizes.
// The best one and the gate then take turns: neighbours come and go, so the figure
// is the median of what each round says, the quartiles beside it.
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
	sweeps  = 3
	rounds  = 9
)

func sweep(b *testing.B, query string) {
	dsn := postgres(b)
	ctx := b.Context()
	sizes := []int{1, 2, 4, 8, 16, 32, callers}
	fixed := make([]*sql.DB, len(sizes))
	speeds := make([][]float64, len(sizes))
	for i, n := range sizes {
		fixed[i] = must(sql.Open("pgx", dsn))
		defer fixed[i].Close()
		fixed[i].SetMaxOpenConns(n)
		fixed[i].SetMaxIdleConns(n)
		throughput(ctx, b, fixed[i], query, slice/5) // opens the connections
	}
	for range sweeps {
		for i := range sizes {
			speeds[i] = append(speeds[i], throughput(ctx, b, fixed[i], query, slice))
		}
	}
	best := 0
	for i := range sizes {
		if median(speeds[i]) > median(speeds[best]) {
			best = i
		}
	}

	l := sweetspot.New()
	gate := must(sqllimit.Open("pgx", dsn, l))
	defer gate.Close()
	throughput(ctx, b, gate, query, search)
	var ratios, limits []float64
	for i := range rounds {
		pair := []*sql.DB{fixed[best], gate}
		if i%2 == 1 {
			slices.Reverse(pair)
		}
		x := make(map[*sql.DB]float64)
		for _, db := range pair {
			x[db] = throughput(ctx, b, db, query, slice)
		}
		ratios = append(ratios, x[gate]/x[fixed[best]])
		limits = append(limits, float64(l.Limit()))
	}
	slices.Sort(ratios)
	b.ReportMetric(float64(sizes[best]), "best-size")
	b.ReportMetric(median(limits), "limit")
	b.ReportMetric(median(ratios), "gate/best")
	b.ReportMetric(ratios[rounds/4], "gate/best-q1")
	b.ReportMetric(ratios[rounds-1-rounds/4], "gate/best-q3")
	for i, n := range sizes {
		b.ReportMetric(median(speeds[i])/median(speeds[best]), fmt.Sprintf("pool%d/best", n))
	}
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
