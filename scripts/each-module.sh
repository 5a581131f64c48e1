#!/usr/bin/env bash
# Runs a command in the directory of every module of this repository, and says
# where. All modules are walked, whatever go.work lists; the module tools/ is
# left out, as it holds no code of ours, and so is contrib/temporal/integration, which
# takes minutes to build: see make test-temporal. With --by-system, only modules with
# files for some systems, or that call a system: the others are the same on all.
#
#   scripts/each-module.sh go vet ./...
#   scripts/each-module.sh --by-system env GOOS=windows go build -o /dev/null ./...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

by_system=
if [[ ${1-} == --by-system ]]; then
	by_system=1
	shift
fi

# files prints the Go files of the module in a directory, without those of the
# modules inside it.
files() {
	find "$1" -mindepth 2 -name go.mod -printf '%h\n' | sed 's/$/\//' >"$inner"
	find "$1" -name '*.go' -not -path '*/testdata/*' | { grep -vFf "$inner" || true; }
}

# differs tells whether the module in a directory has files for some systems, by
# their names or by what they say above their package, or calls a system itself:
# each has calls that others have not.
differs() {
	local all
	all=$(files "$1")
	grep -qE '_(linux|darwin|windows|unix)(_test)?\.go$' <<<"$all" ||
		[[ -n $(xargs -r grep -lE '^//go:build .*(linux|darwin|windows|unix)|^(import)?[[:space:]]+([A-Za-z_.]+ )?"(syscall|golang\.org/x/sys/.*)"' <<<"$all") ]]
}

inner=$(mktemp)
trap 'rm -f "$inner"' EXIT
failed=()
while IFS= read -r file; do
	module=$(dirname "$file")
	if [[ -n $by_system ]] && ! differs "$module"; then
		continue
	fi
	echo "── $module: $*"
	(cd "$module" && "$@" </dev/null) || failed+=("$module")
done < <(find . -name go.mod -not -path './tools/*' -not -path './contrib/temporal/integration/*' -not -path '*/testdata/*' -not -path '*/node_modules/*' | sort)

if ((${#failed[@]})); then
	echo "failed in ${failed[*]}: $*" >&2
	exit 1
fi
