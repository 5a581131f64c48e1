package run

import "os"

// newSpoolFile makes a temporary file, which keeps its name while it is open.
func newSpoolFile() (*os.File, error) { return createTemp() }

func closeSpoolFile(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}
