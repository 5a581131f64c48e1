//go:build !s390x

package limit

// line is the distance kept between fields that must not share a cache line.
// Two 64-byte lines, because amd64 fetches lines in pairs and arm64 and ppc64
// have lines of 128 bytes.
const line = 128
