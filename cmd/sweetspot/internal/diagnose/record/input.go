package record

import (
	"context"
	"fmt"
	"io"
	"os"
)

// An input is what each run of a command reads: a file, from where it stood when the
// first began.
type input struct {
	file *os.File
	from int64
	kept bool // the file is a copy, to be closed by who records
}

func (in *input) rewind() (*os.File, error) {
	if _, err := in.file.Seek(in.from, io.SeekStart); err != nil {
		return nil, fmt.Errorf("standard input cannot be read again: %w", err)
	}
	return in.file, nil
}

// takeInput makes the standard input of a command one that can be read in each run.
// What comes through a pipe is kept in a file, to its end; a terminal is asked
// nothing, because nobody types the same again and again.
func (r *recorder) takeInput(ctx context.Context) error {
	if r.Input == nil {
		return nil
	}
	info, err := r.Input.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return nil // it is closed, or is a terminal, or has nothing
	}
	if info.Mode().IsRegular() {
		from, err := r.Input.Seek(0, io.SeekCurrent)
		if err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
		r.input = &input{file: r.Input, from: from}
		return nil
	}
	r.step("read standard input")
	kept, err := os.CreateTemp(r.place, "input-")
	if err != nil {
		return err
	}
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(kept, r.Input)
		read <- err
	}()
	select {
	case err = <-read:
	case <-ctx.Done():
		// A read of a pipe cannot be ended from here. Closing the copy ends what follows it.
		kept.Close()
		return context.Cause(ctx)
	}
	if err != nil {
		kept.Close()
		return fmt.Errorf("standard input: %w", err)
	}
	r.input = &input{file: kept, kept: true}
	return nil
}
