package share

import (
	"os"

	"github.com/sweetspot-go/sweetspot/control"
)

// mostPeers bounds the files that are open at a time. Processes beyond it do not count.
const mostPeers = 256

type peer struct {
	file  *os.File
	last  control.Others
	known bool // last was read
}

// meet opens the file of a process whose progress counts from now on, or returns nil.
func meet(path string) *peer {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	p := &peer{file: file}
	p.read()
	return p
}

// read returns by how much the progress has grown since the last time, and nothing the first time.
func (p *peer) read() (grown control.Others) {
	at, ok := read(p.file)
	if !ok {
		return grown
	}
	if p.known && at.Work >= p.last.Work { // else it has begun anew
		grown = at.Minus(p.last)
	}
	p.last, p.known = at, true
	return grown
}
