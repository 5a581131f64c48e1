// Package scan is an on-access virus scanner, as far as a program feels one: each
// file that it opens is first read by another process, which spends CPU time on each
// byte, and the open waits for that.
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
package scan
