package sweetspot_test

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// records yields the records of a CSV file as they are read, and keeps the error
// that ended it.
func records(r *csv.Reader, err *error) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for {
			var record []string
			if record, *err = r.Read(); *err != nil || !yield(record) {
				if *err == io.EOF {
					*err = nil
				}
				return
			}
		}
	}
}

// A pipeline from one CSV file into another: records are read one by one,
// converted by as many goroutines as pay, and written in order.
func ExampleMapSeq() {
	in := csv.NewReader(strings.NewReader("apples,3,0.40\npears,2,0.55\nplums,12,0.15\n"))
	out := csv.NewWriter(os.Stdout)
	defer out.Flush()
	var failed error
	for row, err := range sweetspot.MapSeq(context.Background(), records(in, &failed), func(_ context.Context, record []string) ([]string, error) {
		n, err := strconv.Atoi(record[1])
		price, err2 := strconv.ParseFloat(record[2], 64)
		return []string{record[0], fmt.Sprintf("%.2f", float64(n)*price)}, errors.Join(err, err2)
	}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		out.Write(row)
	}
	if failed != nil {
		fmt.Println(failed)
	}
	// Output:
	// apples,1.20
	// pears,1.10
	// plums,1.80
}

// Results as they come: here the second value waits until the others are done.
func ExampleUnordered() {
	others := make(chan struct{})
	square := func(_ context.Context, v int) (int, error) {
		if v == 1 {
			<-others
		}
		time.Sleep(time.Millisecond) // so that a second goroutine is worth it
		return v * v, nil
	}
	var squares []int
	for v, err := range sweetspot.MapSeq(context.Background(), slices.Values([]int{0, 1, 2, 3}), square, sweetspot.Unordered(), sweetspot.Fixed(2)) {
		if err != nil {
			fmt.Println(err)
		}
		if squares = append(squares, v); len(squares) == 3 {
			close(others)
		}
	}
	fmt.Println(squares)
	// Output: [0 4 9 1]
}
