#!/usr/bin/env bash
# Shows `sweetspot run` at work: it hashes the Go files of the installed toolchain, and then
# runs commands that only wait, with fixed numbers of jobs at a time and with the automatic one.
#
#	scripts/demo.sh bin/sweetspot
set -euo pipefail
sweetspot=$1
cpus=$(getconf _NPROCESSORS_ONLN)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Without what an earlier run has learnt: it shows how a number is found.
# measure NUMBER JOBS COMMAND... runs the first JOBS lines of $work/input and prints the rate.
measure() {
	local j=$1 n=$2 began=$EPOCHREALTIME
	shift 2
	head -n "$n" "$work/input" | "$sweetspot" run -j "$j" --learn=false --explain -- "$@" >"$work/output" 2>"$work/explain"
	awk -v j="$j" -v n="$n" -v began="$began" -v now="$EPOCHREALTIME" \
		'BEGIN { printf "  -j %-5s %6d jobs %7.1f s %8.0f jobs/s\n", j, n, now - began, n / (now - began) }'
}

explain() {
	echo "  how the automatic number was found:"
	sed 's/^/  | /' "$work/explain"
}

hash=(sha256sum)
command -v sha256sum >/dev/null || hash=(shasum -a 256)
find "$(go env GOROOT)/src" -name '*.go' -type f >"$work/input"
files=$(wc -l <"$work/input")
tr '\n' '\0' <"$work/input" | xargs -0 "${hash[@]}" | sort >"$work/want" # also fills the page cache
echo "Hashing Go files (CPU-bound)"
for j in 1 "$cpus" $((8 * cpus)); do
	measure "$j" $((files / 3)) "${hash[@]}" {} # enough to know the rate of a fixed number
done
measure auto "$files" "${hash[@]}" {}
sort "$work/output" | cmp - "$work/want"
echo "  checked: all digests are those of ${hash[*]}"
explain

echo "Waiting: each command is \`sleep 0.2\`"
seq $((2000 * cpus)) | sed "s/.*/0.2/" >"$work/input"
for j in 1 "$cpus" $((8 * cpus)); do
	measure "$j" $((20 * j)) sleep {}
done
measure auto $((2000 * cpus)) sleep {}
explain
