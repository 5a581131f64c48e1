package run

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// A flag is a row of the table of flags. Parsing, --help, the man page,
// completion and settings all come from it.
type flag struct {
	group group
	name  string // long
	short string // one letter, or ""
	also  []spelling
	// arg names the argument, "" if there is none. FILE and DIR are completed
	// with names of files and directories.
	arg string
	// words say what the flag does. Their first line stands for itself: it is what
	// completion shows.
	words string
	// to returns where the value goes: a *bool, a *string, an *int (1 or more) or a
	// pflag.Value of its own, which says in its error what would be right.
	to func(*options) any
	// choices are what completion offers for the argument; each may be followed
	// by a tab and a description.
	choices func() []string
	// bound to the command line: as a setting it would change what a command line
	// means, or would be wrong for the next run.
	bound bool
	// yields names flags beside which a setting of this one is left out, because
	// the two exclude each other and what is nearer to the user counts.
	yields []string
}

// A spelling is another name of a flag, known from another tool.
type spelling struct{ name, short string }

// A group is a section of the help. Its flags are followed by its notes.
type group uint8

const (
	groupNumber group = iota
	groupInput
	groupCommand
	groupOutput
	groupFailure
	groupEnding
	groupExit
	groupEnviron
	groups
)

var groupTitles = [groups]string{
	"How many at a time", "Input", "Command", "Output", "Failed jobs, and going on", "Ending", "Exit status", "Environment",
}

