// Package browser tests the live page of package dash in a real browser: that it
// draws, moves, obeys, comes back after the program was gone, fits a phone, has a
// dark side and can be used without seeing.
//
// make deps installs a Chromium. Without one the test is skipped, but fails where
// the environment variable CI is set.
package browser
