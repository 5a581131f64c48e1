//go:build !linux

package run

const tellsStops = false

func (p process) stoppedByTerminal() bool { return false }
