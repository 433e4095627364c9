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

echo "A program that splits 'key=value' settings has a bug. blitz runs it with every check on:"
show "$blitz" run examples/settings.c -- color=blue size=large border
expect 10
echo
echo "With the bug mended, the same run is clean:"
show "$blitz" run -D MENDED examples/settings.c -- color=blue size=large border
expect 0
