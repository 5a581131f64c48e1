package queue_test

import (
	"fmt"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// BenchmarkRestart measures the start of a server after a restart of its machine, with so many
// results in the store. Starts without a restart are for comparison.
//
//	go test -run '^$' -bench Restart -benchtime 3x -timeout 30m ./cmd/sweetspot/internal/queue
func BenchmarkRestart(b *testing.B) {
	for _, results := range []uint64{100_000, 1_000_000} {
		dir := b.TempDir()
		filled := false
		for _, restarted := range []bool{false, true} {
			b.Run(fmt.Sprintf("results=%d/restarted=%v", results, restarted), func(b *testing.B) {
				if !filled {
					filled = true
					fillHome(b, dir, results)
				}
				for b.Loop() {
					b.StopTimer()
					if restarted {
						restart(b, dir)
					}
					h := queue.OpenHome(dir)
					b.StartTimer()
					if err := h.Serve(nil, nil); err != nil {
						b.Fatal(err)
					}
					b.StopTimer()
					h.Close()
					b.StartTimer()
				}
			})
		}
	}
}

// fillHome makes a home with results.
func fillHome(b *testing.B, dir string, results uint64) {
	b.Helper()
	q, done, err := queue.OpenQueue(b.Context(), dir, "q")
	defer done()
	if err == nil {
		err = q.Fill(b.Context(), results)
	}
	if err != nil {
		b.Fatal(err)
	}
}
