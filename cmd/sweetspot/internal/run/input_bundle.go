package run

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// bundleSize is how long the values of one command may become: what xargs
// takes by default. It leaves room enough for an environment and is far
// more than it takes for the start of a process not to matter.
const bundleSize = 128 << 10

// bundles makes one row of several: of up to most, and no more than a command
// can hold.
type bundles struct {
	rows
	most   int             // 0: as many as a command can hold
	length func(v int) int // by how much a value of so many bytes makes the command longer
	kept   []string        // a row that did not fit any more
	err    error
}

// next never splits a row, so one that is too long comes alone.
func (b *bundles) next(ctx context.Context) ([]string, error) {
	var row []string
	size := 0
	for n := 0; b.err == nil && (b.most == 0 || n < b.most); n++ {
		more := b.kept
		b.kept = nil
		if more == nil {
			if more, b.err = b.rows.next(ctx); b.err != nil {
				break
			}
		}
		for _, v := range more {
			size += b.length(len(v))
		}
		if n > 0 && size > bundleSize {
			b.kept = more
			return row, nil
		}
		row = append(row, more...)
	}
	if row == nil {
		return nil, b.err
	}
	return row, nil // what came before an error still runs
}

// wholeLines joins a line that ends in a blank with the next one, as -L has it,
// and leaves out lines of blanks.
type wholeLines struct {
	*feed
	err error
}

func (w *wholeLines) next(ctx context.Context) ([]string, error) {
	var whole string
	for w.err == nil {
		var row []string
		if row, w.err = w.feed.next(ctx); w.err != nil {
			break
		}
		if strings.Trim(row[0], blanks) == "" {
			continue
		}
		if len(whole)+len(row[0]) > maxValue {
			w.err = fmt.Errorf("%s: a value of lines that end in blanks, which -L joins with the next line, is longer than %d bytes, the most that an argument can hold", w.name, maxValue)
			break
		}
		if whole += row[0]; strings.TrimRight(whole, blanks) == whole {
			return []string{whole}, nil
		}
	}
	if whole == "" || w.err != io.EOF {
		return nil, w.err
	}
	return []string{whole}, nil
}
