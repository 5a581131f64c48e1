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
// [template.Template] makes a command of each row, without a shell or, with -c, for one.
// The [runner] takes a permit from the Limiter for each job, waits at the [gate]
// if starts are held back, starts it as a [process.Process] in a group of its own and
// waits for it. The job writes into a [spool.Spool], two files without names, its
// stderr through an inlet. The [printer] prints them in one piece, in the order of
// completion or of the input. The [console] keeps outputs, messages and the status line
// from mixing.
//
// A [hand] changes the number of jobs as USR1, USR2 and the file of -j ask. A [watch] passes
// signals on to the [process.Set], and a guard ends these if we cannot. A [meter] follows
// the run for the status line, the trace, the summary and --explain.
//
// A [job] may take several tries, under one permit; after an overload it takes another. A
// [patrol] ends jobs that take too long, cannot go on or write too much. A [halter] ends the
// run when enough jobs have failed or succeeded. A [follower] prints the lines of running jobs as they come.
//
// A [sight] knows how many jobs are left. It keeps the law from experiments that these cannot
// pay back, and starts the last jobs at once if they sleep.
//
// A [lesson] is what earlier runs have learnt about the command. The law begins with it, and
// at the end of the run it is written anew.
//
// # What has finished
//
// A job has finished when its last try has ended by itself or by its timeout. A job that
// the end of the run cut short has not, whatever it does on the signal. A job that has
// finished is recorded in the [joblog] once its output is printed or, with --results, has
// its name. A resumed run reads the log into a [history] before it starts anything. joblog
// says why a kill -9 at any moment does no harm.
//
// # What ends a run
//
// The end of the input, or a cause: a signal, an error of ours, a broken pipe.
// The cause cancels one context, which ends all waits before the start of a job: for
// input, for room in the printer, for a permit. Running jobs are not under it; they end by
// themselves or by a signal from the watch. Each goroutine ends with the run, except a
// read of input that never comes, and what still waits a second after KILL; the program
// ends then.
//
// # Bounds on memory, files and threads
//
// Values are read ahead by some chunks of 64 kB. Of several lists the first is read as it
// goes; the constants in input_product.go bound what is held of the others. Each job in
// flight has a goroutine, two files and a pipe, and with --pipe the file of its block; up
// to 32 jobs also have a thread, which is the cheapest way to wait for short ones.
// blocks.go bounds the blocks, output_room.go finished output that cannot be printed yet,
// trace.go the trace.
package run
