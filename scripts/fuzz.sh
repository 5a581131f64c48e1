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
set -euo pipefail
runs=${1:?how often, such as 10000x}

files='{{range .TestGoFiles}}{{$.ImportPath}} {{$.Dir}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$.ImportPath}} {{$.Dir}}/{{.}}{{"\n"}}{{end}}'
go list -f "$files" ./... | while read -r package file; do
	[[ -n $package ]] || continue
	sed -n "s#^func \(Fuzz[A-Za-z0-9_]*\)(.*#$package \1#p" "$file"
done | while read -r package name; do
	echo "$name in $package $runs"
	go test -run '^$' -fuzz "^$name\$" -fuzztime "$runs" -fuzzminimizetime 20x "$package" </dev/null
done
