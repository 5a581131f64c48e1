package pitfalls

import (
	"bufio"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
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

// waitForAll answers the lines of a stream, each of which waits for somebody and
// needs a buffer.
func waitForAll() pitfall {
	return pitfall{"unboundedgo", "lines that wait 10 ms, with a buffer of 16 KiB", "line", 1 << 13, func(n int) []form {
		input := strings.Repeat("a line\n", n)
		answered := func(all func(io.Reader) error) func() int {
			return func() int {
				if err := all(strings.NewReader(input)); err != nil {
					panic(err) // nothing in it can fail
				}
				return n
			}
		}
		return []form{
			{name: "a goroutine for each line", run: answered(answerEach)},
			{name: "a Group with a limit of 256", run: answered(answerLimited)},
			{name: "ForEachSeq", run: answered(answerForEach)},
		}
	}}
}

func answerEach(input io.Reader) error {
	var g sweetspot.Group
	lines := bufio.NewScanner(input)
	for lines.Scan() {
		line := lines.Text()
		g.Go(func() error { return answer(line) })
	}
	return errors.Join(lines.Err(), g.Wait())
}

func answerLimited(input io.Reader) error {
	var g sweetspot.Group
	g.SetLimit(256)
	lines := bufio.NewScanner(input)
	for lines.Scan() {
		line := lines.Text()
		g.Go(func() error { return answer(line) }) // waits while 256 are running
	}
	return errors.Join(lines.Err(), g.Wait())
}

func answerForEach(input io.Reader) error {
	lines := bufio.NewScanner(input)
	texts := func(yield func(string) bool) {
		for lines.Scan() && yield(lines.Text()) {
		}
	}
	err := sweetspot.ForEachSeq(context.Background(), texts, func(ctx context.Context, line string) error {
		return answer(line)
	})
	return errors.Join(lines.Err(), err)
}

func answer(line string) error {
	buffer := make([]byte, 16<<10)
	copy(buffer, line)
	time.Sleep(10 * time.Millisecond) // a service, far away
	runtime.KeepAlive(buffer)
	return nil
}
