package lab

import (
	"context"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// canShare reports whether processes can listen on one address, and the kernel
// deals connections out to all of them. Other systems have the option too, but
// some give all connections to one.
const canShare = true

func listenShared(network, address string) (net.Listener, error) {
	c := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		var set error
		if err := raw.Control(func(fd uintptr) {
			set = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		}); err != nil {
			return err
		}
		return set
	}}
	return c.Listen(context.Background(), network, address)
}
