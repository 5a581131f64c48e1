package vet

// EffortAnalyzer is for tests of its facts.
var EffortAnalyzer = effortAnalyzer