// flags is the table. Within a group, the order is that of the help.
var flags = []flag{
	{
		group: groupNumber, name: "jobs", short: "j", arg: "N", also: []spelling{{"max-procs", "P"}},
		words: `jobs at a time: auto (default) is found by measuring them while they run
N, N% of the CPUs, CPUs +N or -N, 0 for as many as the machine allows, or a FILE that holds auto or a number and is read again while the jobs run`,
		yields: []string{"law"},
		to:     func(o *options) any { return &o.jobs },
		choices: func() []string {
			return []string{"auto\tfound by measuring", "0\tas many as the machine allows", "50%\tof the CPUs", "100%\tof the CPUs", "+1\tmore than CPUs", "-1\tfewer than CPUs"}
		},
	},
	{
		group: groupNumber, name: "min", arg: "N",
		words: "never fewer than N, unless memory or the system forbids it",
		to:    func(o *options) any { return &o.min },
	},
	{
		group: groupNumber, name: "max", arg: "N",
		words: "never more than N, whatever -j says",
		to:    func(o *options) any { return &o.max },
	},
	{
		group: groupNumber, name: "law", arg: "NAME", also: []spelling{{"controller", ""}}, yields: []string{"jobs"},
		words: `with -j auto, find the number by another published law, to compare
step, dynamictarget, fixedtarget, aimd, vegas, gradient2, hillclimbing; the default is search, and what each does is in the README of control`,
		to:      func(o *options) any { return &o.law },
		choices: lawNames,
	},
	{
		group: groupNumber, name: "share", arg: "NAME",
		words: `runs with the same NAME look for the numbers that are best for all of them
for runs of a minute or more, at the same time, on a server, disk or database that gets slow when crowded; also with programs that use the library's Share. All must be of this user on this machine. With -j N the number stays, and the others take account of it.`,
		to: func(o *options) any { return &o.share },
	},
	{
		group: groupNumber, name: "delay", arg: "TIME",
		words: "let TIME pass from one start to the next",
		to:    func(o *options) any { return &o.delay },
	},
	{
		group: groupNumber, name: "load", arg: "N",
		words: `start jobs only while fewer than N processes run or want to
of the whole machine, those of the jobs included; also N%, +N and -N, as for -j.`,
		to: func(o *options) any { return &o.load },
	},
	{
		group: groupNumber, name: "memfree", arg: "SIZE",
		words: `start jobs only while SIZE of memory is free
SIZE is in bytes, or with K, M, G, T or P after it (k, m, g, t, p count in thousands). Running jobs run on.`,
		to: func(o *options) any { return &o.memory },
	},
	{
		group: groupNumber, name: "nice", arg: "N",
		words: "run at the niceness N, from -20 to 19, sweetspot included",
		to:    func(o *options) any { return &o.nice },
	},

	{
		group: groupInput, name: "arg-file", short: "a", arg: "FILE", bound: true,
		words: "read the values from FILE; - is stdin\nGiven again, its values are combined with those before, as with :::.",
		to:    func(o *options) any { return &o.files },
	},
	{
		group: groupInput, name: "null", short: "0", bound: true,
		words: "values end in NUL instead of a newline",
		to:    func(o *options) any { return &o.nul },
	},
	{
		group: groupInput, name: "delimiter", short: "d", arg: "TEXT", bound: true,
		words: `values end in TEXT instead of a newline
TEXT may hold the escapes of C, such as \t and \0. Empty values count, and a newline before the end of the file belongs to the last value.`,
		to: func(o *options) any { return &o.delimiter },
	},
	{
		group: groupInput, name: "max-args", short: "n", arg: "N", bound: true,
		words: `give each job N values, or what is left
It gets fewer where a command could not hold them (128 KiB). With 0 it gets none, and the values only count the jobs.`,
		to: func(o *options) any { return &o.args },
	},
	{
		group: groupInput, name: "max-lines", short: "L", arg: "N", bound: true,
		words: `give each job N lines
As -n, but a line that ends in a blank goes on in the next one, lines of blanks do not count, and a word that holds {} is repeated for each line.`,
		to: func(o *options) any { return &o.lines },
	},
	{
		group: groupInput, name: "fill", short: "m", bound: true, also: []spelling{{"xargs", ""}},
		words: "give each job as many values as a command can hold (128 KiB)",
		to:    func(o *options) any { return &o.fill },
	},
	{
		group: groupInput, name: "context", short: "X", bound: true,
		words: `as -m, and repeat the word that holds {} for each value
With -n, as many as that.`,
		to: func(o *options) any { return &o.repeat },
	},
	{
		group: groupInput, name: "colsep", short: "C", arg: "REGEXP", bound: true,
		words: `split each line at REGEXP into columns, {1}, {2} and so on
An empty column is an empty value. Go's syntax of regular expressions.`,
		to:      func(o *options) any { return &o.columns },
		choices: func() []string { return []string{",\tcomma", `\t` + "\ttab", "' +'\tblanks"} },
	},
	{
		group: groupInput, name: "trim", arg: "ENDS", bound: true,
		words: "take blanks away from values: at the left (l), right (r), both ends (lr)\nn is none. The default is lr for columns and n for anything else.",
		to:    func(o *options) any { return &o.trim },
		choices: func() []string {
			return []string{"n\tnone", "l\tleft", "r\tright", "lr\tboth"}
		},
	},
	{
		group: groupInput, name: "link", bound: true, also: []spelling{{"xapply", ""}},
		words: `with several lists, take the first of each, then the second, and so on
instead of all combinations. A list that has ended begins anew, up to the end of the longest.`,
		to: func(o *options) any { return &o.link },
	},
	{
		group: groupInput, name: "pipe", bound: true, also: []spelling{{"spreadstdin", ""}},
		words: `cut stdin, or the file of -a, into blocks for the stdin of the jobs
A block is whole records and at most --block long, unless a single record is longer. The jobs have no values.`,
		to: func(o *options) any { return &o.pipe },
	},
	{
		group: groupInput, name: "block", arg: "SIZE", bound: true,
		words: "with --pipe, how long a block may be: 500, 64K, 10M, 1G (default 1M)",
		to:    func(o *options) any { return &o.block },
		choices: func() []string {
			return []string{"64K", "1M\tthe default", "10M", "100M"}
		},
	},
	{
		group: groupInput, name: "max-replace-args", short: "N", arg: "N", bound: true,
		words: "with --pipe, give each job N records, however long; else as -n",
		to:    func(o *options) any { return &o.records },
	},
	{
		group: groupInput, name: "recend", arg: "TEXT", bound: true,
		words: `with --pipe, a record ends after TEXT (default \n; -0 for NUL)
With --recstart too, only where that follows; '' for both cuts anywhere.`,
		to: func(o *options) any { return &o.end },
	},
	{
		group: groupInput, name: "recstart", arg: "TEXT", bound: true,
		words: "with --pipe, a record starts with TEXT and ends where the next one starts",
		to:    func(o *options) any { return &o.start },
	},
	{
		group: groupInput, name: "no-run-if-empty", short: "r",
		words: "accepted: empty input runs nothing in any case",
		to:    func(*options) any { return new(bool) },
	},

	{
		group: groupCommand, name: "shell", short: "c", arg: "LINE", bound: true,
		words: `run LINE with /bin/sh, safe for any value
The value is handed over as "$1", and {} becomes "$1", so that no value can be read as shell text. The shell line is one word; nothing is appended to it.`,
		to: func(o *options) any { return &o.line },
	},
	{
		group: groupCommand, name: "replace", short: "I", arg: "STR", bound: true,
		words: "write STR instead of {}",
		to:    func(o *options) any { return &o.mark },
	},

	{
		group: groupOutput, name: "keep-order", short: "k",
		words: "print in the order of the input, not of completion",
		to:    func(o *options) any { return &o.keepOrder },
	},
	{
		group: groupOutput, name: "line-buffer", also: []spelling{{"lb", ""}},
		words: `print lines as they come, not each job's output in one piece
With -k, of the first job in order that still runs. A last line without a newline gets one.`,
		to: func(o *options) any { return &o.lineBuffer },
	},
	{
		group: groupOutput, name: "tag",
		words: `begin each line of a job with its value and a tab
A last line without a newline gets one.`,
		to: func(o *options) any { return &o.tag },
	},
	{
		group: groupOutput, name: "results", arg: "DIR", bound: true,
		words: `also keep the outputs, in DIR/1/VALUE/stdout, stderr and seq
They get these names when the job has finished. Two runs cannot share DIR. A slash in a value becomes \_ and a backslash \\.`,
		to: func(o *options) any { return &o.results },
	},
	{
		group: groupOutput, name: "verbose", short: "v", also: []spelling{{"print-command", "t"}},
		words: "print each command to stderr before it starts",
		to:    func(o *options) any { return &o.verbose },
	},
	{
		group: groupOutput, name: "dry-run", bound: true,
		words: "print the commands, run nothing",
		to:    func(o *options) any { return &o.dryRun },
	},
	{
		group: groupOutput, name: "explain",
		words: "say at the end, on stderr, why the number of jobs ended where it did",
		to:    func(o *options) any { return &o.explain },
	},
	{
		group: groupOutput, name: "json", arg: "FILE", bound: true,
		words: "write a summary to FILE at the end; - is stdout",
		to:    func(o *options) any { return &o.json },
	},
	{
		group: groupOutput, name: "ui", arg: "ADDR",
		words: `serve a live page at ADDR while the jobs run
ADDR is PORT or HOST:PORT; port 0 is any that is free. Without HOST only this machine reaches it. Everybody who reaches it may look. Two addresses are printed: the second one, which cannot be guessed, also lets the limit be set.`,
		to: func(o *options) any { return &o.ui },
	},
	{
		group: groupEnviron, name: "config", arg: "FILE",
		words: "read settings from FILE instead; '' reads none",
		to:    func(o *options) any { return &o.config },
	},

	{
		group: groupFailure, name: "retries", arg: "N",
		words: `try a job that fails up to N times in all; 0 for as many as it takes
The output of the last try counts. Before each try is a pause, from 10 ms, doubled up to 1 s.`,
		to: func(o *options) any { return &o.retries },
	},
	{
		group: groupFailure, name: "timeout", arg: "TIME",
		words: `end jobs that run longer than TIME; they fail
TIME is 10, 0.5s, 2m, 1d, or a percentage of the median run time of the jobs that succeeded, such as 300%, but at least 1 s. They get TERM and, after the grace, KILL.`,
		to: func(o *options) any { return &o.timeout },
	},
	{
		group: groupFailure, name: "halt", arg: "WHEN",
		words: `end the run early: soon,fail=N, now,fail=N%, soon,success=N, now,done=N
soon lets the running jobs finish, now ends them; % is of all jobs. never is the default.`,
		to: func(o *options) any { return &o.halt },
		choices: func() []string {
			return []string{"never\trun all jobs", "soon,fail=1\tstart no more after a failure", "now,fail=1\tend all at a failure", "soon,fail=10%\tstart no more when a tenth failed", "now,success=1\tend all at a success"}
		},
	},
	{
		group: groupFailure, name: "joblog", arg: "FILE", bound: true,
		words: `log each job that has finished to FILE, in the columns of GNU parallel
A file that is there is overwritten, unless its name is written as +FILE or the run is resumed.`,
		to: func(o *options) any { return &o.joblog },
	},
	{
		group: groupFailure, name: "resume", bound: true,
		words: `leave out the jobs that the joblog holds
The input and the command must be the same as then. Jobs that were running when the run was ended run again.`,
		to: func(o *options) any { return &o.resume },
	},
	{
		group: groupFailure, name: "resume-failed", bound: true,
		words: "as --resume, but run the jobs that failed again",
		to:    func(o *options) any { return &o.resumeFailed },
	},

	{
		group: groupEnding, name: "grace", arg: "TIME",
		words: "from the first INT or TERM to KILL (default 5s)",
		to:    func(o *options) any { return &o.grace },
	},
}

