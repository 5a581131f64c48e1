// Package tests has a benchmark with a finding.
package tests
