package vet_test

import "testing"

func TestChanArray(t *testing.T) { run(t, "chanarray") }
