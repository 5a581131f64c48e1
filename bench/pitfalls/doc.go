// Package pitfalls has the code of the pages in docs/checks: each pitfall that sweetspot
// vet finds, bad and good, as Go benchmarks on the same work.
//
//	go test -run '^$' -bench . -count 10 ./pitfalls | tee pitfalls.txt
//	benchstat -row /check,/work -col /form pitfalls.txt
//	go test -run '^$' -bench '/check=(recspawn|shardpad)' -count 10 ./pitfalls
//
// The columns B-sys are what the process had from the system at the end: run one form
// alone for that, with -benchtime 1x. In a container with a CPU limit,
//
//	go test -run '^$' -bench /check=maxprocs ./pitfalls -args -procs 1
//
// measures what GOMAXPROCS(NumCPU()) costs; -procs is the number that is right, and may be
// left out where that is two or more. Its figure is ns-p99.
//
// sweetspot diagnose looks at the same benchmarks.
package pitfalls
