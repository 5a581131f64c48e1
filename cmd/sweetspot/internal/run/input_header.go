package run

import (
	"context"
	"fmt"
	"io"
)

// takeHeader takes the first row of each list for the names of its columns.
func takeHeader(ctx context.Context, lists []rows, titles []string) (names []string, err error) {
	for i, l := range lists {
		row, err := l.next(ctx)
		if err == io.EOF {
			return nil, fmt.Errorf("--header: %s is empty, and its first line is to name the columns", titles[i])
		}
		if err != nil {
			return nil, err
		}
		names = append(names, row...)
	}
	return names, nil
}
