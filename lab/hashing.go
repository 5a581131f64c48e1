package lab

import (
	"encoding/binary"
	"strconv"

	"github.com/spaolacci/murmur3"
)

// The units of the article "Parallelism in Go - Part 2", written from their
// description. None of them can fail; they return an error since what a pool does
// with units may.

const hashes = 10_000

// hashText, the first kind, feeds a text to a digest that is never reset, and
// then again and again the digest's own sum in decimal. Each turn allocates.
func hashText(text string) (uint64, error) {
	digest := murmur3.New64()
	next := []byte(text)
	var sum uint64
	for range hashes {
		digest.Write(next)
		sum = digest.Sum64()
		next = []byte(strconv.FormatUint(sum, 10))
	}
	return sum, nil
}

// hashBuffered hashes a number again and again by way of a buffer of 8 bytes.
func hashBuffered(buffer []byte, v uint64) uint64 {
	for range hashes {
		binary.LittleEndian.PutUint64(buffer, v)
		v = murmur3.Sum64(buffer)
	}
	return v
}

// hashNumber, the second kind, has the buffer to itself. It looks as if it could
// lie on the stack.
func hashNumber(v uint64) (uint64, error) {
	return hashBuffered(make([]byte, 8), v), nil
}

// newBuffer is the state of hashNumberIn.
func newBuffer() []byte { return make([]byte, 8) }

func hashNumberIn(buffer []byte, v uint64) (uint64, error) {
	return hashBuffered(buffer, v), nil
}

// countTo is how far a unit counts: the article's text says ten times as far, but
// this is what it ran.
const countTo = 1_000_000

// count, the last kind, uses no memory and calls nothing.
func count(uint64) (uint64, error) {
	var odd uint64
	for i := range uint64(countTo) {
		odd = i % 2
	}
	return odd, nil
}

// nothing is a nearly empty unit: only the cost of handing it to a goroutine
// and back is left.
func nothing(v uint64) (uint64, error) { return v + 1, nil }

func texts(n int) []string {
	s := make([]string, n)
	for i := range s {
		s[i] = "work" + strconv.Itoa(i)
	}
	return s
}

// numbers are inputs of the other kinds.
func numbers(n int) []uint64 {
	s := make([]uint64, n)
	for i := range s {
		s[i] = uint64(i)
	}
	return s
}
