package vet_test

import "testing"

func TestFieldShare(t *testing.T) { run(t, "fieldshare") }
