#!/usr/bin/env bash
# Prints benchmarks of concurrent code for causes.sh to diagnose, a line each: module,
# version, package, benchmark. Nobody chooses them: of each module of modules.txt two are
# drawn by a hash of their names, from two functions if there are two, until there are
# twenty modules.
#
#   scripts/causes/draw.sh >scripts/causes/drawn.txt
#
# A benchmark is of concurrent code if it, or a function that it calls in the test files
# of its package, has b.RunParallel, a go statement, or a call of a method Go or Submit.
# One that fails, or runs for more than a minute at its first operation, is left out.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
each=2
modules=20
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
export GOWORK=off GOFLAGS=-mod=mod GOTOOLCHAIN=local

# concurrent prints the names of such benchmarks in Go files.
concurrent() {
	awk '
		/^func / {
			name = $0
			sub(/^func (\([^)]*\) *)?/, "", name)
			sub(/[^A-Za-z0-9_].*/, "", name)
			within = 1
		}
		within { text[name] = text[name] $0 "\n" }
		/^}/ || /^func .*}$/ { within = 0 }
		END {
			for (n in text) hit[n] = text[n] ~ /RunParallel\(|[\t ]go (func|[a-z][A-Za-z.]*\()|\.(Go|Submit)\(/
			for (n in text) if (n ~ /^Benchmark/) {
				found = hit[n]
				for (h in hit) if (hit[h] && h !~ /^(Benchmark|Test|Fuzz|Example)/ && text[n] ~ "(^|[^A-Za-z0-9_])" h "\\(") found = 1
				if (found) print n
			}
		}' "$@" | sort
}

# hashed sorts lines by a hash of what they say.
hashed() {
	while read -r line; do
		echo "$(sha256sum <<<"$line" | cut -c1-16) $line"
	done | sort | cut -d' ' -f2-
}

drawn=0
grep -v '^#' "$here/modules.txt" | while read -r module version; do
	((drawn < modules)) || break
	dir=$(cd "$scratch" && go mod download -json "$module@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
	work=$scratch/work
	cp -R "$dir" "$work" && chmod -R u+w "$work"
	cd "$work"
	[[ -f go.mod ]] || { go mod init "$module" && go mod tidy; } >&2
	taken=0
	while read -r package name; do
		((taken < each)) || break
		leaf=$(timeout 600 go test -run '^$' -bench "^$name\$" -benchtime 1x -cpu 1 -timeout 60s "./$package" </dev/null 2>>"$scratch/log" |
			tr -d '\r' | sed -n 's/^\(Benchmark[^[:space:]]*\)[[:space:]]\+1[[:space:]].*/\1/p' | hashed | sed -n 1p) || continue
		[[ -n $leaf ]] || continue
		echo "$module $version $package $leaf"
		taken=$((taken + 1))
	done < <(find . -name '*_test.go' -not -path '*/testdata/*' -not -path '*/vendor/*' -exec dirname {} + | sort -u | while read -r package; do
		concurrent "$package"/*_test.go | sed "s|^|${package#./} |"
	done | hashed)
	cd "$scratch"
	rm -rf "$work"
	((taken == 0)) || drawn=$((drawn + 1))
done
