#!/usr/bin/env bash
# Makes heddle-VERSION-MACHINE.tar.gz, to be unpacked anywhere: tarball.sh [FOLDER]
set -euo pipefail

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
into=$(readlink -f -- "${1:-.}")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../Cargo.toml" | head -n 1)
name=heddle-$version-$(uname -m)

stage=$(mktemp -d)
trap 'rm -rf -- "$stage"' EXIT
"$here/stage.sh" "$stage" "/$name"
tar --sort=name --owner=0 --group=0 --numeric-owner -C "$stage" -czf "$into/$name.tar.gz" "$name"
echo "$into/$name.tar.gz"
