package share

import (
	"encoding/binary"
	"math"
	"os"

	"github.com/sweetspot-go/sweetspot/control"
)

// size is that of a file: two numbers and a checksum.
const size = 3 * 8

// write writes what a process has done. With a checksum it can be told from half of one,
// and from a file of somebody else.
func write(file *os.File, done control.Others) error {
	b, sum := make([]byte, 0, size), ^uint64(0)
	for _, x := range []float64{done.Work, done.Time} {
		b, sum = binary.LittleEndian.AppendUint64(b, math.Float64bits(x)), sum^math.Float64bits(x)
	}
	_, err := file.WriteAt(binary.LittleEndian.AppendUint64(b, sum), 0)
	return err
}

// read returns what the process has done to which a file belongs, and whether it says so.
func read(file *os.File) (done control.Others, ok bool) {
	var b [size]byte
	if n, _ := file.ReadAt(b[:], 0); n < len(b) {
		return done, false
	}
	sum := ^binary.LittleEndian.Uint64(b[size-8:])
	for i, x := range []*float64{&done.Work, &done.Time} {
		bits := binary.LittleEndian.Uint64(b[8*i:])
		if *x = math.Float64frombits(bits); !(*x >= 0) || math.IsInf(*x, 0) {
			return done, false
		}
		sum ^= bits
	}
	return done, sum == 0
}
