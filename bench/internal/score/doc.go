// Package score judges an automatic limit against fixed ones that were
// measured in the same run.
//
// A [Sheet] collects rates, round by round: those of fixed limits, and those
// of the automatic one with the limit it settled on. [Sheet.Judge] compares
// them. Nothing here measures; it is arithmetic on what was measured.
package score
