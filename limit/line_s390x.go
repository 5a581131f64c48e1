package limit

// line is the distance kept between fields that must not share a cache line:
// the line of IBM Z is 256 bytes.
const line = 256
