#!/bin/sh
# Links a native program on our libc: program.sh OUT OBJECTS... Undefined symbols are functions without a model.
set -e
here=$(cd "$(dirname "$0")" && pwd)
out=$1
shift
work=${WORK:-$(mktemp -d)}
mkdir -p "$work"
if [ ! -f "$work/libc.o" ]; then
  for file in "$here"/../src/*.c "$here"/../src/host/*.c; do
    clang-19 -g -O1 -w -msse4.1 -mfma -fno-builtin -std=gnu17 -fPIC -ftls-model=local-exec -c -I "$here/../include" "$file" -o "$work/$(basename "$(dirname "$file")")_$(basename "$file" .c).o"
  done
  ld -r "$work"/src_*.o "$work"/host_*.o -o "$work/libc.o"
  # A program may define any of them itself.
  nm -g --defined-only "$work/libc.o" | awk '{print $3}' >"$work/defined"
  objcopy --weaken-symbols="$work/defined" "$work/libc.o"
  clang-19 -g -O1 -w -fPIC -DPROGRAM -c "$here/shim.c" -o "$work/shim.o"
fi
ld -r "$@" "$work/libc.o" -o "$work/all.o"
objcopy --prefix-symbols=our_ "$work/all.o" "$work/prefixed.o"
# What is the machine's and not a library's keeps its name.
for name in _setjmp setjmp longjmp __sigsetjmp siglongjmp _longjmp _GLOBAL_OFFSET_TABLE_ __tls_get_addr; do
  objcopy --redefine-sym "our_$name=$name" "$work/prefixed.o"
done
clang-19 -g "$work/prefixed.o" "$work/shim.o" -lm -o "$out"
