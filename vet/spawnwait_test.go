package vet_test

import "testing"

func TestSpawnWait(t *testing.T) { run(t, "spawnwait") }
