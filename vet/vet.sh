#!/usr/bin/env bash
# Builds the command sweetspot from this copy of the repository, and has it vet Go packages
# of the working directory. It is what action.yml and the hook of pre-commit call: whoever
# pins these to a commit pins the checks.
#
#	vet/vet.sh [flags of sweetspot vet] [packages]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# The settings of the caller are for the caller's code.
(cd "$root/cmd/sweetspot" && GOWORK=off GOFLAGS='' GOOS='' GOARCH='' go build -o "$root/bin/sweetspot-vet" .)
exec "$root/bin/sweetspot-vet" vet "$@"
