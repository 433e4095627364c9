#!/usr/bin/env bash
# Shows blitz at work on examples/: a bug found and explained, and the mended program.
set -uo pipefail
blitz=$1
cd "$(dirname "$0")/.."

show() {
    echo
    echo "\$ ${*/#$blitz/blitz}"
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
show "$blitz" check examples/copy.c
expect 10
echo
echo "With the length checked first, nothing can:"
show "$blitz" check examples/copy.c -- -DMENDED
expect 0
echo
echo "blitz also runs a program with every check on. This one splits settings, and the last has no '=':"
show "$blitz" run examples/settings.c -- color=blue size=large border
expect 10
