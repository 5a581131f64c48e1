package sweetspot_test

import (
	"context"
	"fmt"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// However many images are decoded at a time, they never take more than 256 MB together.
func ExampleWeightOf() {
	type image struct{ width, height int }
	pixels := func(m image) int64 { return int64(m.width) * int64(m.height) }
	bytes := func(m image) int64 { return 4 * pixels(m) }
	memory := sweetspot.New(sweetspot.Budget(256 << 20))

	images := []image{{640, 480}, {8000, 6000}, {1920, 1080}, {32_000, 32_000}} // the last runs alone
	sizes, err := sweetspot.Map(context.Background(), images, func(_ context.Context, m image) (int64, error) {
		return pixels(m), nil
	}, memory, sweetspot.WeightOf(bytes))
	fmt.Println(sizes, err)
	// Output: [307200 48000000 2073600 1024000000] <nil>
}

func ExampleBudget() {
	l := sweetspot.New(sweetspot.Budget(100))
	err := l.DoWeight(context.Background(), 70, func(context.Context) error {
		fmt.Println(l.Stats().Reserved, "of 100 are in use")
		return nil
	})
	fmt.Println(l.Stats().Reserved, err)
	// Output:
	// 70 of 100 are in use
	// 0 <nil>
}

// A body of a request is read into memory that others leave free.
func ExampleLimiter_BeginWeight() {
	l := sweetspot.New(sweetspot.Budget(1 << 20))
	u, err := l.BeginWeight(context.Background(), 300_000) // as declared
	if err != nil {
		return // ctx was done first
	}
	u.End(sweetspot.Done, 280_000) // as read
	fmt.Println(l.Stats().Completed)
	// Output: 1
}

// Uploads are kept in memory: at most 1000 bytes of them at a time.
func ExampleLimiter_DoWeight() {
	l := sweetspot.New(sweetspot.Start(10), sweetspot.Budget(1000))
	upload := func(ctx context.Context, size int64) error {
		return l.DoWeight(ctx, size, func(context.Context) error {
			fmt.Println(size, "bytes; in memory:", l.Stats().Reserved)
			return nil
		})
	}
	ctx := context.Background()
	large, err := l.BeginWeight(ctx, 700) // another upload, which is slow
	if err != nil {
		return // ctx was done first
	}
	fmt.Println(upload(ctx, 200))
	brief, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	fmt.Println(upload(brief, 400)) // there is no room for it in time
	large.End(sweetspot.Done, 700)
	fmt.Println(upload(ctx, 400))
	// Output:
	// 200 bytes; in memory: 900
	// <nil>
	// context deadline exceeded
	// 400 bytes; in memory: 400
	// <nil>
}
