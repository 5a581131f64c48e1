// Command finite measures lists of jobs that are over in seconds: the time that an automatic
// limit takes over that of the best fixed number; cold, warm after two runs that have learnt, and
// with what they learnt doubled, as if the machine or server had been twice as good then.
//
//	make deps                          # in the root: installs the programs
//	go run ./finite                    # all lists, five rounds: half an hour
//	go run ./finite -only sleeps,curl  # beginnings of names do
//	go run ./finite -old FILE          # beside another build of sweetspot
//
// A list is run by the real binary, built from this tree, and by its peers: sweetspot run,
// sweetspot run -j N, xargs -P N and, where it is installed, parallel -j N. Lists of calls
// are one Map each, with a new Limiter or with Fixed(N).
//
// All numbers are swept once. Then the three best and the automatic limit are run in
// rounds, in random order, with the peers at the best number. Figures are medians of the rounds;
// the best number is the one with the least median, so a figure below 1 is luck.
//
// The lists in memory need root and Linux. They run in a cgroup with a limit, each round in
// another order:
//
//	go run ./finite -only memory -in DIR -for 3m    # once more, until no round is left
//
// Numbers are swept from below up to the first at which a job is killed. A number at which one
// is killed in a round is out, and the next takes its place; the best of the others counts.
//
// They take an hour, so they are measured in parts: with -for no run begins once
// the time is over, and what was measured is kept in a directory, from where the next part
// goes on. So do the other lists.
//
// A list whose program is missing is skipped; it is an error where the environment
// variable CI is set.
package main