// flagOf returns the flag of a name or of another spelling, or nil.
func flagOf(name string) *flag {
	for i := range flags {
		if slices.Contains(flags[i].names(), name) {
			return &flags[i]
		}
	}
	return nil
}

// A note is a line of the help beside the flags: a term and what it means, or a
// paragraph if it has no term.
type note struct{ term, words string }

// notes stand below the flags of their group.
var notes = [groups][]note{
	groupNumber: {
		{"USR1, USR2", "one job more, or fewer, at a time, by hand from then on"},
	},
	groupInput: {
		{"::: VALUES", "values, one word each. After a second ::: come those that each is combined with; the last list changes fastest"},
		{":::: FILES", "files of values; - is stdin. Each file is a list, as with :::"},
		{":::+ and ::::+", "a list that goes along with the one before, up to the end of the shorter one"},
		{"", "Empty lines are skipped."},
	},
	groupCommand: {
		{"{}", "the value: a/b.tar.gz"},
		{"{.}", "without the extension: a/b.tar"},
		{"{/}", "without the directory: b.tar.gz"},
		{"{//}", "its directory: a"},
		{"{/.}", "without both: b.tar"},
		{"{#}", "the number of the job: 1, 2, ..."},
		{"{%}", "the number of the place in which it runs, from 1 to the most jobs at a time"},
		{"{2} {2/.}", "the second value of a job that has several, and so on; {-1} is the last one"},
		{"", "Where a job has several values, {} is all of them, as separate words. Without any of these the values become the last arguments. The command is executed without a shell: values are never interpreted. One that begins with - may look like an option to it: write -- {}."},
	},
	groupOutput: {
		{"", "Each job's stdout goes to stdout in one piece, its stderr to stderr. Which jobs failed, and how, is said at the end."},
	},
	groupEnding: {
		{"INT, TERM", "start nothing more, send TERM to all jobs with their processes; after the grace, or at a second INT or TERM, KILL"},
		{"HUP", "start nothing more, let the running jobs finish"},
		{"kill -9", "ends the jobs, too"},
	},
	groupExit: {
		{"0", "all jobs succeeded"},
		{"1-100", "so many jobs failed; with --halt fail=1 that of the job, with fail=N% the percentage"},
		{"101", "more than 100 jobs failed"},
		{"129 to 131, 143", "ended by HUP, INT, QUIT, TERM"},
		{"141", "nobody reads the output any more"},
		{"255", "another error, such as a bad flag"},
	},
	groupEnviron: {
		{"SWEETSPOT_RUN_*", "the settings of flags that are not given: SWEETSPOT_RUN_KEEP_ORDER=true is --keep-order; then come those in sweetspot/run.conf in XDG_CONFIG_HOME (~/.config), in lines such as \"keep-order = true\""},
		{"of a job", "SWEETSPOT_SEQ, PARALLEL_SEQ: its number; SWEETSPOT_SLOT, PARALLEL_JOBSLOT: the lowest number from 1 that no other running job has. stdin is /dev/null without --pipe."},
		{"TMPDIR", "where output waits until it is printed"},
		{"NO_COLOR", "no colour in the status line, which only a terminal sees; TERM=dumb: no line"},
	},
}

