package run

import "io"

// newCutter returns a cutter for a stream whose records are at most 2 MiB long.
func newCutter(r io.Reader, size, count int, end, start string) *cutter {
	return &cutter{r: r, name: "list", size: size, count: count, end: end, start: start, most: 2 << 20}
}

// CutterMemory returns how much memory it takes to cut a stream of lines into blocks, and
// how long they are together.
func CutterMemory(r io.Reader, size int) (memory int, total int64, err error) {
	c := newCutter(r, size, 0, "\n", "")
	for {
		b, err := c.next()
		switch {
		case err == io.EOF:
			return cap(c.buf), total, nil
		case err != nil:
			return cap(c.buf), total, err
		}
		total += int64(len(b))
	}
}

// Cut returns the blocks of a stream.
func Cut(r io.Reader, size, count int, end, start string) ([]string, error) {
	c := newCutter(r, size, count, end, start)
	var blocks []string
	for {
		b, err := c.next()
		switch {
		case err == io.EOF:
			return blocks, nil
		case err != nil:
			return blocks, err
		}
		blocks = append(blocks, string(b))
	}
}

// BlockSize reads a --block.
func BlockSize(text string) (int64, error) {
	n, err := parseBlock(text)
	return int64(n), err
}
