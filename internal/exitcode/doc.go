// Package exitcode lets the error of a command carry the exit code of its process,
// and gives commands that an interrupt ends the code that shells expect.
package exitcode
