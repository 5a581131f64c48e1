package run

import (
	"io"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
)

// longOutput is how much a job may write for Run to return it in memory: as much as one
// record of a queue holds.
const longOutput = 256 << 10

// A LongOutput is what a job wrote, where it wrote it. Close gives the files back.
type LongOutput struct {
	Stdout, Stderr *io.SectionReader
	spool          *spool.Spool
}

// Close is to be called once nobody reads any more.
func (l *LongOutput) Close() { l.spool.Close() }
