// Package browser tests the live page of package dash in a real browser: that it
// draws and updates its plots, sets limits, reconnects after a restart of the program,
// fits a phone, has a dark theme, and can be used with a screen reader.
//
// make deps installs a Chromium. Without one the test is skipped, but fails where
// the environment variable CI is set.
package browser
