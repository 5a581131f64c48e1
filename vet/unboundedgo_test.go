package vet_test

import "testing"

func TestUnboundedGo(t *testing.T) { run(t, "unboundedgo") }
