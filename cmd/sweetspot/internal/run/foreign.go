package run

import (
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/usage"
)

// A foreign flag is one that another tool has, and run has not.
type foreign struct {
	names string // without dashes; one letter is a short flag
	arg   bool   // it takes an argument
	// here says what does the same here: the answer to the flag. A flag that changes nothing
	// here is accepted.
	here     string
	accepted bool
}

// foreignJobs is answered by all commands that have -j.
var foreignJobs = foreign{"threads workers concurrency parallel", true, "want -j N; without -j the number is found by measuring", false}

// foreigners are all flags of GNU xargs 4.9.0 and GNU parallel 20221122 that are not in
// [flags], and what other tools call -j. A test compares with the lists of both.
var foreigners = []foreign{
	{"bar eta progress", false, "the status line on a terminal shows what is done and when it will end", true},
	{"will-cite no-notice nn", false, "there is no notice to silence", true},
	{"gnu", false, "there is one mode", true},
	{"group silent", false, "this is the default; --line-buffer=false and --verbose=false take a setting back", true},
	{"quote q", false, "words are quoted: no shell reads them without -c", true},
	{"env", true, "jobs have the whole environment", true},
	{"color color-failed colour colour-failed color-fail colour-fail cf", false, "output has the colours that the jobs give it", true},
	{"noswap", false, "automatic -j starts what the memory holds; --memfree SIZE keeps some free", true},

	foreignJobs,
	{"interactive p", false, "--dry-run prints the commands, to look at them first", false},
	{"max-chars s", true, "a command has at most 128 KiB; -n N gives each job N values", false},
	{"exit x", false, "a job gets fewer than N values where they do not fit into 128 KiB", false},
	{"eof e", false, "want -E VALUE; without it no value ends the list", false},
	{"l", false, "want -L N", false},
	{"i", false, "want -I STR; without it {} is the value", false},
	{"open-tty o tty", false, "jobs have no terminal; for one that asks there is xargs -o", false},
	{"process-slot-var", true, "$SWEETSPOT_SLOT is the number of the slot, from 1; so is {%}", false},
	{"show-limits max-line-length-allowed", false, "a command has at most 128 KiB", false},
	{"version V min-version", false, "sweetspot --version prints it", false},

	{"sshlogin S sshloginfile slf ssh ssh-delay onall nonall controlmaster M filter-hosts filter-host hgrp hostgrp hostgroup hostgroups", true,
		"sweetspot queue runs jobs on several machines", false},
	{"transfer-file transfer-files tf return trc transfer cleanup basefile bf rsync-opts", true, "sweetspot queue runs jobs on several machines, and brings back what they print; files are up to the jobs", false},
	{"sql sql-master sql-worker sql-and-worker", true, "sweetspot queue keeps jobs and results", false},
	{"semaphore semaphore-name id semaphore-timeout st fg bg wait", true, "flock(1) runs one command at a time", false},
	{"limit", true, "-j FILE is read again while the jobs run", false},
	{"memsuspend", true, "automatic -j suspends jobs while memory is short (--suspend); --memfree SIZE holds starts back", false},
	{"term-seq", true, "--grace TIME is from TERM to KILL", false},
	{"use-sockets-instead-of-threads use-cores-instead-of-threads use-cpus-instead-of-cores", false, "-j N is a number, -j 50% half of the CPUs", false},
	{"number-of-cpus number-of-cores number-of-sockets number-of-threads", false, "nproc(1) prints it", false},
	{"retry-failed", false, "--resume-failed, with the same list and command", false},
	{"no-keep-order no-k", false, "--keep-order=false takes a setting back", false},
	{"plain", false, "--config '' reads no settings", false},
	{"profile J", true, "--config FILE reads settings", false},

	{"ctag ctag-string tag-string", true, "--tag begins lines with the value", false},
	{"latest-line ll", false, "--line-buffer prints lines as they come", false},
	{"tmux tmux-pane", false, "--tag --line-buffer shows what each job prints as it comes", false},
	{"output-as-files files", false, "--results DIR keeps the outputs in files", false},
	{"compress compress-program use-compress-program decompress-program use-decompress-program", false, "TMPDIR=DIR says where output waits", false},
	{"tmpdir tempdir", true, "TMPDIR=DIR says where output waits", false},
	{"work-dir wd", true, "want cd DIR before, or -c 'cd DIR && ...'", false},
	{"shell-quote", false, "--dry-run prints commands quoted", false},
	{"debug D bug", false, "--explain and -v say what was done", false},

	{"rpl parens plus extensionreplace er basenamereplace bnr dirnamereplace dnr basenameextensionreplace bner seqreplace slotreplace", true,
		"placeholders are fixed but for -I; in a line of -c the shell has more, such as ${1%.*}", false},
	{"arg-sep arg-file-sep", true, "lists follow ::: and ::::; -a FILE is one, too", false},
	{"link-input-source xapply-input-source", true, "a list after :::+ goes along with the one before", false},
	{"filter", true, "filter the list before, with grep or awk", false},
	{"skip-first-line", false, "tail -n +2 takes the first line away; --header names columns by it", false},
	{"template tmpl", true, "write the file in the command, with -c", false},
	{"embed shebang shebang-wrap hashbang", false, "in a script, want sweetspot run -a FILE", false},

	{"pipe-part", false, "--pipe -a FILE cuts a file", false},
	{"round-robin round", false, "--pipe starts a job for each block; a larger --block means fewer", false},
	{"cat fifo", false, "the block is the file on stdin of the job: -c 'COMMAND /dev/stdin'", false},
	{"tee", false, "each job can read the file by itself: -c 'COMMAND <FILE'", false},
	{"shard bin group-by", true, "sort and split the input before", false},
	{"block-timeout bt", true, "a block is passed on when it is full, or at the end", false},
	{"remove-rec-sep rrs", false, "separators stay in the block", false},
	{"regexp regex", false, "--recend and --recstart are texts", false},

	{"record-env session _parset", false, "jobs have the whole environment", false},
	{"shell-completion", true, "sweetspot completion SHELL writes it", false},
	{"bibtex citation tollef g B W T H U Y ctrl-c no-ctrl-c _test _pipe-means-argfiles", false, "it is internal or retired there, too", false},
}

// registerForeign adds flags that only others have.
func registerForeign(set *pflag.FlagSet, all ...foreign) {
	for _, f := range all {
		for name := range strings.FieldsSeq(f.names) {
			var v pflag.Value = &flagValue{read: func(string) error { return nil }}
			if !f.accepted {
				v = usage.Refusal(fmt.Sprintf("there is no %s: %s", dashed(name), f.here))
			}
			usage.Hide(set, v, name, f.arg && f.accepted)
		}
	}
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// normalized returns the name of a flag in one of its spellings: GNU parallel takes
// --keeporder and --keep_order, too.
func normalized(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if known, ok := spellings()[squeezed(name)]; ok {
		name = known
	}
	return pflag.NormalizedName(name)
}

var spellings = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for i := range flags {
		for _, name := range flags[i].names() {
			all[squeezed(name)] = name
		}
	}
	for _, f := range foreigners {
		for name := range strings.FieldsSeq(f.names) {
			all[squeezed(name)] = name
		}
	}
	return all
})

var squeeze = strings.NewReplacer("-", "", "_", "")

func squeezed(name string) string { return squeeze.Replace(name) }
