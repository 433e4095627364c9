#!/bin/sh
# Compiles every model for both targets, warnings being errors.
cd "$(dirname "$0")/.." || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
status=0
for mode in -m64 -m32; do
  for file in src/*.c src/host/*.c src/model/*.c; do
    clang-19 $mode -O1 -Xclang -disable-llvm-passes -g -fno-builtin -std=gnu17 -c -emit-llvm -Wall -Wextra -Werror -Wno-unused-parameter \
      -I include -idirafter /usr/include/x86_64-linux-gnu "$file" -o "$out/$(echo "$file" | tr / _)$mode.bc" || status=1
  done
done
exit $status
