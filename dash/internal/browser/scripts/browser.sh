#!/usr/bin/env bash
# Prints the path of a Chromium or Chrome. Where there is none, and we may, it
# installs Debian's package first; everything but the path goes to stderr.
set -euo pipefail

find_browser() {
	local name
	for name in "${SWEETSPOT_BROWSER:-}" chromium chromium-browser google-chrome google-chrome-stable chrome headless-shell; do
		if [[ -n $name ]] && command -v "$name"; then return 0; fi
	done
	return 1
}

find_browser && exit
if ! command -v apt-get >/dev/null || (($(id -u) != 0)); then
	echo "no chromium or chrome found, and only root can install one by apt-get; set SWEETSPOT_BROWSER to the path of one" >&2
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update >&2
apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends chromium fonts-dejavu-core >&2
find_browser
