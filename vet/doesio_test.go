package vet_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/sweetspot-go/sweetspot/vet"
)

func TestDoesIO(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), vet.EffortAnalyzer, "doesio")
}
