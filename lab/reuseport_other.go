//go:build !linux

package lab

import (
	"errors"
	"net"
)

const canShare = false

func listenShared(string, string) (net.Listener, error) {
	return nil, errors.New("no address can be shared by processes on this system")
}
