package run

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
	"How many at a time", "Input", "Command", "Output", "Failures and resuming", "Ending", "Exit status", "Environment",
}

// A note is a line of the help beside the flags: a term and what it means, or a
// paragraph if it has no term.
type note struct{ term, words string }

// notes stand below the flags of their group.
var notes = [groups][]note{
	groupNumber: {
		{"USR1, USR2", "one job more or fewer at a time; from then on the number is set by hand"},
	},
	groupInput: {
		{"::: VALUES", "values, one word each. A second ::: starts another list: jobs run for all combinations, and the last list changes fastest"},
		{":::: FILES", "files of values; - is stdin. Each file is one list"},
		{":::+ and ::::+", "a list whose values go with those of the list before, up to the end of the shorter one"},
		{"", "Empty lines are skipped."},
	},
	groupCommand: {
		{"{}", "the value: a/b.tar.gz"},
		{"{.}", "without the extension: a/b.tar"},
		{"{/}", "without the directory: b.tar.gz"},
		{"{//}", "its directory: a"},
		{"{/.}", "without both: b.tar"},
		{"{#}", "the number of the job: 1, 2, ..."},
		{"{%}", "the number of its slot: the lowest, from 1, that no other running job has"},
		{"{##}", "the number of jobs; the whole input is read before the first one starts"},
		{"{2} {2/.}", "of a job with several values: the second; {-1} is the last"},
		{"", "If a job has several values, {} is all of them, as separate words. A command without placeholders gets the values as its last arguments. No shell is involved, so values are never interpreted. A value that begins with - may look like an option to the command: write -- {}."},
	},
	groupOutput: {
		{"", "Each job's stdout goes to stdout in one piece, its stderr to stderr. At the end the failed jobs are listed, and how they failed; the first five with the last line of their stderr."},
	},
	groupEnding: {
		{"INT, TERM", "start no more jobs and send TERM to all processes of all jobs; after --grace, or at a second INT or TERM, KILL"},
		{"HUP", "start no more jobs, let the running ones finish"},
		{"kill -9", "also ends the jobs"},
	},
	groupExit: {
		{"0", "all jobs succeeded, or --halt success=N ended the run"},
		{"1-100", "the number of jobs that failed; with --halt fail=1 the status of the job, with fail=N% the percentage"},
		{"101", "more than 100 jobs failed"},
		{"129 to 131, 143", "ended by HUP, INT, QUIT, TERM"},
		{"141", "the reader of the output has closed it"},
		{"255", "another error, such as an unknown flag"},
	},
	groupEnviron: {
		{"SWEETSPOT_RUN_*", "defaults for flags: SWEETSPOT_RUN_KEEP_ORDER=true is --keep-order. Then come the lines of sweetspot/run.conf in XDG_CONFIG_HOME (~/.config), such as \"keep-order = true\""},
		{"of a job", "SWEETSPOT_SEQ, PARALLEL_SEQ: its number; SWEETSPOT_SLOT, PARALLEL_JOBSLOT: the lowest number from 1 that no other running job has. stdin is /dev/null without --pipe."},
		{"TMPDIR", "where output waits until it is printed: /tmp, or /var/tmp where /tmp is in memory. On Linux, sweetspot-PID-*/SEQ.stdout and SEQ.stderr in it are what a job has written that has run for a second, for tail -f"},
		{"NO_COLOR", "no colour in the status line; TERM=dumb: no status line"},
	},
}
