//go:build unix && !darwin

package run

// rssUnit is the unit of ru_maxrss in bytes.
const rssUnit = 1024
