#!/usr/bin/env bash
# Installs what the tests and `make world` need beside Go, in the versions of the
# Debian or Ubuntu release. What is there already, from wherever, stays as it is.
# It needs root or sudo. It starts no server and lets none start at the next boot.
set -euo pipefail

have() { command -v "$1" >/dev/null; }
have_c() { have "$(go env CC)"; }
have_browser() {
	local name
	for name in "${SWEETSPOT_BROWSER:-}" chromium chromium-browser google-chrome google-chrome-stable chrome headless-shell; do
		if [[ -n $name ]] && have "$name"; then return; fi
	done
	return 1
}
have_postgres() { have initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; }
have_nginx() { have nginx || [[ -x /usr/sbin/nginx ]]; }

packages=()
need() { # need "PACKAGES" "WHAT FOR" COMMAND...: if the command fails
	"${@:3}" && return
	echo "$1: for $2"
	packages+=($1)
}
need "gcc libc6-dev" "the race detector" have_c
need "chromium fonts-dejavu-core" "the test of the live page" have_browser
need man-db "the test of the packages" have man
need postgresql "the tests of contrib/sql and contrib/river, make world" have_postgres
need redis-server "the test of contrib/asynq, make world" have redis-server
need sqlite3 "make world" have sqlite3
need nginx "make world" have_nginx
if ((${#packages[@]} == 0)); then
	echo "all that tests and make world need is installed"
	exit
fi

if ! have apt-get; then
	echo "no apt-get here: install these by the package manager of this system" >&2
	exit 1
fi
root=()
if ((EUID != 0)); then
	if ! have sudo; then
		echo "only root can install packages, and there is no sudo: run make deps as root" >&2
		exit 1
	fi
	root=(sudo)
fi

# Debian starts a server as it installs it, unless this file forbids that.
policy=/usr/sbin/policy-rc.d
if [[ ! -e $policy ]]; then
	trap '"${root[@]}" rm -f "$policy"' EXIT
	printf '#!/bin/sh\nexit 101\n' | "${root[@]}" tee "$policy" >/dev/null
	"${root[@]}" chmod +x "$policy"
fi
"${root[@]}" apt-get -q update || true # an old list may do
"${root[@]}" env DEBIAN_FRONTEND=noninteractive \
	apt-get -q -o DPkg::Lock::Timeout=120 install --yes --no-install-recommends "${packages[@]}"
if have systemctl; then
	for name in "${packages[@]}"; do
		case $name in
		postgresql | redis-server | nginx) "${root[@]}" systemctl disable "$name" ;;
		esac
	done
fi
