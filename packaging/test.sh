#!/usr/bin/env bash
# Makes both packages, installs each into an empty root, and has what is there check a program.
set -euo pipefail

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

try_out() {
    local prefix=$1
    "$prefix/bin/heddle" doctor | tail -n 1
    local code=0
    "$prefix/bin/heddle" check -q "$prefix/share/doc/heddle/examples/bank.c" || code=$?
    [[ $code == 10 ]]
    gzip -dc "$prefix/share/man/man1/heddle-check.1.gz" | grep -q heddle
    bash -n "$prefix/share/bash-completion/completions/heddle"
    grep -q '^cadical-sys' "$prefix/share/doc/heddle/LICENSES-OF-OTHERS"
}

tarball=$("$here/tarball.sh" "$work")
mkdir "$work/unpacked"
tar -C "$work/unpacked" -xzf "$tarball"
try_out "$work/unpacked"/*

package=$("$here/debian.sh" "$work")
mkdir -p "$work/root/var/lib/dpkg/updates" "$work/root/var/lib/dpkg/info"
touch "$work/root/var/lib/dpkg/status"
# What it depends on is not in an empty root.
dpkg --root="$work/root" --force-not-root --force-depends --log=/dev/null -i "$package" \
    > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
dpkg --root="$work/root" -s heddle | grep -E '^(Status|Depends)'
try_out "$work/root/usr"
dpkg --root="$work/root" --force-not-root --force-depends --log=/dev/null -r heddle > "$work/log" 2>&1
[[ ! -e $work/root/usr/bin/heddle ]]
echo "both packages work"
