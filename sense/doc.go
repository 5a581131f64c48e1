// Package sense reads the surroundings of concurrent work: the CPU time that it uses,
// what others use beside it, how many goroutines or processes wait for a CPU, how many
// CPUs there are, and how much room is left in memory, threads, files and processes. It
// decides nothing; a controller does that from the readings.
//
// # Two sensors
//
// [NewProcess] is for work done by goroutines of this program. [NewChildren] is for
// work done by child processes; report each child to it:
//
//	c := sense.NewChildren()
//	// for each job
//	err := cmd.Start()
//	c.Started(cmd.Process.Pid)
//	err = cmd.Wait()
//	s := cmd.ProcessState
//	c.Reaped(s.Pid(), (s.UserTime() + s.SystemTime()).Seconds(), maxRSS)
//
// Both implement [Sensor]. A call of Sense returns a [Sample], takes some microseconds,
// allocates nothing and never fails. What cannot be read is silently replaced by the
// next best figure: a sensor that fails would be worse than one that knows less.
//
// Figures of the whole process are read at most once a millisecond, for all sensors of
// a kind together: a thousand sensors cost hardly more than one.
//
// # CPU time
//
// OwnCPU comes from getrusage (GetProcessTimes on Windows). MachineCPU and CPUs have
// the same scope: CPUs minus the growth of MachineCPU per second is what we could still
// get. So other programs count only if they leave us less than CPUs. With GOMAXPROCS 4
// on 64 CPUs, if others use 62 of them they take 2 away from us; if they use 60 they
// take nothing. The use by all programs comes from two sources:
//
//   - on the CPUs of our affinity mask, from the idle columns of /proc/stat: all time
//     minus idle time, which is exact, while the busy columns are sampled;
//   - in each cgroup with a CPU quota around us, from its usage. Throttled time counts
//     as used, if CPUs were left: they were idle, but not available. A quota may be
//     1.5, for which Go rounds GOMAXPROCS up to 2; CPUs is then 1.5.
//
// The scope that leaves us least counts. If no scope is known, MachineCPU equals
// OwnCPU, as if others used nothing. MachineCPU of a Process never grows by less than
// OwnCPU does; that of Children never by less since the first sample, because the CPU
// time of a child is known late.
//
// A changed mask, a changed quota or a move to another cgroup is noticed within ten
// seconds.
//
// Tick is the resolution of the OwnCPU of a Process on Linux: some milliseconds for a
// running thread, and exact for a waiting one. Elsewhere, and for Children, it is
// unknown.
//
// runtime/metrics has CPU classes too, but only garbage collections refresh them, so no
// clock finer than that can use them.
//
// # Waiting for a CPU
//
// Runnable of a Process is the Go scheduler's number of runnable goroutines minus one,
// which the reader displaced. It is an early sign of too many. With work that mostly
// sleeps it catches bursts of timers and means little. For Children there is no such
// gauge: theirs is the machine's number of runnable threads beyond its CPUs, whichever
// program they belong to.
//
// # The heap
//
// For a Process, garbage collections, bytes allocated and GOMEMLIMIT are read too. With
// the number of ended units they give an upper bound of the memory of a unit, and so
// the limit at which collections stay rare.
//
// # Ceilings
//
// An automatic limit must not take a machine down. Ceiling says how far it may go at
// present:
//
//   - memory: what MemAvailable and the memory limits of our cgroups (v1 and v2, each
//     level) leave beyond a margin of a sixteenth, 32 MiB to 512 MiB. For child
//     processes it is counted in mean job sizes;
//   - GOMEMLIMIT: only when the live heap is near it and the collector really takes the
//     CPU time, or when the heap alone exceeds the limit. Being near the limit is
//     normal, because the limit is made for that;
//   - memory pressure (PSI): a tenth of the time lost to reclaim and refaults;
//   - threads: the runtime ends a program at 10,000;
//   - open files (RLIMIT_NOFILE), processes (pids.max and, for children, RLIMIT_NPROC).
//
// Each allows what provably fits: if n units use all that is used, then room for half
// of that again is room for n/2 more. Other programs may use much of it, so this
// estimate is careful. But it blocks no growth for long: the next reading starts from
// the larger number of units. Growth stops when the margin is touched. When half of the
// margin is gone, the ceiling falls by a quarter each time the last cut took effect. A
// ceiling far above the present number is not reported (0).
//
// The numbers behind the ceilings are in the code, with their reasons.
//
// # Systems
//
// Everything works on Linux, if the kernel has the files (MemAvailable since 3.14,
// pressure since 4.20) and they can be read. Elsewhere, as on macOS and Windows, own
// CPU time, the Go scheduler, threads and GOMEMLIMIT are known. These are unknown:
//
//   - what others use, so a full machine looks idle;
//   - affinity masks, job objects and other bounds of CPU time except GOMAXPROCS;
//   - free memory, open files and processes, so none of them sets a ceiling;
//   - running children, whose CPU time counts once they have been waited for.
//
// Windows counts CPU time at the interrupts of its clock, 15.6 ms apart, and charges
// the whole interval to the thread that happens to run. OwnCPU grows in such steps, and
// for threads that run briefly and wait it is a matter of chance. Tick is 0 there. Its
// timers and its clock may be as coarse, depending on what other programs request.
//
// In a testing/synctest bubble the kernel's counters are measured against the kernel's
// clock, not the bubble's, so that they keep their meaning.
package sense
