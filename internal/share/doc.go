// Package share lets processes that agree on a name tell each other how far their work is.
//
// They use a folder that only their user can read. Each process keeps one file there, of
// 24 bytes: counters of what its members have done (see package company), which only grow.
// It reads the files of the others and adds up by how much they have grown. So a process
// that is stopped or killed adds nothing, and disturbs nobody.
//
// Nothing runs in the background and no file is locked. Whoever calls [Folder.Add] reads
// and writes, at most every few milliseconds; other callers do not wait meanwhile. A file
// that was not written for a minute belongs to a process that is gone, or has stopped:
// any process may remove it, and a process that goes on after all makes a new one.
package share
