// Package outfile writes the results of a command to the files that its flags name.
//
// A command adds its outputs before it begins to work, so that a file that cannot be
// written costs no work. What a file holds stays until all of what comes in its place is
// there.
package outfile
