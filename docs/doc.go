// Package docs has no code of its own: its tests hold what the guides of this
// directory say, and what every other Markdown file of the repository says,
// against the code.
//
//   - A block of Go stands, but for its indentation, in a Go file of some module
//     of the repository, where it is compiled, and mostly run as an example. The
//     files named guide_*_test.go and from_*_test.go here are such. A block that
//     begins with a package clause is a whole file.
//   - The blocks of Go in checks stand in bench/pitfalls; sweetspot vet finds those
//     under the heading Bad, and nothing in those under Good.
//   - In a block of shell each call of sweetspot is made, by a dry run or as far as
//     to its flags, and each target of make exists.
//   - A link leads to a file of the repository, and to a heading in it.
//
// The pictures are made by go run ./pictures.
package docs
