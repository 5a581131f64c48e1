package errgroup_test

import (
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"testing/fstest"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/errgroup"
)

// The sums of all files of a tree: one goroutine finds them, the others read and
// hash as many at a time as turns out to be best.
func Example_treeSums() {
	tree := fstest.MapFS{
		"readme.txt":     {Data: []byte("hello")},
		"src/a.go":       {Data: []byte("package a")},
		"src/deep/b.go":  {Data: []byte("package b")},
		"src/deep/empty": {},
	}
	sums, err := treeSums(context.Background(), tree)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range slices.Sorted(maps.Keys(sums)) {
		fmt.Printf("%x %s\n", sums[path], path)
	}
	// Output:
	// 5d41402abc4b2a76b9719d911017c592 readme.txt
	// c538e1fb42d5be621487f61a3eaf727d src/a.go
	// 4a14de59c2fb79703f31e3f5d7310d14 src/deep/b.go
	// d41d8cd98f00b204e9800998ecf8427e src/deep/empty
}

// treeSums returns the MD5 sum of each regular file in tree. It ends at the first
// error, and leaves nothing running.
func treeSums(ctx context.Context, tree fs.FS) (map[string][md5.Size]byte, error) {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimiter(disk)
	var mu sync.Mutex
	sums := make(map[string][md5.Size]byte)
	walkErr := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		return g.GoContext(ctx, func(context.Context) error {
			data, err := fs.ReadFile(tree, path)
			if err != nil {
				return err
			}
			sum := md5.Sum(data)
			mu.Lock()
			defer mu.Unlock()
			sums[path] = sum
			return nil
		})
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if walkErr != nil {
		return nil, walkErr
	}
	return sums, nil
}

// disk is for all that reads files.
var disk = sweetspot.New(sweetspot.Name("disk"))

// A pipeline: each stage is a function of the Group, and the first error ends all
// of them.
func Example_pipeline() {
	g, ctx := errgroup.WithContext(context.Background())
	numbers := make(chan int)
	g.Go(func() error {
		defer close(numbers)
		for i := range 1000 {
			select {
			case numbers <- i:
			case <-ctx.Done():
				return nil
			}
		}
		return nil
	})
	g.Go(func() error {
		for n := range numbers {
			if n == 13 {
				return errors.New("13 is not welcome")
			}
		}
		return nil
	})
	fmt.Println(g.Wait())
	// Output: 13 is not welcome
}

func ExampleWithContext() {
	g, ctx := errgroup.WithContext(context.Background())
	results := make([]string, 3)
	for i, source := range []string{"web", "images", "videos"} {
		g.Go(func() error {
			results[i] = "from " + source
			return ctx.Err()
		})
	}
	fmt.Println(g.Wait(), results)
	// Output: <nil> [from web from images from videos]
}
