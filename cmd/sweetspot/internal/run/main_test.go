package run_test

import (
	"os"
	"testing"
)

// TestMain runs the tests without what earlier runs have learnt, and keeps nothing.
func TestMain(m *testing.M) {
	os.Setenv("XDG_STATE_HOME", os.DevNull)
	os.Exit(m.Run())
}
