// Command release makes a release of all modules of this repository at once:
//
//	make release VERSION=v0.1.0             # commits and tags; the last line says what to push
//	make release VERSION=v0.1.0 DRYRUN=1    # does all but the tags
//
// On the main branch the modules find each other by go.work, and by replace directives where
// go.work is switched off. Published modules may have no replace directive, since go install
// refuses them. So a release is a commit beside the branch: there the go.mod files require each
// other at the version of the release, go.sum has their hashes, and each module has the license.
// Each module gets a tag on that commit, such as contrib/grpc/v0.1.0. The branch and the work
// tree stay as they are.
//
// With -proxy it also writes the modules into a folder that serves as a module proxy:
// GOPROXY=file:///folder. So a release can be installed, and tested, before it is pushed.
package main
