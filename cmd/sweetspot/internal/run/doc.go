// Package run is the command "sweetspot run": it runs a command once for each
// value of a list, and finds how many to run at a time. What it promises its users
// is in the README of the command; this is how it keeps that.
//
//	input → template → runner ⇄ gate, Limiter ⇄ hand
//	                     ↓
//	                  process → spool → printer → console
//
// An [input] streams the values, as [rows] of those that a job gets: a [feed]
// reads each list, and what stands between splits, combines and bundles. A
// [template] makes a command of each row, without a shell or, with -c, for one.
// The [runner] takes a permit from the Limiter for each job, waits at the [gate]
// if starts are held back, starts it as a [process] in a group of its own and
// waits for it. The job writes into a [spool], two files without names, its
// stderr through an [inlet]. The [printer] puts them out in one piece, in the order of
// completion or of the input.
// The [console] keeps outputs, messages and the status line from mixing.
//
// A [hand] changes the number of jobs for somebody outside. A [watch] turns
// signals into what they mean for the [processes], and a [guard] ends these if we
// cannot. A [meter] follows the run for
// those who want to see it: status, trace, summary, account.
//
// A [job] may take several tries, under one permit. A [patrol] ends those that
// take too long, cannot go on or write too much, a [halter] the run when enough have
// failed or succeeded, and a [follower] prints the lines of running jobs as they come.
//
// A [sight] keeps the law from experiments that the rest of a list cannot pay back. It starts the
// last jobs at once if they sleep.
//
// A [lesson] is what runs before have learnt about the command. The law begins with it, and
// at the end of the run it is written anew.
//
// # What has finished
//
// A job has finished when its last try has ended by itself or by its timeout. One
// that the end of the run cut short has not, whatever it makes of the signal. A
// job that has finished is recorded in the [joblog] once its output is printed or,
// with --results, has its name; a resumed run works in the [history] that the log
// holds before it starts anything. Why a kill -9 at any moment does no harm is
// said at joblog.
//
// # What ends a run
//
// The end of the input, or a cause: a signal, an error of ours, a broken pipe.
// The cause cancels one context, under which everything waits that comes before
// a job's start: for input, for room in the printer, for a permit. Jobs that run
// are not under it; they end by themselves or by a signal from the watch. Each
// goroutine ends with the run, except a read that waits for input that never
// comes, and what still waits a second after KILL; the program ends then.
//
// # What bounds it
//
// Values are read ahead by some 64 kB chunks. Of several lists the first is read
// as it goes; what is held of the others is bounded by the constants in
// input_product.go. Each job in flight has a goroutine,
// two files and a pipe; up to 32 jobs also have a thread, which is the cheapest way to
// wait for short ones. Finished output that cannot be printed yet is bounded by
// the bounds in output_room.go, the trace by those in trace.go.
package run
