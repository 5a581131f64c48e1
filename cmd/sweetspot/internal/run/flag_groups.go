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
	"How many at a time", "Input", "Command", "Output", "Failed jobs, and going on", "Ending", "Exit status", "Environment",
}

// A note is a line of the help beside the flags: a term and what it means, or a
// paragraph if it has no term.
type note struct{ term, words string }

// notes stand below the flags of their group.
var notes = [groups][]note{
	groupNumber: {
		{"USR1, USR2", "one job more, or fewer, at a time, manually from then on"},
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
		{"{##}", "how many jobs there are; all values are read before the first job starts"},
		{"{2} {2/.}", "the second value of a job that has several, and so on; {-1} is the last one"},
		{"", "Where a job has several values, {} is all of them, as separate words. Without any of these the values become the last arguments. The command is executed without a shell: values are never interpreted. One that begins with - may look like an option to it: write -- {}."},
	},
	groupOutput: {
		{"", "Each job's stdout goes to stdout in one piece, its stderr to stderr. Which jobs failed, how, and the last line of their stderr, is said at the end."},
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
