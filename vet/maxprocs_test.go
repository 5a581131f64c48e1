package vet_test

import "testing"

func TestMaxProcs(t *testing.T) { run(t, "maxprocs") }
