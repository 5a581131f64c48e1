package run

// helpText is the help of "sweetspot run". Its first lines answer most
// questions; a test sees that it names every flag and fits 100 columns.
const helpText = `Run a command once for each value, as many at a time as serves best.

Usage:
  sweetspot run [flags] [--] COMMAND [ARGS...]                values are the lines of stdin
  sweetspot run [flags] [--] COMMAND [ARGS...] ::: VALUES...  values are given here
  sweetspot run [flags] -c 'SHELL LINE' [::: VALUES...]

Examples:
  ls *.wav | sweetspot run lame                           # the value is appended
  find . -name '*.png' -print0 | sweetspot run -0 optipng -quiet {}
  sweetspot run -a urls.txt curl -sSO {}                  # a file of values
  sweetspot run -c 'gzip -9 <{} >{}.gz' ::: *.log         # a shell line, safe for any name
  sweetspot run -k --explain sha256sum <files.txt         # in order; say what was found
  sweetspot run -j 4 ffmpeg -loglevel error -i {} {.}.mp4 ::: *.avi

How many at a time:
  -j, --jobs N      auto (default): found by measuring the jobs while they run
                    N, N% of the CPUs, CPUs +N or -N, 0 for as many as the machine allows
                    (also -P, --max-procs)
      --max N       with -j auto and -j 0, never more than N
      --law NAME    with -j auto, found by another published law, to compare: step,
                    dynamictarget, fixedtarget, aimd, vegas, gradient2, hillclimbing;
                    the default is search, and what each does is in the README of control

Input:
  -a, --arg-file F  read the values from the file F; - is stdin
  -0, --null        values end in NUL instead of a newline
                    Empty lines are skipped. Empty input runs nothing (-r is accepted).

Command:
  {}    the value                          a/b.tar.gz    {//}  its directory      a
  {.}   without the extension              a/b.tar       {/.}  both of {/} and {.}  b.tar
  {/}   without the directory              b.tar.gz      {#}   number of the job  1, 2, ...
                    Without any of them the value becomes the last argument.
                    The command is executed without a shell: values are never interpreted.
  -c, --shell LINE  run LINE with /bin/sh; the value is handed over as "$1", and {} becomes
                    "$1", so that no value can be read as shell text. The shell line is one
                    word; nothing is appended to it.
  -I, --replace STR write STR instead of {}

Output:
  -k, --keep-order  print in the order of the input, not of completion
                    Each job's stdout goes to stdout in one piece, its stderr to stderr.
  -v, --verbose     print each command to stderr before it starts (also -t)
      --dry-run     print the commands, run nothing
      --explain     say at the end, on stderr, why the number of jobs ended where it did
      --json F      write a summary to the file F at the end; - is stdout

Ending:
      --grace TIME  from the first INT or TERM to KILL (default 5s)
  INT, TERM         start nothing more, send TERM to all jobs with their processes; after the
                    grace, or at a second INT or TERM, KILL
  HUP               start nothing more, let the running jobs finish

Exit status:
  0                 all jobs succeeded        101      more than 100 jobs failed
  1-100             so many jobs failed       255      another error, such as a bad flag
  129, 130, 143     ended by HUP, INT, TERM   141      nobody reads the output any more

Environment:
  of a job          SWEETSPOT_SEQ, PARALLEL_SEQ: its number. stdin is /dev/null.
  TMPDIR            where output waits until it is printed
  NO_COLOR          no colour in the status line, which only a terminal sees; TERM=dumb: no line
`

// shortHelp is shown when there is nothing to run and nobody pipes anything.
const shortHelp = `Run a command once for each value, as many at a time as serves best.

  ls *.wav | sweetspot run lame                     values from stdin, one a line
  sweetspot run -a FILE COMMAND {}                  values from a file
  sweetspot run COMMAND {} ::: VALUES...            values given here
  sweetspot run -c 'gzip <{} >{}.gz' ::: *.log      a shell line, safe for any name

stdin is a terminal, so there are no values. See sweetspot run --help.
`