// summary returns the first line of the words.
func (f *flag) summary() string {
	first, _, _ := strings.Cut(f.words, "\n")
	return first
}

// names returns the long names.
func (f *flag) names() []string {
	names := []string{f.name}
	for _, s := range f.also {
		names = append(names, s.name)
	}
	return names
}

// register adds the flag, by all its spellings, to set.
func (f *flag) register(set *pflag.FlagSet, o *options) {
	to := f.to(o)
	for _, s := range slices.Insert(slices.Clone(f.also), 0, spelling{f.name, f.short}) {
		switch v := to.(type) {
		case *bool:
			set.VarPF((*switchFlag)(v), s.name, s.short, f.summary()).NoOptDefVal = "true"
		case *string:
			set.StringVarP(v, s.name, s.short, *v, f.summary())
		case *int:
			set.VarP((*countFlag)(v), s.name, s.short, f.summary())
		case pflag.Value:
			set.VarP(v, s.name, s.short, f.summary())
		default:
			panic(fmt.Sprintf("sweetspot: the flag --%s goes to a %T, want *bool, *string, *int or a pflag.Value", f.name, to))
		}
	}
}

// given reports whether the flag is on the command line, by any spelling.
func (f *flag) given(set *pflag.FlagSet) bool {
	return slices.ContainsFunc(f.names(), set.Changed)
}

// A switchFlag is on or off.
type switchFlag bool

// Set implements pflag.Value. A flag that stands alone is set to "true".
func (b *switchFlag) Set(s string) error {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		*b = true
	case "false", "no", "off", "0":
		*b = false
	default:
		return fmt.Errorf("%q is neither true nor false", s)
	}
	return nil
}

func (b *switchFlag) String() string   { return strconv.FormatBool(bool(*b)) }
func (b *switchFlag) Type() string     { return "bool" }
func (b *switchFlag) IsBoolFlag() bool { return true }

// A countFlag is a number from 1 upwards; 0 is that of a flag not given.
type countFlag int

// Set implements pflag.Value.
func (c *countFlag) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is no number: want 1 or more, at most %d", s, 1<<31-1)
	}
	*c = countFlag(n)
	return nil
}

func (c *countFlag) String() string { return strconv.Itoa(int(*c)) }
func (c *countFlag) Type() string   { return "N" }
