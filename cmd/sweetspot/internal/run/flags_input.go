package run

// inputFlags say where the values come from, and what a job gets of them.
var inputFlags = []flag{
	{
		group: groupInput, name: "arg-file", short: "a", arg: "FILE", bound: true, brief: true,
		words: "read the values from FILE; - is stdin\nIf repeated, the lists are combined, as with :::.",
		to:    func(o *options) any { return o.addFile },
	},
	{
		group: groupInput, name: "null", short: "0", bound: true, brief: true,
		words: "values end in NUL instead of a newline",
		to:    func(o *options) any { return &o.nul },
	},
	{
		group: groupInput, name: "delimiter", short: "d", arg: "TEXT", bound: true,
		words: `values end in TEXT instead of a newline
TEXT may have the escapes of C, such as \t and \0. Empty values count. A newline at the end of the file belongs to the last value.`,
		to: func(o *options) any { return into(&o.delimiter, parseDelimiter) },
	},
	{
		group: groupInput, name: "max-args", short: "n", arg: "N", bound: true, brief: true,
		words: `give each job N values; the last one gets the rest
Fewer, if N would make the command longer than 128 KiB. With 0 the jobs get no values, and the list only says how many there are.`,
		to: func(o *options) any { return into(&o.args, orNone("values", "a job without them")) },
	},
	{
		group: groupInput, name: "max-lines", short: "L", arg: "N", bound: true,
		words: `give each job N lines
As -n, but a line that ends in a blank continues on the next, blank lines do not count, and a word with {} is repeated for each line.`,
		to: func(o *options) any { return &o.lines },
	},
	{
		group: groupInput, name: "fill", short: "m", bound: true, also: []spelling{{"xargs", ""}},
		words: "give each job as many values as fit into a command of 128 KiB",
		to:    func(o *options) any { return &o.fill },
	},
	{
		group: groupInput, name: "context", short: "X", bound: true,
		words: `as -m, but repeat the word with {} for each value
-n bounds the number of values.`,
		to: func(o *options) any { return &o.repeat },
	},
	{
		group: groupInput, name: "colsep", short: "C", arg: "REGEXP", bound: true, brief: true,
		words: `split each line at REGEXP into columns, {1}, {2} and so on
An empty column is an empty value. The syntax is that of Go.`,
		to:      func(o *options) any { return into(&o.colsep, parseText) },
		choices: []string{",\tcomma", `\t` + "\ttab", "' +'\tblanks"},
	},
	{
		group: groupInput, name: "csv", bound: true, brief: true,
		words: `split CSV records into columns, {1}, {2} and so on
A quoted field may hold commas and newlines. --colsep is the separator instead of the comma, as one character.`,
		to: func(o *options) any { return &o.csv },
	},
	{
		group: groupInput, name: "header", arg: ":", bound: true, brief: true,
		words: `the first line of each list names its columns: {name}, {name/.} and so on
Without columns it names the values of the list.`,
		to: func(o *options) any { return into(&o.header, parseHeader) },
	},
	{
		group: groupInput, name: "shuf", bound: true,
		words: "run the jobs in random order\nAll values are read before the first job starts, up to 256 MiB.",
		to:    func(o *options) any { return &o.shuffle },
	},
	{
		group: groupInput, name: "longest-first", arg: "BY", bound: true,
		words: `run the longest jobs first: BY is size, of their files, or a joblog
The size is that of the files that the values name. The last jobs then are short, and the run ends sooner. Jobs that the joblog of an earlier run does not have go first, values that name no file last. All values are read before the first job starts, up to 256 MiB.`,
		to:      func(o *options) any { return o.longest.Set },
		choices: []string{"size\tof the files that the values name"},
	},
	{
		group: groupInput, name: "until", short: "E", arg: "VALUE", bound: true,
		words: "a list ends at VALUE",
		to:    func(o *options) any { return &o.until },
	},
	{
		group: groupInput, name: "total-jobs", arg: "N", bound: true, also: []spelling{{"total", ""}},
		words: "there will be N jobs: for the time left and --halt N% while a pipe is read",
		to:    func(o *options) any { return &o.total },
	},
	{
		group: groupInput, name: "trim", arg: "ENDS", bound: true,
		words:   "remove white space from values: at the left (l), right (r), both ends (lr)\nn removes none. The default is lr for columns and n otherwise.",
		to:      func(o *options) any { return o.trim.Set },
		choices: []string{"n\tnone", "l\tleft", "r\tright", "lr\tboth"},
	},
	{
		group: groupInput, name: "link", bound: true, also: []spelling{{"xapply", ""}},
		words: `combine the first values of all lists, then the second ones, and so on
Without it, jobs run for all combinations. A shorter list starts again until the longest ends.`,
		to: func(o *options) any { return &o.link },
	},
	{
		group: groupInput, name: "pipe", bound: true, also: []spelling{{"spreadstdin", ""}}, brief: true,
		words: `cut stdin, or the file of -a, into blocks for the stdin of the jobs
A block is whole records, at most --block long unless one record is longer. The jobs have no values.`,
		to: func(o *options) any { return &o.pipe },
	},
	{
		group: groupInput, name: "block", arg: "SIZE", bound: true, also: []spelling{{"block-size", ""}},
		words:   "with --pipe, the longest block: 500, 64K, 10M, 1G (default 1M)",
		to:      func(o *options) any { return into(&o.block, parseBlock) },
		choices: []string{"64K", "1M\tthe default", "10M", "100M"},
	},
	{
		group: groupInput, name: "max-replace-args", short: "N", arg: "N", bound: true,
		words: "with --pipe, give each job N records; otherwise as -n",
		to:    func(o *options) any { return &o.records },
	},
	{
		group: groupInput, name: "recend", arg: "TEXT", bound: true,
		words: `with --pipe, a record ends after TEXT (default \n; -0 for NUL)
With --recstart, only where that follows. '' for both cuts anywhere.`,
		to: func(o *options) any { return into(&o.end, parseRecordText) },
	},
	{
		group: groupInput, name: "recstart", arg: "TEXT", bound: true,
		words: "with --pipe, a record starts with TEXT and ends where the next one starts",
		to:    func(o *options) any { return into(&o.start, parseRecordText) },
	},
	{
		group: groupInput, name: "no-run-if-empty", short: "r",
		words: "accepted for xargs: empty input never runs anything",
		to:    func(*options) any { return new(bool) },
	},
}
