package run

import "slices"

// flags is the table. Within a group, the order is that of the help.
var flags = slices.Concat(inputFlags, []flag{
	{
		group: groupNumber, name: "jobs", short: "j", arg: "N", also: []spelling{{"max-procs", "P"}}, brief: true,
		words: `jobs at a time: auto (default) is found by measuring them while they run
N, N% of the CPUs, CPUs +N or -N, 0 for as many as the machine allows, or a FILE that holds auto or a number and is read again while the jobs run`,
		yields:  []string{"law"},
		to:      func(o *options) any { return o.jobs.Set },
		choices: []string{"auto\tfound by measuring", "0\tas many as the machine allows", "50%\tof the CPUs", "100%\tof the CPUs", "+1\tmore than CPUs", "-1\tfewer than CPUs"},
	},
	{
		group: groupNumber, name: "min", arg: "N",
		words: "at least N, unless memory or the system allows fewer",
		to:    func(o *options) any { return &o.min },
	},
	{
		group: groupNumber, name: "max", arg: "N",
		words: "at most N, whatever -j says",
		to:    func(o *options) any { return &o.max },
	},
	{
		group: groupNumber, name: "law", arg: "NAME", also: []spelling{{"controller", ""}}, yields: []string{"jobs"},
		words: `with -j auto, find the number by another published law, for comparison
step, dynamictarget, fixedtarget, aimd, vegas, gradient2, hillclimbing; the default is search; sweetspot sim --help says what each does`,
		to:      func(o *options) any { return o.law.Set },
		choices: LawNames(),
	},
	{
		group: groupNumber, name: "learn",
		words: `begin with what earlier runs of this command have found (default)
The number of jobs, and the memory that one needs. They are kept for each command line without its values, host and number of CPUs, in sweetspot/run in XDG_STATE_HOME (~/.local/state); no arguments are stored. Where runs are over before anything is decided, each tries twice the number of the one before, as long as the CPUs idle and that pays. --learn=false neither uses nor keeps anything.`,
		to: func(o *options) any { return &o.learn },
	},
	{
		group: groupNumber, name: "learned", bound: true,
		words: "show what was learnt, of the COMMAND or of all, and run nothing",
		to:    func(o *options) any { return &o.learned },
	},
	{
		group: groupNumber, name: "forget", bound: true,
		words: "forget what was learnt, of the COMMAND or of all, and run nothing",
		to:    func(o *options) any { return &o.forget },
	},
	{
		group: groupNumber, name: "share", arg: "NAME",
		words: `runs with the same NAME find the numbers that are best for all of them
For runs of a minute or more that load one server, disk or database at the same time. Programs that use the library's Share take part. All must belong to this user on this machine. With -j N the number stays fixed, and the others adapt to it.`,
		to: func(o *options) any { return &o.share },
	},
	{
		group: groupNumber, name: "delay", arg: "TIME",
		words: "wait TIME between two starts",
		to:    func(o *options) any { return o.delay.Set },
	},
	{
		group: groupNumber, name: "load", arg: "N",
		words: `start jobs only while fewer than N processes run, or wait for CPU or disk
The jobs count. N%, +N and -N are relative to the CPUs, as for -j.`,
		to: func(o *options) any { return into(&o.load, parseLoad) },
	},
	{
		group: groupNumber, name: "memfree", arg: "SIZE",
		words: `start jobs only while SIZE of memory is free
SIZE is in bytes, or ends in K, M, G, T or P (powers of 1,024; of 1,000 for k, m, g, t, p). Running jobs go on.`,
		to: func(o *options) any { return o.memory.Set },
	},
	{
		group: groupNumber, name: "suspend",
		words: `suspend the youngest jobs while memory may not suffice for all (default)
More jobs can start that way. It is done on Linux unless -j is a fixed number, and only if jobs take up to two seconds on average. A job is suspended (SIGSTOP) for at most four seconds in total. --suspend=false turns it off, and so does --timeout.`,
		to: func(o *options) any { return &o.suspend },
	},
	{
		group: groupNumber, name: "nice", arg: "N",
		words: "run sweetspot and the jobs at niceness N, from -20 to 19",
		to:    func(o *options) any { return into(&o.nice, parseNice) },
	},

	{
		group: groupCommand, name: "command", short: "c", arg: "LINE", bound: true, brief: true,
		words: `run LINE with a shell, safe for any value
The value is passed as "$1", and {} becomes "$1", so no value is read as shell text. LINE is one word; nothing is appended to it. On Windows the shell is cmd.exe, and only placeholders have values.`,
		to: func(o *options) any { return &o.line },
	},
	{
		group: groupCommand, name: "shell", arg: "SHELL",
		words: `the shell of -c: bash, zsh or another that reads lines as POSIX says
The default is /bin/sh, and bash for a line that names a function exported by bash (export -f).`,
		to:      func(o *options) any { return into(&o.inShell, parseShell) },
		choices: []string{"sh", "bash", "dash", "ksh", "zsh"},
	},
	{
		group: groupCommand, name: "replace", short: "I", arg: "STR", bound: true,
		words: "write STR instead of {}",
		to:    func(o *options) any { return &o.mark },
	},

	{
		group: groupOutput, name: "keep-order", short: "k", brief: true,
		words: "print in the order of the input, not of completion",
		to:    func(o *options) any { return &o.keepOrder },
	},
	{
		group: groupOutput, name: "line-buffer", also: []spelling{{"ungroup", "u"}, {"line-buffered", ""}, {"lb", ""}},
		words: `print lines as they come, not each job's output in one piece
With -k, those of the first job in order that still runs. A last line without a newline gets one.`,
		to: func(o *options) any { return &o.lineBuffer },
	},
	{
		group: groupOutput, name: "tag", brief: true,
		words: `start each line of output with the job's value and a tab
A last line without a newline gets one.`,
		to: func(o *options) any { return &o.tag },
	},
	{
		group: groupOutput, name: "results", arg: "DIR", bound: true, brief: true, also: []spelling{{"result", ""}, {"res", ""}},
		words: `also keep the outputs, in DIR/1/VALUE/stdout, stderr and seq
Files get these names when the job has finished. Two runs cannot share DIR. A slash in a value becomes \_ and a backslash \\.`,
		to: func(o *options) any { return &o.results },
	},
	{
		group: groupOutput, name: "max-output", arg: "SIZE",
		words: `end jobs that write more than SIZE to stdout or to stderr; they fail
What is beyond SIZE is dropped, but for lines that --line-buffer has printed.`,
		to: func(o *options) any { return o.maxOutput.Set },
	},
	{
		group: groupOutput, name: "verbose", short: "v", also: []spelling{{"print-command", "t"}},
		words: "print each command to stderr before it starts",
		to:    func(o *options) any { return &o.verbose },
	},
	{
		group: groupOutput, name: "quiet",
		words: "do not list failed jobs, and show no status line",
		to:    func(o *options) any { return &o.quiet },
	},
	{
		group: groupOutput, name: "dry-run", bound: true, brief: true, also: []spelling{{"dr", ""}},
		words: "print the commands, run nothing",
		to:    func(o *options) any { return &o.dryRun },
	},
	{
		group: groupOutput, name: "explain", brief: true,
		words: "at the end, explain on stderr why this number of jobs was chosen",
		to:    func(o *options) any { return &o.explain },
	},
	{
		group: groupOutput, name: "json", arg: "FILE", bound: true,
		words: "write a summary to FILE at the end; - is stdout",
		to:    func(o *options) any { return &o.json },
	},
	{
		group: groupOutput, name: "ui", arg: "ADDR", brief: true,
		words: `serve a live page at ADDR while the jobs run
ADDR is PORT or HOST:PORT; port 0 is any free one. Without HOST, only this machine can reach it. Anyone who can reach it can see it. Two addresses are printed; the second, which cannot be guessed, also lets you set the limit.`,
		to: func(o *options) any { return o.ui.Set },
	},
	{
		group: groupEnviron, name: "config", arg: "FILE",
		words: "read settings from FILE instead; '' reads none",
		to:    func(o *options) any { return &o.config },
	},

	{
		group: groupFailure, name: "retries", arg: "N", brief: true,
		words: `run a job that fails up to N times in total; 0 means any number of times
The output of the last try counts. The pause before a try starts at 10 ms and doubles up to 1 s. --delay, --load and --memfree apply to each try.`,
		to: func(o *options) any { return into(&o.retries, orNone("tries", "as many as it takes")) },
	},
	{
		group: groupFailure, name: "retry-oom",
		words: `try a job that was killed for want of memory once more, alone (default)
Linux only, where the kernel reports such kills. The try does not count for --retries. --retry-oom=false lets it fail.`,
		to: func(o *options) any { return &o.retryOOM },
	},
	{
		group: groupFailure, name: "timeout", arg: "TIME", brief: true,
		words: `end jobs that run longer than TIME; they fail
TIME is 10, 0.5s, 2m, 1d, or a percentage of the median run time of the jobs that succeeded, such as 300%, but at least 1 s. They get TERM and, after --grace, KILL.`,
		to: func(o *options) any { return o.timeout.Set },
	},
	{
		group: groupFailure, name: "overload-status", arg: "LIST",
		words: `exit statuses by which a job says that too many ran at once, such as 75
With -j auto, fewer run from then on. Such a job has failed: --retries decides whether it runs again. 75 is EX_TEMPFAIL.`,
		to:      func(o *options) any { return o.overload.Set },
		choices: []string{"75\ttry again later (EX_TEMPFAIL)"},
	},
	{
		group: groupFailure, name: "halt", arg: "WHEN", brief: true, also: []spelling{{"halt-on-error", ""}},
		words: `end the run early: soon,fail=N, now,fail=N%, soon,success=N, now,done=N
soon lets the running jobs finish, now ends them. % is of all jobs; while a piped list is read, fail=N% is of the finished jobs, from the third failure on. The default is never.`,
		to:      func(o *options) any { return o.halt.Set },
		choices: []string{"never\trun all jobs", "soon,fail=1\tstart no more after a failure", "now,fail=1\tend all at a failure", "soon,fail=10%\tstart no more when a tenth failed", "now,success=1\tend all at a success"},
	},
	{
		group: groupFailure, name: "joblog", arg: "FILE", bound: true, brief: true, also: []spelling{{"jl", ""}},
		words: `log each finished job to FILE, in the columns of GNU parallel
An existing file is overwritten, unless it is written +FILE or the run is resumed.`,
		to: func(o *options) any { return &o.joblog },
	},
	{
		group: groupFailure, name: "resume", bound: true, brief: true,
		words: `skip the jobs that are in the joblog
Input and command must be the same as before. Jobs that the end of that run cut short run again.`,
		to: func(o *options) any { return &o.resume },
	},
	{
		group: groupFailure, name: "resume-failed", bound: true,
		words: "as --resume, but run failed jobs again",
		to:    func(o *options) any { return &o.resumeFailed },
	},

	{
		group: groupEnding, name: "grace", arg: "TIME",
		words: "the time between TERM and KILL (default 5s)",
		to:    func(o *options) any { return o.grace.Set },
	},
})
