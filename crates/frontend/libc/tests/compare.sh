#!/bin/sh
# Builds the models natively beside glibc and compares them: compare.sh [ROUNDS]
set -e
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-g -O1 -w -msse4.1 -mfma -fno-builtin -std=gnu17 -fPIC -ftls-model=local-exec -c -I $here/../include"
for file in string malloc exit errno stdio stdio_more printf scanf strconv stdlib random ctype getopt time inet path math dirent posix wchar wide locale signal err \
            host/start host/stream host/fd host/files host/float host/env host/clock host/process host/math host/features host/locale; do
  echo "clang-19 $flags $here/../src/$file.c -o $work/$(echo $file | tr / _).o"
done | xargs -P 2 -I{} sh -c '{}'
ld -r "$work"/*.o -o "$work/ours"
objcopy --prefix-symbols=our_ "$work/ours"
for name in _setjmp longjmp _GLOBAL_OFFSET_TABLE_; do objcopy --redefine-sym "our_$name=$name" "$work/ours"; done
for file in float strtod decimal powers; do clang-19 $flags "$here/../src/model/$file.c" -o "$work/model_$file.o"; done
ld -r "$work"/model_*.o -o "$work/model"
objcopy --prefix-symbols=model_ "$work/model"
for name in memcpy memset memmove strlen _GLOBAL_OFFSET_TABLE_; do objcopy --redefine-sym "model_$name=$name" "$work/model"; done
# What the modelled functions stand on is the same as ours, except that they know where they are.
nm -u "$work/model" | awk '{print $2}' | grep '^model_' | grep -v '^model___blitz_model$' | while read -r name; do
  objcopy --redefine-sym "$name=our_${name#model_}" "$work/model"
done
clang-19 -g -O1 -w -c "$here/shim.c" -o "$work/shim.o"
clang-19 -g -O1 -w -fno-builtin -c "$here/compare.c" -o "$work/compare.o"
echo 'const int model___blitz_model = 1;' >"$work/is_model.c"
clang-19 "$work/compare.o" "$work/shim.o" "$work/ours" "$work/model" "$work/is_model.c" -lm -o "$work/compare"
timeout 120 "$work/compare" "$@"
