// Command finite measures lists of jobs that are over in seconds: the time that an automatic
// limit takes over that of the best fixed number.
//
//	go run ./finite -only sleeps,curl
//
// Section Lists that are over in seconds of bench/README.md says how it measures, and how
// the lists in memory are measured in parts.
package main
