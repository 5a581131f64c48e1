// Package report turns figures into a page, into Go benchmark format, and into
// pictures. It needs nothing but the figures.
package report
