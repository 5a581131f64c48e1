// Package jobserver is the command "sweetspot jobserver": a server of the GNU make jobserver
// protocol, whose number of tokens is found by the law.
//
//	limiter ─ limit ─► server ─ tokens ─► pipe ⇄ make, ninja, cargo and what they start
//	   ▲                 │ ▲               │
//	   └───── turns ─────┘ └─ watch, look ─┘
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
// A token that comes back is not a job done. make returns one for each job while two or more run. ninja
// returns none for the jobs of the place that needs no token: at a limit of 2 half of its jobs are seen, at
// 3 two thirds. cargo keeps a token from one crate to the next.
//
// So work is the CPU time of all processes of the build, read from /proc every 100 ms, and 10 ms
// for each token that comes back, for tests that wait. A turn, which is one unit of the Limiter, is from
// the taking to the return of a token, or lasts a tenth of a CPU second. It weighs what was worked since
// the last return. Tokens have no names, so the oldest turn ends. The job that needs no token is a turn, too.
//
// While one job runs for a second and tokens lie in the pipe (configure, a link) no turn is
// open. The law rests, so the limit is the same when the build goes on.
//
// A client that wants a token and one that has nothing left to start both leave the pipe empty. So an
// empty pipe counts as demand. If there was none, the next token stays in the pipe, and the
// law sees that the limit no longer binds.
//
// # Where the law has no say
//
// Most builds compute, and are over in a minute, so a look at a number that cannot be better is dear. CPU time is the
// same at any number at which the CPUs are full (where jobs slow each other down, by hyperthreads or caches, it
// does not show that). So the law begins with a job more than there are CPUs, and does not go below that. While no
// CPU is idle it does not go up either; nor before a tenth of a CPU second was worked, when the first jobs wait for the
// disk. A look up would not even end with cargo, which keeps what tokens it got. While no CPU is idle and the law tries
// nothing, no turn is open, and it rests: its ticks cost a build of short jobs several times the time that they take.
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
// ninja may run jobs with tokens while the place that needs none is empty. So for each ninja, or other
// client that is not known not to do that, one token that seems to be lost is left alone.
//
// A client that holds tokens for a second with nothing to run (make -l while the load is too high)
// gets as many in addition. Tokens have no names, so when it returns its own to a busy build, they look
// like any others. They are withdrawn once the pipe holds more tokens than there should be in all, which
// happens when hardly any is in use. Counting threads cannot tell sooner: a job may have several, and then
// tokens that really died with a client would be withdrawn, too.
package jobserver
