// Package evidence holds what was recorded of a program at work: an [Observation]. Causes are
// found from it, from the source, and from what sweetspot vet says of the source.
package evidence
