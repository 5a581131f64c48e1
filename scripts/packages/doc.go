// Command packages builds what a release offers for download, into a folder:
//
//	make snapshot    # all systems, into dist/
//
// For each system there is an archive with the command, the manual pages of all commands and
// completions for four shells, and the licenses of all that the command is made of; beside it is a
// list of that (CycloneDX). For Linux
// there are also deb, rpm and a container image (OCI), for Homebrew a formula. checksums.txt has
// the SHA-256 of all files.
//
// The version is the one that the Go command records in the binary, from the tag or the commit:
// sweetspot --version prints the same. All times are those of the commit, so that two builds of
// a commit by one version of Go give the same files.
package main
