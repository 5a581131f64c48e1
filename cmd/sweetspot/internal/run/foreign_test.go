package run_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/usage"
)

// options are all of GNU xargs 4.9.0 (xargs --help) and of GNU parallel 20221122 (its function
// options_completion_hash), each with its other spellings, and what becomes of it here; and what
// other tools call -j. An argument is that of the first spelling.
var options = map[string][]string{
	"does the same": {
		// xargs
		"0|null", "a|arg-file=f", "d|delimiter=,", "E=x", "I=%", "L=2", "max-lines=2", "n|max-args=2", "P|max-procs=2",
		"r|no-run-if-empty", "t|verbose", "replace=%", "help",
		// parallel
		"xargs", "m", "X", "v", "joblog|jl=f", "results|result|res=d", "resume", "resume-failed|resumefailed",
		"keep-order|keeporder|k", "ungroup|u", "line-buffer|line-buffered|linebuffer|linebuffered|lb", "jobs|j=2", "delay=1",
		"load=50%", "nice=5", "tag", "dry-run|dryrun|dr", "total-jobs|totaljobs|total=9", "shuf", "trim=lr", "link|xapply",
		"halt-on-error|haltonerror|halt=now,fail=1", "memfree=1G", "retries=3", "timeout=10", "maxprocs=2", "argfile=f",
		"norunifempty", "maxargs=2", "max-replace-args|maxreplaceargs|N=2", "col-sep|colsep|C=,", "csv", "h", "maxlines=2",
		"pipe|spreadstdin", "recstart=x", "recend=x", "block-size|blocksize|block=1M", "header=:",
	},
	"changes nothing": {
		"silent", "group", "quote|q", "noswap", "color|colour", "progress", "eta", "bar", "env=V", "gnu",
		"color-failed|colour-failed|colorfailed|colourfailed|color-fail|colour-fail|colorfail|colourfail|cf",
		"will-cite|willcite|nn|nonotice|no-notice",
	},
	"is answered": {
		// xargs
		"e|eof", "i", "l", "o|open-tty", "p|interactive", "process-slot-var=V", "s|max-chars=9", "show-limits", "x|exit", "V",
		// parallel
		"debug|D=x", "sql=s", "sql-master|sqlmaster=s", "sql-worker|sqlworker=s", "sql-and-worker|sqlandworker=s",
		"retry-failed|retryfailed", "no-keep-order|nokeeporder|nok|no-k", "g", "latest-line|latestline|ll", "tmux",
		"tmux-pane|tmuxpane", "parens=s", "rpl=s", "plus", "extensionreplace|er=s", "U=s", "basenamereplace|bnr=s",
		"dirnamereplace|dnr=s", "basenameextensionreplace|bner=s", "seqreplace=s", "slotreplace=s", "ssh-delay|sshdelay=1",
		"max-line-length-allowed|maxlinelengthallowed", "number-of-cpus|numberofcpus", "number-of-sockets|numberofsockets",
		"number-of-cores|numberofcores", "number-of-threads|numberofthreads",
		"use-sockets-instead-of-threads|usesocketsinsteadofthreads", "use-cores-instead-of-threads|usecoresinsteadofthreads",
		"use-cpus-instead-of-cores|usecpusinsteadofcores", "shell-quote|shellquote|shell_quote", "tag-string|tagstring=s", "ctag",
		"ctag-string|ctagstring=s", "onall", "nonall", "filter-hosts|filterhosts|filter-host", "sshlogin|S=s",
		"sshloginfile|slf=s", "controlmaster|M", "ssh=s", "transfer-file|transferfile|transfer-files|transferfiles|tf=s",
		"return=s", "trc=s", "transfer", "cleanup", "basefile|bf=s", "template|tmpl=s", "B=s", "ctrl-c|ctrlc",
		"no-ctrl-c|no-ctrlc|noctrlc", "work-dir|workdir|wd=s", "W=s", "rsync-opts|rsyncopts=s", "tmpdir|tempdir=s",
		"use-compress-program|compress-program|usecompressprogram|compressprogram=s",
		"use-decompress-program|decompress-program|usedecompressprogram|decompressprogram=s", "compress", "tty", "T", "H=1",
		"arg-sep|argsep=s", "arg-file-sep|argfilesep=s", "recordenv|record-env", "session", "plain", "profile|J=s", "tollef",
		"linkinputsource|xapplyinputsource=1", "bibtex|citation", "limit=s", "memsuspend=1G", "term-seq|termseq=s",
		"processslotvar=V", "version", "min-version|minversion=1", "showlimits", "maxchars=9", "semaphore",
		"semaphore-timeout|semaphoretimeout|st=1", "semaphore-name|semaphorename|id=s", "fg", "bg", "wait", "shebang|hashbang",
		"shebang-wrap", "_pipe-means-argfiles", "Y", "skip-first-line|skipfirstline", "bug", "round-robin|roundrobin|round",
		"regexp|regex", "remove-rec-sep|removerecsep|rrs", "output-as-files|outputasfiles|files",
		"block-timeout|blocktimeout|bt=1", "cat", "fifo", "pipe-part|pipepart", "tee", "shard=s", "bin=s",
		"group-by|groupby=s", "hgrp|hostgrp|hostgroup|hostgroups", "embed", "filter=s", "_parset=s",
		"shell-completion|shellcompletion=s", "_test=s",
		// others
		"threads=4", "workers=4", "concurrency=4", "parallel=4",
	},
}

// Every option of xargs and of GNU parallel does the same, changes nothing, or is answered by
// what does the same here.
func TestOptionsOfOthers(t *testing.T) {
	ignored := run.Ignored()
	for becomes, all := range options {
		for _, o := range all {
			names, value, valued := strings.Cut(o, "=")
			for name := range strings.SplitSeq(names, "|") {
				word := "--" + name
				if len(name) == 1 {
					word = "-" + name
				}
				args := []string{word}
				if valued {
					args = append(args, value)
				}
				c := run.Command()
				usage.Install(c)
				err := c.ParseFlags(args)
				refusal, answered := errors.AsType[usage.Refusal](err)
				switch {
				case answered != (becomes == "is answered") || !answered && err != nil:
					t.Errorf("%s: %v, and it %s", args, err, becomes)
				case answered && !strings.HasPrefix(refusal.Error(), "there is no -"):
					t.Errorf("%s: %v", args, err)
				case ignored(name) != (becomes == "changes nothing"):
					t.Errorf("%s is ignored: %v, and it %s", args, ignored(name), becomes)
				case !answered && c.Flags().NArg() > 0:
					t.Errorf("%s leaves %s", args, c.Flags().Args())
				}
			}
		}
	}
}

// docs/run.md has the answers as a table.
func TestOptionsOfOthersInDocs(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/run.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, accepted := range []bool{true, false} {
		if table := run.ForeignTable(accepted); !strings.Contains(string(page), table) {
			t.Errorf("docs/run.md wants\n%s", table)
		}
	}
}
