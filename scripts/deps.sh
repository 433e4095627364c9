#!/usr/bin/env bash
# Installs the system packages blitz is built and tested with, and only those that are missing.
# With nothing missing it does nothing and needs no network. `--test` adds what only the tests use.
set -euo pipefail

build=(g++ clang-19 llvm-19 llvm-19-dev libclang-19-dev libclang-rt-19-dev libc6-dev libzstd-dev zlib1g-dev pkg-config)
tests=(z3 csmith libcsmith-dev chromium python3)

wanted=("${build[@]}")
[ "${1:-}" = "--test" ] && wanted+=("${tests[@]}")

check_rust() {
    if command -v cargo >/dev/null || [ -x "$HOME/.cargo/bin/cargo" ]; then return; fi
    echo "blitz is written in Rust, and cargo was not found. Install it from https://rustup.rs, for example with" >&2
    echo "    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh" >&2
    echo "and run make again." >&2
    exit 1
}

missing_packages() {
    for package in "${wanted[@]}"; do
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$status" = installed ] || echo "$package"
    done
}

without_apt() {
    command -v clang-19 >/dev/null && [ -n "$(command -v llvm-config-19 || ls /usr/lib/llvm-19/bin/llvm-config 2>/dev/null)" ] && return
    echo "This script knows apt only. Please install clang 19 and the development files of LLVM 19, libclang 19," >&2
    echo "the compiler-rt sanitizers of 19, zstd and zlib by other means, so that clang-19 is on the PATH." >&2
    exit 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

check_rust
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    without_apt
    exit 0
fi
mapfile -t missing < <(missing_packages)
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Installing system packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
as_root apt-get update -q
as_root apt-get install -q -y --no-install-recommends "${missing[@]}"
