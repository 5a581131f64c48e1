package lab

import (
	"io"
	"net/rpc"
	"os"
)

// ScannedMost is what a scanner may take for an answer.
const ScannedMost = scannedMost

// A Scanner is an on-access scanner.
type Scanner struct{ s *scanner }

func StartScanner() (Scanner, error) {
	s, err := startScanner()
	return Scanner{s}, err
}

// ScannerOver is one that is asked over a connection.
func ScannerOver(c io.ReadWriteCloser) Scanner { return Scanner{&scanner{client: rpc.NewClient(c)}} }

func (s Scanner) Open(path string) (*os.File, error) { return s.s.open(path) }
func (s Scanner) Close() error                       { return s.s.close() }

// Scanned returns how many bytes were scanned.
func (s Scanner) Scanned() (bytes int64, err error) {
	err = s.s.ask("Total", false, &bytes)
	return bytes, err
}

// Kill ends the process without its knowledge.
func (s Scanner) Kill() { s.s.process.Process.Kill() }

// Disconnect ends the connection of a Scanner that has no process.
func (s Scanner) Disconnect() { s.s.client.Close() }
