#!/usr/bin/env bash
# Packs a release build for people who don't build it: dist/blitz-VERSION-x86_64-linux.tar.gz and a Debian package.
# LLVM is linked in; what is needed where it runs is the C library, and clang-19 with its sanitizers to compile what is checked.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=${1:?the binary to pack}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
name=blitz-$version-$(uname -m)-linux
arch=$(dpkg --print-architecture 2>/dev/null || echo amd64)
out=dist
needs="clang-19 libclang-rt-19-dev binutils libc6-dev"
rm -rf "$out"
mkdir -p "$out/$name/bin" "$out/$name/share/man/man1" "$out/$name/share/doc/blitz"

install -m 755 -s "$binary" "$out/$name/bin/blitz"
"$out/$name/bin/blitz" man >"$out/$name/share/man/man1/blitz.1"
for shell in bash zsh fish; do
    mkdir -p "$out/$name/share/completions"
    "$out/$name/bin/blitz" completions "$shell" >"$out/$name/share/completions/blitz.$shell"
done
cp README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT docs/tutorial.md examples/settings.c "$out/$name/share/doc/blitz/"
cat >"$out/$name/INSTALL" <<EOF
blitz needs clang 16 to 19 with its sanitizers, a linker and the headers of the C library (Debian: apt install $needs).
Put bin/blitz on the PATH, or call it where it lies: bin/blitz check prog.c
EOF
tar -C "$out" --owner=0 --group=0 --sort=name -czf "$out/$name.tar.gz" "$name"

# The same files as a package.
root=$out/deb
mkdir -p "$root/DEBIAN" "$root/usr/share/bash-completion/completions"
cp -r "$out/$name/bin" "$out/$name/share" "$root/usr/"
mv "$root/usr/share/completions/blitz.bash" "$root/usr/share/bash-completion/completions/blitz"
rm -r "$root/usr/share/completions"
gzip -9n "$root/usr/share/man/man1/blitz.1"
cat >"$root/DEBIAN/control" <<EOF
Package: blitz
Version: $version
Architecture: $arch
Maintainer: The blitz developers <blitz@localhost>
Depends: libc6, libstdc++6, libgcc-s1, ${needs// /, }
Recommends: gdb, llvm-19
Section: devel
Priority: optional
Description: bounded model checker for C
 Finds bugs in C programs over all inputs, and shows each one happening:
 every violation is executed before it is reported.
EOF
dpkg-deb --root-owner-group --build "$root" "$out/blitz_${version}_$arch.deb" >/dev/null
rm -r "$root" "${out:?}/$name"
ls -l "$out"
