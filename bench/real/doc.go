// Command real measures the automatic limit against fixed ones on real work.
//
//	go run ./real                                  # everything: over two hours
//	go run ./real -only cpu1ms,mixed -rounds 1     # begins of names do
//	go run ./real -only server -fixed 0s -v        # what does the law do, and why
//
// A workload is an endless stream of work. It is cut after a time, and the
// units that had ended count: for the automatic limit over the whole run, its
// search from GOMAXPROCS included. The fixed limits are measured in the same
// run, in an order that begins elsewhere in each round. Every measurement is
// made in a fresh process, so neither heaps nor anything learnt carry over. A
// fixed limit is a Limiter with the option Fixed, or sweetspot run -j N: the
// same machinery, without the search.
//
// # What it prints
//
// Per workload and limit the median of the rounds, with the spread (largest -
// smallest, over the median). N* is the least fixed limit within 2 % of the
// best. "auto / best" is formed within each round against the limit that is best
// in the other rounds; the bar is 0.95 for the median of the rounds. A single
// round has no others: its best is chosen by its own figures, which flatters
// it, as the report says. "limit / N*" is the mean limit in the last third of the run over N*;
// the bar is 2.
//
// A star marks figures during which other processes used more than a tenth of
// a CPU (Linux only; it includes what the host of a virtual machine takes away).
// -strict repeats such measurements up to twice, once the machine is quiet or
// after a minute, and takes the one that was disturbed least. Marked figures
// count like others.
//
// # Ending
//
// INT and TERM end all processes and print what was measured. The exit status is
// 0 even if a bar is missed, 1 if something could not be measured, and 130 after
// a signal.
package main
