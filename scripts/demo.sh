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
echo "Is that real? The same program, built by clang with its address sanitizer, on an argument as long as the one blitz found:"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
length=$("$blitz" check examples/copy.c --format json 2>/dev/null | grep -A1 '"name": "argv\[1\] length"' |
    sed -n 's/.*"value": "\([0-9]*\)".*/\1/p' | head -n 1)
if [ -z "$length" ]; then
    echo "The report does not say how long the argument is." >&2
    exit 1
fi
echo
echo "\$ clang-19 -g -fsanitize=address examples/copy.c && ./a.out AAAA...   (${length} bytes)"
clang-19 -g -O0 -fsanitize=address examples/copy.c -o "$work/copy" || exit 1
argument=$(head -c "$length" /dev/zero | tr '\0' 'A')
if "$work/copy" "$argument" >/dev/null 2>"$work/log"; then
    echo "The native program did not fail." >&2
    exit 1
fi
grep -m 3 -E "ERROR: AddressSanitizer|WRITE of size|copy.c:13" "$work/log"
echo
echo "With the length checked first, nothing can:"
show "$blitz" check examples/copy.c -- -DMENDED
expect 0
echo
echo "blitz also runs a program with every check on. This one splits settings, and the last has no '=':"
show "$blitz" run examples/settings.c -- color=blue size=large border
expect 10
