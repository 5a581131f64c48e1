// Package jobserver is the command "sweetspot jobserver": a server of the GNU make jobserver
// protocol, whose number of tokens is found by the law.
//
//	limiter ─ limit ─► server ─ tokens ─► pipe ⇄ make, ninja, cargo and what they start
//	   ▲                 │ ▲               │
//	   └───── turns ─────┘ └─ watch, look ─┘
//
// The files, from the bottom up: makeflags and style say to clients where the tokens are; pool is
// the pipe; watch tells when a token comes back, sensor what the processes use; loss finds tokens that died with a
// client; turns is what the law sees; server keeps as many tokens as the limit says; child is
// the command; serve and command are what the user calls.
//
// # The protocol
//
// A client reads a byte from the pipe before it starts a job, and writes one when the job has
// ended. For one job of its own it needs none: who was started as somebody's job has that job's
// place. So a limit of n is n-1 tokens. However builds are nested, no more than n jobs run at a
// time; while the limit falls, those that run go on, and no new ones start until fewer than n do.
//
// All styles use one named pipe. Where clients want descriptors, they get two of their own on
// it: make makes the reading one non-blocking, which must not happen to ours.
//
// # What the law sees
//
// Tokens go from client to client without passing us. Were we to read each one that comes
// back and to hand it out again, ninja would find the pipe empty at the one moment at which it
// looks, and run a job less until its next one ends. So we only watch: inotify reports each write
// to the pipe, and the level of the pipe says what was read.
//
// The obvious measure, a token that comes back is a job done, is wrong for most clients. make
// returns one for each job while two or more run. ninja returns none for the jobs of the place
// that needs no token: at a limit of 2 half of its jobs are seen, at 3 two thirds, so that more always
// looks better. cargo keeps a token from one crate to the next. At a limit of 1 none is returned.
//
// So work is the CPU time of all processes of the build, read from /proc every 100 ms, and 10 ms
// for each token that comes back. The latter is for jobs that hardly compute, such as tests that
// wait. A turn, which is one unit of the Limiter, is from the taking to the return of a token, and weighs
// what was worked since the last return. Tokens have no names, so the oldest turn ends. The job
// that needs no token is a turn, too.
//
// CPU time says how fast a build proceeds as long as a job needs the same whatever runs beside
// it. Hyperthreads, shared caches and memory bandwidth break that: the law then goes up to the number
// at which the CPUs are full, as make -j$(nproc) does, and no further.
//
// While one job runs for a second and tokens lie in the pipe (configure, a link) no turn is
// open. The law rests, so the limit is the same when the build goes on.
//
// A client that wants a token and one that has nothing left to start both leave the pipe empty. So an
// empty pipe counts as demand. If there was none, the next token stays in the pipe, and the
// law sees that the limit no longer binds.
//
// # Withdrawing
//
// A token in the pipe is read. If there is none, a thread of ours waits in a read, beside the
// clients that wait, and gets some of the tokens that come back, so a lower limit is in force some jobs later.
//
// # Lost tokens
//
// A client that is killed takes its tokens with it. A token in use is a process, or a thread of
// one. So there are more threads at the ends of the tree, in processes without children, than tokens
// out. If there are not, at each of four or more looks in a second, the difference is lost, and is replaced. That
// is one second after the last job of the dead client, which may outlive it, has ended, unless other
// jobs have several processes or threads at their ends (a pipeline, a linker): they hide it for as long.
// ninja may run jobs with tokens while the place that needs none is empty; so for each ninja, or other client that is not known
// not to do that, one token that seems to be lost is left alone. A client that holds tokens for a second with nothing to run (make -l while the load is too high)
// gets as many in addition; when it returns them, they are withdrawn.
package jobserver
