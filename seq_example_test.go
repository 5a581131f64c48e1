package sweetspot_test

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot"
)

// The lines of a file, as they are read.
func ExampleForEachSeq() {
	lines := bufio.NewScanner(strings.NewReader("three\nblind\nmice\n"))
	seq := func(yield func(string) bool) {
		for lines.Scan() && yield(lines.Text()) {
		}
	}
	var letters atomic.Int64
	err := sweetspot.ForEachSeq(context.Background(), seq, func(_ context.Context, line string) error {
		letters.Add(int64(len(line)))
		return nil
	})
	if err == nil {
		err = lines.Err()
	}
	fmt.Println(letters.Load(), err)
	// Output: 14 <nil>
}
