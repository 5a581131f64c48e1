package vet_test

import "testing"

func TestChanItem(t *testing.T) { run(t, "chanitem") }
