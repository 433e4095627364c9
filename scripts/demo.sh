#!/usr/bin/env bash
# Shows blitz at work on examples/: a bug found and explained, and the mended program.
set -uo pipefail
blitz=$1
out=blitz-out
cd "$(dirname "$0")/.."

show() {
    echo
    local words="${*/#$blitz/blitz}"
    echo "\$ ${words//$out/blitz-out}"
    "$@"
    status=$?
    echo "(exit code $status)"
}

expect() {
    if [ "$status" != "$1" ]; then
        echo "The demo expected exit code $1." >&2
        exit 1
    fi
}

echo "examples/copy.c copies its first argument into a buffer. Over all command lines, can anything go wrong?"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
show "$blitz" check examples/copy.c --out "$out"
expect 10
echo
echo "Is that real? blitz built the program with clang's sanitizers and ran it on that argument. The kit does it again:"
show "$blitz" replay "$out"
expect 10
echo
echo "With the length checked first, nothing can:"
show "$blitz" check examples/copy.c -- -DMENDED
expect 0
echo
echo "blitz also runs a program with every check on. This one splits settings, and the last has no '=':"
show "$blitz" run examples/settings.c -- color=blue size=large border
expect 10
