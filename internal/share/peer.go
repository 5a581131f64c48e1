package share

import (
	"encoding/binary"
	"math"
	"os"
)

// mostPeers bounds the files that are open at a time. Processes beyond it do not count.
const mostPeers = 256

// A peer is another process.
type peer struct {
	file  *os.File
	last  float64 // progress
	known bool    // last was read
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

// read returns by how much the progress has grown since the last time, and 0 the first time.
func (p *peer) read() float64 {
	at, ok := read(p.file)
	if !ok {
		return 0
	}
	grown := max(0, at-p.last)
	if !p.known {
		grown = 0
	}
	p.last, p.known = at, true
	return grown
}

// write writes a progress. With its complement it can be told from half of one, and from
// a file of somebody else.
func write(file *os.File, progress float64) error {
	var b [16]byte
	bits := math.Float64bits(progress)
	binary.LittleEndian.PutUint64(b[:], bits)
	binary.LittleEndian.PutUint64(b[8:], ^bits)
	_, err := file.WriteAt(b[:], 0)
	return err
}

// read returns the progress in a file, and whether there is one.
func read(file *os.File) (progress float64, ok bool) {
	var b [16]byte
	if n, _ := file.ReadAt(b[:], 0); n < len(b) {
		return 0, false
	}
	bits := binary.LittleEndian.Uint64(b[:])
	progress = math.Float64frombits(bits)
	return progress, binary.LittleEndian.Uint64(b[8:]) == ^bits && progress >= 0 && !math.IsInf(progress, 0)
}
