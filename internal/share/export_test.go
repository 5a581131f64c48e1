package share

import "time"

// OpenAs joins as a process of its own, by a clock of its own.
func OpenAs(name, process string, now func() time.Time) (*Folder, error) {
	return open(name, process, now)
}

// File returns the path of the file of this process, or "".
func (f *Folder) File() string {
	if f.own == nil {
		return ""
	}
	return f.own.Name()
}

const (
	Pace  = pace
	Roll  = roll
	Pause = pause
	Stale = stale
)

var Private = private
