// Package evidence is what was recorded of work: an [Observation], whoever made it. The
// causes look at nothing else, the source and what sweetspot vet says of it aside.
package evidence
