package vet_test

import "testing"

func TestIOBound(t *testing.T) { run(t, "iobound") }
