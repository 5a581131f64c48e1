// Package sense reads the surroundings of concurrent work: the CPU time it
// uses and what others use beside it, how many goroutines or processes wait for
// a CPU, how many CPUs there are, and how much room is left in memory, threads,
// files and processes. It decides nothing; a controller does, from what is read
// here.
//
// # Two sensors
//
// [NewProcess] is for work that goroutines of this program do. [NewChildren] is
// for a program whose work is done by child processes; it must be told of each
// child:
//
//	c := sense.NewChildren()
//	// for each job
//	err := cmd.Start()
//	c.Started(cmd.Process.Pid)
//	err = cmd.Wait()
//	s := cmd.ProcessState
//	c.Reaped(s.Pid(), (s.UserTime() + s.SystemTime()).Seconds(), maxRSS)
//
// Both implement [Sensor]: a call of Sense gives a [Sample], takes some
// microseconds, allocates nothing and never fails. What cannot be
// read is replaced by the next best thing, in silence: a sensor that complains
// would be worse than one that knows less.
//
// What belongs to the process and not to one crowd of units is read once a
// millisecond at most, for all sensors of a kind together: a thousand of them cost
// hardly more than one.
//
// # CPU time
//
// OwnCPU comes from getrusage (GetProcessTimes on Windows). MachineCPU and CPUs are of
// one scope: CPUs less what MachineCPU grows by in a second is what we could still get.
// So what others use counts as far as it leaves less than CPUs to us. With GOMAXPROCS 4
// on 64 CPUs, 62 of them used by others take 2 away from us, and 60 take nothing.
// What everybody uses comes
//
//   - on the CPUs of our affinity mask, from the idle columns of /proc/stat: all time
//     less idle time, which is exact where the busy columns are sampled;
//   - in each cgroup with a CPU quota around us, from its usage. Time for which the
//     group was throttled counts as used, as far as there was some left: the CPUs stood
//     idle, but were not to be had. A quota may be 1.5, for which Go rounds GOMAXPROCS
//     up to 2; CPUs is 1.5 then.
//
// The scope that leaves us least counts. Where none is known, MachineCPU equals OwnCPU:
// the others are taken to use nothing. MachineCPU of a
// Process never grows by less than OwnCPU does; that of Children never by less
// since the first sample, because the CPU time of a child is known late.
//
// A mask, a quota or a move to another cgroup is noticed within ten seconds.
//
// Tick says how fine the OwnCPU of a Process is on Linux: some milliseconds for a
// thread that is running, and exact for one that waits. Elsewhere, and of
// Children, it is not known.
//
// runtime/metrics has CPU classes too, but they are refreshed by garbage
// collections only and serve no clock finer than that.
//
// # Waiting for a CPU
//
// Runnable of a Process is the Go scheduler's number of runnable goroutines
// less one, which the reader displaced; a quick sign of too many. With work
// that mostly sleeps it meets bursts of timers and means little. Children have
// no such gauge: theirs is the machine's number of runnable threads beyond its
// CPUs, whomever they belong to.
//
// # The heap
//
// Of a Process, the collections of garbage, the bytes allocated and GOMEMLIMIT are
// read too. Together with the number of units that ended they tell what a unit
// holds at most, and so which limit makes a heap that is seldom collected.
//
// # Ceilings
//
// A number that is found automatically must not take a machine down. Ceiling
// says how far it may go at present:
//
//   - memory: what MemAvailable and the memory limits of our cgroups (v1 and v2,
//     each level) leave beyond a margin of a sixteenth, 32 MiB to 512 MiB. For
//     child processes it is counted in mean job sizes;
//   - GOMEMLIMIT: only when the live heap is near it and the collector really
//     takes the CPU time, or when it exceeds the limit by itself. Nearness
//     alone is what that limit is for;
//   - memory pressure (PSI): a tenth of the time lost to reclaim and refaults;
//   - threads: the runtime ends a program at 10,000;
//   - open files (RLIMIT_NOFILE), processes (pids.max and, for children,
//     RLIMIT_NPROC).
//
// Each allows what provably fits: if n units use all that is used, then room
// for half of that again is room for n/2 more. Much may be used by something
// else, so this errs on the careful side, but it stops nothing: the next look
// starts from the larger crowd. Growth stops where the margin is touched, and
// where half of it is gone the ceiling falls by a quarter each time the last
// cut took effect. A ceiling that is far beyond the present crowd is not
// mentioned (0).
//
// The numbers that the vetoes rest on stand beside the code with their reasons.
//
// # Systems
//
// Everything works on Linux, as far as the kernel has the files (MemAvailable
// since 3.14, pressure since 4.20) and they can be read. Elsewhere, as on macOS and
// Windows, own CPU time, the Go scheduler, threads and GOMEMLIMIT are known. Not known
// are: what others use, so that a full machine looks idle; affinity masks, job objects
// and other bounds of CPU time but GOMAXPROCS; free memory, open files and processes, so
// that none of them sets a ceiling; and running children, whose CPU time counts once
// they have been waited for.
//
// Windows counts CPU time at the interrupts of its clock, 15.6 ms apart, and books the
// whole stretch for the thread that happens to run: OwnCPU grows in steps of that, and
// of threads that run briefly and wait it is a matter of chance. Tick is 0 there. Its
// timers and its clock may be as coarse, depending on what other programs ask for.
//
// In a testing/synctest bubble the kernel's counters are
// measured against the kernel's clock, so that they mean what they always mean,
// while the bubble's clock does as it likes.
package sense
