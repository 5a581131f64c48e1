package run

import (
	"fmt"
	"os"
)

// A report is the file of --json. It is opened before the first job, so that a
// wrong name is known at once and not after hours.
type report struct {
	name string
	file *os.File // nil: none wanted
}

// newReport opens the file; "" is none, "-" is stdout.
func newReport(name string) (*report, error) {
	switch name {
	case "":
		return &report{}, nil
	case "-":
		return &report{name: "stdout", file: os.Stdout}, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("--json: cannot write %s: %w", name, bare(err))
	}
	return &report{name: name, file: f}, nil
}

// write writes the summary and closes the file.
func (r *report) write(m *meter) error {
	if r.file == nil {
		return nil
	}
	err := m.summary().write(r.file)
	if r.file != os.Stdout {
		if cerr := r.file.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		return fmt.Errorf("--json: cannot write %s: %w", r.name, bare(err))
	}
	return nil
}
