// Package program holds what the programs of this module have in common: their flags, how
// they end, and the files that they write.
package program
