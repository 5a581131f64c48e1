// Command jobserver measures whole builds: by make, ninja and cargo with the best fixed -j of their
// own, and under sweetspot jobserver.
//
//	go run ./jobserver               # all builds, three rounds: ten minutes on two CPUs
//	go run ./jobserver -only make    # beginnings of names do
//	go run ./jobserver -j 2,3,4      # beside these numbers only
//	PATH=DIR:$PATH go run ./jobserver -only ninja   # with the ninja in DIR: 1.13 is the first that takes tokens
//	go run ./jobserver -project ~/git -command 'make -s libgit.a'   # of yours
//
// The sources are generated: C files that take gcc some 40 ms each, crates of Rust without dependencies.
// All numbers are run in rounds beside ours, in random order, each in a new copy of the sources, and figures are
// medians. The best number is the one with the least median, so a figure below 1 is luck. A build whose program is
// missing is skipped; it is an error where the environment variable CI is set.
package main
