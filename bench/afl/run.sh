#!/usr/bin/env bash
# Time to the first crash of `blitz fuzz` and of AFL++ (afl-fuzz with CmpLog and ASan+UBSan) on the programs beside this script, one after the other,
# each with the whole machine to itself and using one core of it. Building counts for blitz (2 to 4 s), not for AFL++.
#   bench/afl/run.sh [SECONDS] [PROGRAM...]     default 60 s, all programs; BLITZ names another blitz than target/release/blitz
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
blitz=${BLITZ:-$here/../../target/release/blitz}
limit=${1:-60}
shift || true
programs=("$@")
[ ${#programs[@]} != 0 ] || programs=("$here"/programs/*.c)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_BENCH_UNTIL_CRASH=1 AFL_NO_AFFINITY=1
# As blitz builds it: with optimisation two comparisons become one branch, and CmpLog has nothing to go by.
export AFL_CC_COMPILER=LLVM AFL_DONT_OPTIMIZE=1
mkdir -p "$work/seeds"
printf '0123456789abcdef' > "$work/seeds/one"
missing=0
printf '| program | blitz: s to the first finding | runs | AFL++: s to the first crash | runs |\n|---|---|---|---|---|\n'

for program in "${programs[@]}"; do
  name=$(basename "$program" .c)
  ours="$work/$name"
  "$blitz" fuzz "$program" --corpus "$work/seeds" --work "$ours" --out "$ours-out" --first --timeout "${limit}s" --no-coverage -q > "$ours.log" 2>&1
  code=$?
  first=$(cat "$ours"/findings/*/finding.json 2>/dev/null | awk '/"seconds"/ {gsub(/[^0-9.]/, ""); print}' | sort -n | head -1)
  runs=$(awk -F'[:,]' '/"runs"/ {print $2 + 0}' "$ours"/workers/0.json 2>/dev/null)
  [ "$code" = 10 ] || missing=1
  left=-
  [ -z "$first" ] || left=$(printf '%.1f' "$first")

  afl="$work/$name.afl"
  AFL_USE_ASAN=1 AFL_USE_UBSAN=1 afl-clang-fast -g -O0 -w -o "$afl" "$program" > /dev/null 2>&1 || { echo "| $name | $left | $runs | no build | |"; continue; }
  AFL_LLVM_CMPLOG=1 afl-clang-fast -g -O0 -w -o "$afl.cmplog" "$program" > /dev/null 2>&1
  timeout -k 5 $((limit + 10)) afl-fuzz -i "$work/seeds" -o "$afl.out" -c "$afl.cmplog" -m none -t 1000 -V "$limit" -- "$afl" > "$afl.log" 2>&1
  stats="$afl.out/default/fuzzer_stats"
  crash=$(ls "$afl.out"/default/crashes 2>/dev/null | grep -m1 '^id:')
  at=$(echo "$crash" | sed -n 's/.*time:\([0-9]*\).*/\1/p')
  right="-"
  [ -z "$at" ] || right=$(awk "BEGIN {printf \"%.1f\", $at / 1000}")
  execs=$(awk -F: '/^execs_done/ {print $2 + 0}' "$stats" 2>/dev/null)
  echo "| $name | $left | $runs | $right | $execs |"
done
exit $missing
