// Package scan is an on-access virus scanner, as far as a program feels one: each
// file that it opens is read and worked through by another process first, which
// takes CPU time for each byte, and the open waits for that.
//
// Two kinds do that. [Socket] works everywhere: [Scanner.Open] opens the file,
// asks the scanner process over a Unix socket, and returns once that has answered.
// [Fanotify] is how real scanners do it on Linux: the kernel holds up each open of
// a file in the tree, whoever calls it, until the scanner process allows it. It
// needs the right to do so (CAP_SYS_ADMIN).
//
// The scanner process is the program itself, started anew: a program that uses this
// package calls [Main] first, or where the arguments of Config.Args lead.
//
//	func main() {
//		scan.Main()
//		...
//		scanner, err := scan.Start(ctx, scan.Config{})
//		...
//		defer scanner.Close()
//		f, err := scanner.Open(ctx, "file.go")
//
// # Safety of Fanotify
//
// A scanner that holds up opens can bring a machine to a halt. So this one marks
// the directories below the given roots one by one, never a mount or a file
// system, and not beyond a mount point; it allows at once what other processes
// than that of Start open; and it forbids nothing. A file that is not answered for
// within Config.Timeout is allowed. A watchdog process kills the scanner if it shows
// no sign of life for two seconds, or if the program has ended; if the watchdog ends,
// so does the scanner. With a scanner's end, however it comes, the kernel lifts its
// marks and allows what still waits.
package scan
