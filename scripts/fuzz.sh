#!/usr/bin/env bash
# Runs every fuzz test of the module in the current directory for a while.
#
#   scripts/fuzz.sh 10000x
#
# A number of runs rather than a time: up to Go 1.26 the end of a time can fail
# a fuzz test that found nothing ("context deadline exceeded", golang/go#75804).
#
# The time to shorten an input that reached new code is bounded: it defaults to
# a minute for each, so that a short run would do nothing else.
#
# What is looked for are inputs that reach new code of ours. go test -fuzz counts the
# code of all others as well, for which it compiles them anew and runs half as fast.
set -euo pipefail
runs=${1:?how often, such as 10000x}

program=$(mktemp)
trap 'rm -f "$program"' EXIT
ours=github.com/sweetspot-go/sweetspot
found=$(go env GOCACHE)/fuzz # where go test -fuzz keeps the inputs that reached new code

# names prints the fuzz tests in files.
names() {
	sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$@"
}

files='{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{range .TestGoFiles}} {{.}}{{end}}{{range .XTestGoFiles}} {{.}}{{end}}{{end}}'
go list -f "$files" ./... | while read -r package dir files; do
	cd "$dir"
	tests=$(names $files)
	[[ -n $tests ]] || continue
	go test -c -gcflags="$ours...=-d=libfuzzer" -o "$program" "$package" # once for all of the package
	for name in $tests; do
		echo "$name in $package $runs"
		"$program" -test.run '^$' -test.fuzz "^$name\$" -test.fuzztime "$runs" -test.fuzzminimizetime 20x \
			-test.fuzzcachedir "$found/$package" </dev/null
	done
done
