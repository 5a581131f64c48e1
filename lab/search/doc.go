// Package search finds lines in the files of a tree, many files at a time, and
// reports them in the order of the tree. The unit of its work is a file.
//
//	s, err := search.New(search.Options{
//		Query: search.Query{Pattern: "TODO"},
//		Tree:  search.Tree{Roots: []string{"."}},
//	})
//	...
//	counts, err := s.Run(ctx, os.Stdout)
//
// How many files are searched at a time is found by package sweetspot, unless
// [Options].Limit is a number or a Limiter of the caller's.
//
// # Memory
//
// A file is read in pieces of 64 kB, and its output is kept until that of the
// files before it has been written. Up to 1 MB of output and lines of up to 1 MB,
// any number of files go on at a time. A file that needs more waits for its turn:
// until all before it are done. It then writes as it reads, and may hold a line of
// up to 64 MB. There is one such file at a time, so memory does not depend on how
// large files are or on how much they match.
package search
