#!/usr/bin/env bash
# Has sweetspot diagnose look at the benchmarks of drawn.txt, and prints the first cause of
# each: a line with its number, the module, the benchmark, the cause and its place, with
# tabs between. read.txt has what these were found to be.
#
#   scripts/causes/causes.sh DIR [NUMBER...]
#
# The reports stay in DIR, and all profiles and traces. SWEETSPOT is the program; it is
# bin/sweetspot if that is not set. Half a minute for each, and 5 minutes at most.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mkdir -p "${1:?a directory for the reports}" && cd "$1" && pwd)
shift
sweetspot=$(realpath "${SWEETSPOT:-bin/sweetspot}")
export GOWORK=off GOFLAGS=-mod=mod GOTOOLCHAIN=local

number=0
while read -r module version package name <&3; do
	number=$((number + 1))
	[[ $# == 0 || " $* " == *" $number "* ]] || continue
	work=$out/work/${module//\//_}
	if [[ ! -d $work ]]; then # a copy, since some benchmarks write beside their files
		mkdir -p "$out/work"
		cp -R "$(cd "$out" && go mod download -json "$module@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')" "$work"
		chmod -R u+w "$work"
		[[ -f $work/go.mod ]] || (cd "$work" && go mod init "$module" && go mod tidy) >/dev/null 2>&1
	fi
	report=$out/$number
	rm -rf "$report" && mkdir -p "$report"
	pattern=$(sed 's/[][().*+?|{}^$\\]/\\&/g; s|/|$/^|g' <<<"$name")
	(cd "$work" && timeout -s TERM 300 "$sweetspot" diagnose --bench "^$pattern\$" --keep "$report/kept" --json "$report/report.json" \
		--html "$report/report.html" "./$package") >"$report/report.txt" 2>"$report/errors.txt" || true
	cause=$(grep -m 1 -A 1 '^  1\. ' "$report/report.txt" | sed 's/^ *//' | paste -sd '\t') ||
		cause=$(grep -m 1 'nothing to fix' "$report/report.txt" || tail -1 "$report/errors.txt")
	printf '%d\t%s\t%s\t%s\n' "$number" "$module" "$name" "$cause"
done 3<"$here/drawn.txt"
