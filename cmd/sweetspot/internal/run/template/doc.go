// Package template makes the commands of sweetspot run from the values of its jobs.
//
// A [Template] is a command with placeholders, such as {} and {.}. It is made by [New], by
// [NewShell] for a line of a POSIX shell and by [NewCmd] for one of cmd.exe. A [Shape] says what
// values a job has, so that a placeholder that none can have is refused before the first job. No
// value ever becomes text that a shell reads.
package template
