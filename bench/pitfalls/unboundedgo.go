package main

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// scaleRows scales the rows of a matrix, which are short.
func scaleRows() pitfall {
	const columns = 16
	return pitfall{"unboundedgo", "a matrix of short rows", "row", 1 << 15, func(n int) []form {
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = make([]float64, columns)
		}
		scaled := func(scale func([][]float64, float64)) func() int {
			return func() int {
				for i, row := range rows {
					for j := range row {
						row[j] = float64(i % 7)
					}
				}
				scale(rows, 2)
				return int(rows[n-1][columns-1])
			}
		}
		return []form{
			{name: "a goroutine for each row", run: scaled(scaleEach)},
			{name: "ForEach", run: scaled(scaleForEach)},
			{name: "no goroutine", run: scaled(scaleSerial)},
		}
	}}
}

func scaleEach(rows [][]float64, by float64) {
	var wg sync.WaitGroup
	for _, row := range rows {
		wg.Go(func() {
			for j := range row {
				row[j] *= by
			}
		})
	}
	wg.Wait()
}

func scaleForEach(rows [][]float64, by float64) {
	err := sweetspot.ForEach(context.Background(), rows, func(ctx context.Context, row []float64) error {
		for j := range row {
			row[j] *= by
		}
		return nil
	})
	if err != nil {
		panic(err) // nothing in it can fail
	}
}

func scaleSerial(rows [][]float64, by float64) {
	for _, row := range rows {
		for j := range row {
			row[j] *= by
		}
	}
}

// waitForAll answers lines, each of which waits for somebody and needs a buffer.
// There is no time to be won by fewer at a time, but memory.
func waitForAll() pitfall {
	return pitfall{"unboundedgo", "lines that wait, with a buffer of 16 KiB", "line", 1 << 13, func(n int) []form {
		lines := make([]string, n)
		for i := range lines {
			lines[i] = "a line"
		}
		answered := func(all func([]string) error) func() int {
			return func() int {
				if err := all(lines); err != nil {
					panic(err) // nothing in it can fail
				}
				return n
			}
		}
		return []form{
			{name: "a goroutine for each line", run: answered(answerEach)},
			{name: "a Group with a limit of 256", run: answered(answerLimited)},
			{name: "ForEach", run: answered(answerForEach)},
		}
	}}
}

func answerEach(lines []string) error {
	var g sweetspot.Group
	for _, line := range lines {
		g.Go(func() error { return answer(line) })
	}
	return g.Wait()
}

func answerLimited(lines []string) error {
	var g sweetspot.Group
	g.SetLimit(256)
	for _, line := range lines {
		g.Go(func() error { return answer(line) }) // waits while 256 are running
	}
	return g.Wait()
}

func answerForEach(lines []string) error {
	return sweetspot.ForEach(context.Background(), lines, func(ctx context.Context, line string) error {
		return answer(line)
	})
}

func answer(line string) error {
	buffer := make([]byte, 16<<10)
	copy(buffer, line)
	time.Sleep(time.Millisecond) // a service, far away
	runtime.KeepAlive(buffer)
	return nil
}
