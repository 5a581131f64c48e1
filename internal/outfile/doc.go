// Package outfile writes the results of a command to the files that its flags name.
//
// A command adds its outputs before it begins to work, so that a file that cannot be
// written costs no work. A file keeps its old content until the new one is complete.
package outfile
