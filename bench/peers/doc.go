// Command peers measures the parallel calls beside the libraries and the
// hand-written code that they replace, and writes BENCHMARKS.md.
//
//	go run ./peers -o ../BENCHMARKS.md             # everything: a quarter of an hour
//	go run ./peers -quick                          # a first look: two minutes
//	go run ./peers -only walk,pool -rounds 5       # some groups; beginnings of names do
//	go run ./peers -only grains -match '^(Map|loop|halves|by hand: chunk per CPU)/(1 ns|100 ns)@'
//
// A subject is one way to do some work: a row and a column of a table, with one
// value of GOMAXPROCS. Subjects that are compared form a group. -h lists the
// groups; -match picks subjects by "row/column@GOMAXPROCS".
//
// # How it measures
//
// The section Method of the report says how. On Linux, a sample during which other processes used more
// than 6 % of a CPU is taken again, up to twice, once they rest; -patience bounds
// what that may cost in all, and samples that stay disturbed count and are
// counted in the report.
//
// # What it writes
//
// Markdown to stdout or the file of -o: the machine, the bars with what was
// measured, where others are faster, and the tables. -json writes all samples:
// "version" (1), "go", "machine", "cpus", "procs", "quick", "rounds", and
// "samples", each with "group", "row", "column", "procs", "round", "items", "ns"
// of one run, "first" (run, ns), "loop" (ns), "mallocs" of a run, "runs",
// "others" (CPU seconds, null if unknown), "disturbed", "attempts" and, if it
// failed, "error".
//
// # Ending
//
// INT and TERM end the measurement and report what there is. The exit status is
// 0 even if a bar is missed, 1 if a subject failed or gave a wrong result, and
// 130 after a signal.
package main
