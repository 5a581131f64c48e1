// Package jobserver is the command "sweetspot jobserver": a server of the GNU make jobserver
// protocol, whose number of tokens is found by the law.
//
//	limiter ─ limit ─► server ─ tokens ─► pipe ⇄ make, ninja, cargo and what they start
//	   ▲                 │ ▲               │
//	   └───── turns ─────┘ └─ watch, look ─┘
//
// # The protocol
//
// A client reads a byte, a token, from the pipe before it starts a job, and writes it back when the
// job has ended. For one job it needs no token: a client that was started as a job of another one uses
// that job's place. So a limit of n is n-1 tokens. However deep builds are nested, no more than n jobs
// run at a time. When the limit falls, running jobs go on, and none starts until fewer than n run.
//
// All styles use one named pipe. Clients that want descriptors get two of their own on it: make makes
// the reading one non-blocking, which must not happen to ours.
//
// # What the law sees
//
// Tokens go from client to client without passing us. If we read each one that comes back, and wrote it
// again, ninja would find the pipe empty at the one moment at which it looks, and run a job less until
// its next one ends. So we only watch: inotify reports each write to the pipe, and the level of the pipe
// shows what was read.
//
// The number of tokens that come back is not the number of jobs done. make returns one for each job
// while two or more run. ninja needs no token for one of the jobs that it runs, and returns none for
// it: at a limit of 2 half of its jobs are seen, at 3 two thirds. cargo keeps a token from one crate to
// the next.
//
// So the work done is the CPU time of all processes of the build, read from /proc every 100 ms, plus
// 10 ms for each token that comes back, for tests that only wait. A turn, which is one unit of the
// Limiter, lasts from the taking to the return of a token, or until a tenth of a CPU second was used.
// Its weight is the work done since the last return. Tokens have no names, so the oldest turn ends. The
// job that needs no token is a turn, too.
//
// While one job runs for a second and tokens lie in the pipe (configure, a link), no turn is open. The
// law rests, so the limit is the same when the build goes on.
//
// A client that wants a token and one that has nothing left to start both leave the pipe empty. So an
// empty pipe counts as demand. If there was none, the next token stays in the pipe, and the
// law sees that the limit holds nobody back.
//
// # When the law does not move
//
// Most builds compute, and are over in a minute, so trying a number that cannot be better costs much.
// CPU time is the same at any number at which the CPUs are full. (If jobs slow each other down, by
// hyperthreads or caches, it does not show that.) So the law begins with one job more than there are
// CPUs, and does not go below that. It does not go up while no CPU is idle, nor before a tenth of a CPU
// second was used, when the first jobs wait for the disk. An experiment above would not even end with
// cargo, which keeps the tokens that it got. While no CPU is idle and no experiment runs, no turn is
// open and the law rests: its ticks cost a build of short jobs several times the CPU time that they
// take themselves.
//
// # Withdrawing tokens
//
// To withdraw a token we read it from the pipe. If there is none, a thread of ours waits in a read, beside
// the clients, and gets some of the tokens that come back. So a lower limit is in force some jobs later.
//
// # Lost tokens
//
// A client that is killed takes its tokens with it. Each token in use is at least one thread of a leaf
// of the process tree (a process without children). So if four or more counts within a second find
// fewer threads there than tokens out, plus the one job that needs none, the difference is lost, and we
// replace it. That is one second after the last job of the dead client, which may outlive it, has ended.
// Other jobs with several leaf processes or threads (a pipeline, a linker) hide the loss until they
// end. ninja may run jobs with tokens while the place that needs none is empty. So for each ninja, and
// for other clients that may do the same, one token that seems to be lost is not replaced.
//
// A client that holds tokens for a second with nothing to run (make -l while the load is too high) looks
// the same, so its tokens are replaced. Tokens have no names: when it returns its own to a busy build,
// they look like any others. The surplus is withdrawn once the pipe holds more tokens than there should
// be in all, which happens when hardly any is in use. Counting threads cannot tell sooner: a job may
// have several threads, and then tokens that died with a client would be withdrawn, too.
package jobserver
