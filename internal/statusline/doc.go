// Package statusline shows the progress of a command on the last line of a terminal.
package statusline
