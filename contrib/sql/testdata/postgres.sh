#!/usr/bin/env bash
# Runs a PostgreSQL of its own in a new directory, and says on a line of its own
# where its socket is. It lives until standard input ends, so that it cannot
# outlive who started it, and leaves nothing behind.
#
# The programs are those of Debian's packages or of PATH; without them it exits with
# 3. Root may not run the server.
set -euo pipefail

find_bin() {
	local dir
	for dir in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -Vr) $(dirname "$(command -v initdb || true)"); do
		if [[ -x $dir/initdb && -x $dir/postgres ]]; then
			echo "$dir"
			return
		fi
	done
	return 1
}

bin=$(find_bin) || exit 3

dir=$(mktemp -d /tmp/sqllimit.XXXXXX)
as=()
if ((EUID == 0)); then
	user=nobody
	if id postgres &>/dev/null; then user=postgres; fi
	chown "$user" "$dir"
	as=(setpriv "--reuid=$user" "--regid=$(id -g "$user")" --clear-groups env "HOME=$dir")
fi

server=
finish() {
	if [[ -n $server ]]; then
		kill -INT "$server" 2>/dev/null || true # fast shutdown: ends sessions
		wait "$server" 2>/dev/null || true
	fi
	rm -rf "$dir"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

cd "$dir"
# Durability costs time and proves nothing here.
"${as[@]}" "$bin/initdb" --pgdata="$dir/data" --username=test --auth=trust --encoding=UTF8 --locale=C --no-sync >"$dir/initdb.log" 2>&1 ||
	{ cat "$dir/initdb.log" >&2; exit 1; }
"${as[@]}" "$bin/postgres" -D "$dir/data" -k "$dir" -c listen_addresses= -c max_connections=300 \
	-c fsync=off -c shared_buffers=32MB -c autovacuum=off </dev/null >"$dir/server.log" 2>&1 &
server=$!

for ((i = 0; i < 600; i++)); do
	if [[ -S $dir/.s.PGSQL.5432 ]] && grep -q 'ready to accept' "$dir/server.log"; then
		echo "$dir"
		cat >/dev/null # until standard input ends
		exit 0
	fi
	kill -0 "$server" 2>/dev/null || break
	sleep 0.1
done
cat "$dir/server.log" >&2
exit 1
