#!/usr/bin/env bash
# Runs a command in the directory of every module of this repository, and says
# where. All modules are walked, whatever go.work lists; the module tools/ is
# left out, as it holds no code of ours, and so is contrib/temporal/integration, which
# takes minutes to build: see make test-temporal.
#
#   scripts/each-module.sh go mod tidy -diff
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed=()
while IFS= read -r file; do
	module=$(dirname "$file")
	echo "── $module: $*"
	(cd "$module" && "$@" </dev/null) || failed+=("$module")
done < <(find . -name go.mod -not -path './tools/*' -not -path './contrib/temporal/integration/*' -not -path '*/testdata/*' -not -path '*/node_modules/*' | sort)

if ((${#failed[@]})); then
	echo "failed in ${failed[*]}: $*" >&2
	exit 1
fi
