package run

import "io"

// Cut returns the blocks of a stream whose records are no longer than 2 MiB.
func Cut(r io.Reader, size, count int, end, start string) ([]string, error) {
	c := &cutter{r: r, name: "list", size: size, count: count, end: end, start: start, most: 2 << 20}
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
