package vet_test

import "testing"

func TestRecSpawn(t *testing.T) { run(t, "recspawn") }
