package vet_test

import "testing"

func TestMaxProcs(t *testing.T) {
	run(t, "maxprocs")
	run(t, "maxprocs/other") // its errors are those of maxprocs
}
