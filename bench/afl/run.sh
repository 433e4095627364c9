#!/usr/bin/env bash
# Time to the first crash of `blitz fuzz` and of AFL++ (afl-fuzz with CmpLog and ASan+UBSan) on the programs beside this script, one CPU each, one after the other.
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
export AFL_CC_COMPILER=LLVM
mkdir -p "$work/seeds"
printf '0123456789abcdef' > "$work/seeds/one"
missing=0
printf '| program | blitz: s to the first finding (CPU s) | runs | AFL++: s to the first crash (CPU s) | runs |\n|---|---|---|---|---|\n'

# `time -p` of a command, into three variables.
cpu() { awk '/^user|^sys/ {s += $2} END {printf "%.1f", s}' "$1"; }

for program in "${programs[@]}"; do
  name=$(basename "$program" .c)
  ours="$work/$name"
  { time -p "$blitz" fuzz "$program" --corpus "$work/seeds" --work "$ours" --out "$ours-out" --first --timeout "${limit}s" --no-coverage -q \
    > "$ours.log" 2>&1; } 2> "$ours.time"
  code=$?
  first=$(cat "$ours"/findings/*/finding.json 2>/dev/null | awk '/"seconds"/ {gsub(/[^0-9.]/, ""); print}' | sort -n | head -1)
  runs=$(awk -F'[:,]' '/"runs"/ {print $2 + 0}' "$ours"/workers/0.json 2>/dev/null)
  [ "$code" = 10 ] || missing=1
  left="$(printf '%.1f' "${first:-0}") ($(cpu "$ours.time"))"
  [ -n "$first" ] || left="- ($(cpu "$ours.time"))"

  afl="$work/$name.afl"
  AFL_USE_ASAN=1 AFL_USE_UBSAN=1 afl-clang-fast -g -w -o "$afl" "$program" > /dev/null 2>&1 || { echo "| $name | $left | $runs | no build | |"; continue; }
  AFL_LLVM_CMPLOG=1 afl-clang-fast -g -w -o "$afl.cmplog" "$program" > /dev/null 2>&1
  { time -p timeout -k 5 $((limit + 10)) afl-fuzz -i "$work/seeds" -o "$afl.out" -c "$afl.cmplog" -m none -t 1000 -V "$limit" -- "$afl" \
    > "$afl.log" 2>&1; } 2> "$afl.time"
  stats="$afl.out/default/fuzzer_stats"
  crash=$(ls "$afl.out"/default/crashes 2>/dev/null | grep -m1 '^id:')
  at=$(echo "$crash" | sed -n 's/.*time:\([0-9]*\).*/\1/p')
  right="-"
  [ -z "$at" ] || right=$(awk "BEGIN {printf \"%.1f\", $at / 1000}")
  execs=$(awk -F: '/^execs_done/ {print $2 + 0}' "$stats" 2>/dev/null)
  echo "| $name | $left | $runs | $right ($(cpu "$afl.time")) | $execs |"
done
exit $missing
