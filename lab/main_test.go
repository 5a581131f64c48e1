package lab_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab"
)

// TestMain makes the test program act as the real one where experiments start
// it: as the process of a sample, and as a server.
func TestMain(m *testing.M) {
	// The race detector would sleep for a second at the end of each process.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	lab.MeasureBriefly()
	if len(os.Args) > 2 && os.Args[1] == "lab" {
		lab.AddSmall()
		lab.AddSharers()
		var err error
		switch os.Args[2] {
		case "measure":
			err = lab.Measure(os.Args[3], os.Stdout)
		case "serve":
			err = lab.Serve(os.Args[3], os.Stdin, os.Stdout)
		default:
			err = fmt.Errorf("the test program cannot act as lab %s", os.Args[2])
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
