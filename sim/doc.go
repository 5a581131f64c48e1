// Package sim judges controllers on simulated machines, in virtual time.
//
// A [Scenario] is a machine with work for it. [Run] lets a controller set the number of
// units in flight and returns how well it did. [Judge] does so for many scenarios and
// seeds and makes a table. [Scenarios] are those that the default law must pass. A run
// of a simulated minute takes about 10 to 400 ms. The result depends only on scenario,
// seed and controller.
//
// # The machine
//
// A unit of work waits (on its own: a timer, a network). Then one of K servers serves
// it (a database, a disk: first come, first served). Then it computes on P cores, which
// all units ready to compute share equally. Each phase may be absent. By default the
// system is closed: work is always waiting, so there are as many units in flight as the
// limit says; after the limit was lowered there are more until enough have finished.
// With arrivals it is open: units arrive in a Poisson process and wait for a permit.
//
// With n units in flight, everything is slower by a factor slow(n): crosstalk,
// thrashing, seeking. In addition, a global speed fluctuates: its logarithm is an
// autoregressive process of 3 % and 1 s, unless the scenario says otherwise.
// Consecutive units may be alike: a size wanders from unit to unit, with mean 1, and
// multiplies all times of a unit. Others may take cores. Others may also do part of the
// computation; then it counts as theirs. All parameters can change at given times.
//
// # What the controller sees
//
// Every 10 ms a [control.Reading], with the resolution of real sensors. CPU totals are
// in whole 10 ms ticks (those of the work itself in finer ones if the scenario says
// so). Units in flight (Occupancy) and units ready but without a core (Runnable) are
// sampled each 10 ms. Residence times and completions are exact. Bound is exact:
// always, in a closed system. TimedSince and ResidenceSince begin at 0 when the limit
// changes. The first reading comes at 10 ms; the limit begins at the number of CPUs.
//
// # The truth
//
// Scores are made of X(n), the throughput that n units in flight sustain
// ([Throughput]). It is computed, not simulated: by the product form of closed queueing
// networks by convolution (J. P. Buzen, "Computational algorithms for closed queueing
// networks with exponential servers", CACM 16(9), 1973), with stations as in F.
// Baskett, K. M. Chandy, R. R. Muntz and F. G. Palacios, JACM 22(2), 1975, divided by
// slow(n). Waits and processor sharing are exact for any distribution. A first come,
// first served station is exact for exponential services, or while there is no queue;
// otherwise a table of simulations corrects it where it can matter. Tests compare it
// with fixed-limit simulations: within 0.5 % for all scenarios here, 1.5 % for the
// hardest tried. If all times are constant, no limit has a throughput of its own,
// because the units stay bunched as they began; such scenarios are refused. In an open
// system X(n) is what a limit sustains with a backlog, and at most what arrives.
//
// N*, the sweet spot ([SweetSpot]), is the least n with at least 98 % of the highest X.
// The score of a run is the mean over time of X(limit)/X(N*), so it can be as high as
// 1.02. [Result] defines the other figures.
//
// # Servers
//
// [Serve] judges laws for servers. Units arrive, and a quarter of the limit may wait;
// when the queue is full, arriving units are refused. It counts the responses that come
// in time, from the arrival on: within three times the time that 99 in 100 units take
// without load. [JudgeServer] does so for many scenarios and seeds; [Servers] are those
// that come with the package.
//
// # Auto-scaling
//
// [Autoscale] lets a [control.Scaler] set the number of replicas of a [Service]:
// requests arrive in a Poisson process whose rate changes, wait in one queue, and
// replicas take their time to start. [Services] are those that come with the package.
// The simulation is exact: with a fixed number of replicas and exponential work it is
// M/M/c, and tests compare it with Erlang's formula.
//
// # Companies
//
// [RunCompany] lets several controllers work at once on one machine: a [Company] has
// processes, each with one or more Limiters, whose units meet at the CPUs and at
// servers. [JudgeCompanies] does so for many companies and seeds; [Companies] are those
// that come with the package.
//
// A unit waits, is served where it calls, and computes; it may end as Overloaded or
// fail. The goroutines of a process share as many threads as there are CPUs, and all
// threads share the CPUs equally. Loops tick every 7 to 13 ms, each at its own pace.
// They read what a program could read. OwnCPU and Runnable are those of the whole
// process. Completed and the times in flight leave out units that failed. Limiters of a
// process, and of processes that share a name, know of each other as in a program.
//
// Scores are real completions over those of the best fixed limits ([CompanyResult]).
// These come from simulations too: the same limit for Limiters that are alike, on half
// octaves up to 1024, with the highest product of all throughputs. The noise is a
// change of pace that affects all, so it is removed exactly, and the best limits serve
// all seeds. Tests compare the simulation with the product form, and the scores of the
// best fixed limits with 1.
//
// # Company files
//
// [ParseCompanies] reads text as [Parse] does. A line that begins a block may be
// followed by its settings:
//
//	company NAME        begins a company
//	  cpus 2            (required)
//	  seconds 30        (required)
//	  noise 0.03 1s     as in scenarios
//	  tick 1ms          steps of a process's CPU time; 4ms by default
//	  others 2          threads outside the processes that compute all the time
//	  server NAME       begins a server; servers stand above the processes
//	    places 64       units that it serves at a time (required)
//	    service DIST    (required)
//	    slow CURVE      divides its speed with n units there, those that queue included
//	    most 24         refuses units, as Overloaded, while that many are there
//	    refusal DIST    time of a refusal, and of a failure in an outage; const(1ms) by default
//	    outage 20s 23s ignored     all fail between these times; or overloaded
//	  process           begins a process
//	    share NAME      processes with the same name know of each other
//	    background 2    goroutines of it that compute all the time
//	    limiters 10     begins that many equal Limiters
//	      start 10s     when their work begins; 0 by default
//	      callers 256   number of its units; by default work is always waiting
//	      wait DIST
//	      calls NAME    the server
//	      cpu DIST
//	      slow CURVE    divides the speed of computing with n units of the Limiter in flight
//	      refuse 5%     share of the units that end as Overloaded whatever the limit
//
// # Scenario files
//
// [Parse] reads text, one setting a line: a key, blanks, a value. Indentation and what
// follows a # are ignored. Times carry a unit (20us, 1.5ms, 2s).
//
//	scenario NAME       begins a scenario; a word without a comma
//	  cpus 4            P (required)
//	  seconds 60        how long it lasts (required)
//	  noise 0.03 1s     standard deviation and time constant of the speed; 0: none
//	  patches 0.5 2000  standard deviation of the logarithm of the size that consecutive
//	                    units share, and how many units; none by default
//	  theirs 0.7        share of the computation that others do; 0 by default
//	  tick 4ms          steps of the work's own CPU time; 10ms by default, and then
//	                    the controller does not know the resolution
//	  wait DIST         the wait; none by default
//	  service DIST      time at a server ...
//	  servers 16        ... and their number
//	  cpu DIST          the computation
//	  slow CURVE        the slowdown; 1 by default
//	  load 1.5          cores taken by others; 0 by default
//	  arrivals 2000     units per second; 0, the default: work is always waiting
//	  at 20s            from here on the settings below hold; they replace those
//	    load 2          above. Further `at` lines follow in order of time.
//
// cpus, seconds, noise, patches, theirs and tick hold for the whole scenario and stand above the
// first at. A DIST is one of const(mean), exp(mean), ln(mean, cv),
// pareto(mean, alpha), uniform(low, high) or none; see [ParseDist]. A CURVE is
// a formula of n, or several with the ranges in which they hold:
//
//	slow 1 + n*(n-1)/576
//	slow 1 up to 8; pow(n/8, 1.05)
//
// see [ParseCurve]. Work in progress keeps its times; new
// settings apply to work that begins after them. Arrivals, load, slow and the
// number of servers act at once.
package sim
