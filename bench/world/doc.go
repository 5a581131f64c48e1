// Command world measures the automatic limit on real programs: PostgreSQL,
// Redis, SQLite, nginx, the Go parser and the Go compiler.
//
//	make deps                            # in the root: installs the programs
//	go run ./world                       # everything, five rounds: hours
//	go run ./world -quick                # a first look: minutes
//	go run ./world -only redis,nginx     # beginnings of names do
//
// A work is an endless stream of units that hundreds of goroutines send through
// one [sweetspot.Limiter]. A round measures each fixed number in random order,
// then the automatic limit from a cold start, then the fixed numbers again: the
// rate of a number is the mean of both, and their ratio (drift) says how much the
// machine changed meanwhile. A fixed number is the same Limiter with the option
// Fixed, so only the number differs. All connections are open before the first
// measurement, and stay.
//
// # What it prints
//
// bench/README.md explains the columns. The best number is chosen by other figures than it
// is compared with: by those of the other rounds, or, if there is only one, by those before
// the automatic run, to compare with those after it, and the other way round.
//
// # A bound on p99
//
// With -p99 it measures [sweetspot.MaxP99] instead:
//
//	go run ./world -only pg-select,nginx,upstream -p99 1.5,3 -auto 40s -fixed 4s
//
// A sweep of 2 s for each number finds the knee, the least number with 0.9 of the best
// rate. The p99 to keep are the multiples of what its units take. For each, three numbers
// around the highest that kept it run before and after MaxP99 does, from a cold start. It
// holds in a second in which at most one unit in 100 took longer, from the permit to the
// end; the first ten seconds of MaxP99 do not count. The best fixed number is the quickest
// that held in 95 of 100 seconds, or the one that held most often.
//
// # Servers
//
// Each work starts its own servers, on loopback or a socket in a private
// directory, as the user nobody where we are root, and ends them with it. Clients
// and servers share the CPUs. A work whose program is missing is skipped; it is an
// error where the environment variable CI is set.
//
// # Ending
//
// INT and TERM stop the servers and print what was measured. The exit status is
// then 130, and 1 if something could not be measured.
package main
