#!/usr/bin/env bash
# Makes heddle_VERSION_ARCHITECTURE.deb: debian.sh [FOLDER]
set -euo pipefail

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
into=$(readlink -f -- "${1:-.}")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../Cargo.toml" | head -n 1)
architecture=$(dpkg --print-architecture)

stage=$(mktemp -d)
trap 'rm -rf -- "$stage"' EXIT
chmod 755 "$stage"
"$here/stage.sh" "$stage" /usr

# The packages that have the libraries it is linked with; and the compiler, which it runs.
libraries=$(ldd "$stage/usr/bin/heddle" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' |
    while read -r library; do
        path=$(readlink -f -- "$library")
        # Where /lib is /usr/lib, packages may name either.
        { dpkg -S "$path" || dpkg -S "${path#/usr}" || true; } 2> /dev/null | sed 's/:.*//' |
            head -n 1
    done | sort -u)
direct=$(objdump -p "$stage/usr/bin/heddle" | sed -n 's/^ *NEEDED *//p')
depends=clang-22
for package in $libraries; do
    # Of those that libraries need themselves, they say so.
    for library in $direct; do
        if dpkg -L "$package" | grep "/$library\$" > /dev/null; then
            depends+=", $package"
            break
        fi
    done
done

mkdir -p "$stage/DEBIAN"
cat > "$stage/DEBIAN/control" <<EOF
Package: heddle
Version: $version
Architecture: $architecture
Maintainer: Heddle <heddle@localhost>
Installed-Size: $(du -sk "$stage/usr" | cut -f1)
Depends: $depends
Suggests: gdb, slurm-wlm
Section: devel
Priority: optional
Description: model checker for multi-threaded C and C++
 Finds the interleavings of a multi-threaded C or C++ program that fail, or
 shows that there are none.
EOF
dpkg-deb --root-owner-group --build "$stage" "$into/heddle_${version}_$architecture.deb" > /dev/null
echo "$into/heddle_${version}_$architecture.deb"
