// Package statusline shows on the last line of a terminal how far a command is.
package statusline
