#!/usr/bin/env bash
# Puts everything that is installed under a folder as it is under / : stage.sh FOLDER PREFIX.
# The binary is HEDDLE_BINARY, or a release build of this checkout.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
folder=$1
prefix=$folder$2

binary=${HEDDLE_BINARY:-}
if [[ -z $binary ]]; then
    cargo build --release --manifest-path "$root/Cargo.toml" -p heddle-cli
    binary=${CARGO_TARGET_DIR:-$root/target}/release/heddle
fi

install -D -m 755 "$binary" "$prefix/bin/heddle"
strip --strip-debug "$prefix/bin/heddle"
heddle=$prefix/bin/heddle

man=$prefix/share/man/man1
mkdir -p "$man"
"$heddle" man | gzip -n9 > "$man/heddle.1.gz"
for command in check watch races replay explain run prove build report emit swarm dump doctor; do
    "$heddle" man "$command" | gzip -n9 > "$man/heddle-$command.1.gz"
done

complete=$prefix/share
mkdir -p "$complete/bash-completion/completions" "$complete/zsh/site-functions" \
    "$complete/fish/vendor_completions.d"
"$heddle" completions bash > "$complete/bash-completion/completions/heddle"
"$heddle" completions zsh > "$complete/zsh/site-functions/_heddle"
"$heddle" completions fish > "$complete/fish/vendor_completions.d/heddle.fish"

doc=$prefix/share/doc/heddle
mkdir -p "$doc"
cp -r "$root/README.md" "$root/docs" "$root/examples" "$root/contrib" "$doc/"
cp "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$doc/"

# The crates that are linked, with their licences; then the texts.
lists=$(mktemp -d)
trap 'rm -rf -- "$lists"' EXIT
cargo metadata --offline --format-version 1 --locked --filter-platform \
    "$(rustc -vV | sed -n 's/^host: //p')" --manifest-path "$root/Cargo.toml" \
    > "$lists/metadata"
cargo tree --offline --locked --manifest-path "$root/Cargo.toml" -p heddle-cli -e normal \
    --prefix none --format '{p}' | sed 's/ (\*)$//; s/ (proc-macro)$//' | sort -u > "$lists/linked"
python3 - "$lists" > "$doc/LICENSES-OF-OTHERS" <<'EOF'
import json, pathlib, sys
lists = pathlib.Path(sys.argv[1])
lines = (lists / "linked").read_text().splitlines()
linked = {tuple(line.split()[:2]) for line in lines if "(/" not in line}
packages = json.loads((lists / "metadata").read_text())["packages"]
packages = [p for p in packages if (p["name"], "v" + p["version"]) in linked]
packages.sort(key=lambda p: p["name"])
print("LLVM (dynamic): Apache-2.0 WITH LLVM-exception")
for package in packages:
    print(f'{package["name"]} {package["version"]}: {package["license"]}')
for package in packages:
    folder = pathlib.Path(package["manifest_path"]).parent
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.name.upper().startswith(("LICEN", "COPYING", "NOTICE")):
            print(f'\n\n==== {package["name"]} {package["version"]}: {path.name}\n')
            print(path.read_text(errors="replace").rstrip())
EOF
