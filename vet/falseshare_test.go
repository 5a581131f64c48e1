package vet_test

import "testing"

func TestFalseShare(t *testing.T) { run(t, "falseshare") }
