// Package powercut is a file system that loses what was not synced when the power fails,
// and the tests that cut the power under the command sweetspot. They need Linux, root and
// /dev/fuse, and are skipped elsewhere.
//
// A [Disk] is in memory and has two states. The live one is what programs see. The kept
// one is what a power cut leaves, and only grows by what they sync:
//
//   - fsync, fdatasync and a write with O_SYNC or O_DSYNC keep the bytes of a file,
//   - fsync of a directory keeps its names: those made, renamed and removed in it,
//   - in addition, fsync of a file keeps its own name and those of the directories that
//     lead to it, as ext4, XFS and Btrfs do; [Strict] turns that off, since POSIX does not
//     ask for it.
//
// [Disk.Cut] falls back to the kept state. A real disk may also have written some of the
// rest on its own account: with a source of random numbers, Cut keeps a random part of
// the unsynced pages, some of them torn at a sector, and the names of some directories.
//
// The moment of a cut is counted in changes of the disk, not in time: so cuts fall between
// a write and its fsync, or between two renames, as often as anywhere else.
package powercut
