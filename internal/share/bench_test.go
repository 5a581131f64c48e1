package share_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/share"
)

// BenchmarkAdd is an exchange among so many processes, every 10 ms of their clock.
func BenchmarkAdd(b *testing.B) {
	for _, n := range []int{1, 2, 10} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.Setenv("XDG_RUNTIME_DIR", b.TempDir())
			clock := time.Now()
			var all []*share.Folder
			for i := range n {
				f, err := share.OpenAs("db", fmt.Sprint("p", i), func() time.Time { return clock })
				if err != nil {
					b.Fatal(err)
				}
				defer f.Close()
				all = append(all, f)
			}
			b.ReportAllocs()
			for b.Loop() {
				clock = clock.Add(10 * time.Millisecond)
				add(all[0], 0.01)
			}
		})
	}
}
