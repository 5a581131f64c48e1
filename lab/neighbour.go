package lab

import (
	"errors"
	"net"
)

// keepBusy computes until done, and refuses those who call.
func keepBusy(done <-chan struct{}) func(net.Conn) {
	go func() {
		for key := uint64(1); ; key = digest(key) {
			select {
			case <-done:
				return
			default:
			}
		}
	}()
	return func(net.Conn) {}
}

// withNeighbour runs f while another process keeps a CPU busy.
func withNeighbour(f func() error) error {
	s, err := startServer(service{Kind: serveNeighbour}, 1)
	if err != nil {
		return err
	}
	return errors.Join(f(), s.stop())
}
