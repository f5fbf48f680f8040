# Sourced by bin/heddle and bin/test: makes sure of the system packages and of a
# current release build. Everything it says goes to standard error.
#
# Expects: root (the checkout). Gives: heddle_binary (path of the built binary).

say() { printf 'heddle: %s\n' "$*" >&2; }

stop() {
    say "$*"
    exit 2
}

# Packages whose files are missing, in `missing`. Looks at files only: asking
# the package manager would cost more than the rest of a call together.
find_missing_packages() {
    local prefix=${LLVM_SYS_221_PREFIX:-/usr/lib/llvm-22}
    missing=()
    [[ -n ${HEDDLE_CLANG:-} ]] || type -P clang-22 >/dev/null || missing+=(clang-22)
    [[ -x $prefix/bin/llvm-config ]] && [[ -e $prefix/lib/libLLVM.so ]] || missing+=(llvm-22-dev)
    [[ -e $prefix/lib/libPolly.a ]] || missing+=(libpolly-22-dev)
    [[ -e /usr/include/zstd.h ]] || missing+=(libzstd-dev)
    [[ -e /usr/include/zlib.h ]] || missing+=(zlib1g-dev)
    [[ -e /usr/include/stdio.h ]] || missing+=(libc6-dev)
    type -P cc >/dev/null || missing+=(gcc)
    type -P c++ >/dev/null || missing+=(g++)
    type -P make >/dev/null || missing+=(make)
}

ensure_packages() {
    find_missing_packages
    ((${#missing[@]})) || return 0
    local command="apt-get install -y --no-install-recommends ${missing[*]}"
    type -P apt-get >/dev/null ||
        stop "these packages are missing, and there is no apt-get to install them: ${missing[*]}"
    local -a as_root=()
    if ((EUID != 0)); then
        if type -P sudo >/dev/null && sudo -n true 2>/dev/null; then
            as_root=(sudo -n)
        else
            say "these packages are missing: ${missing[*]}"
            stop "install them with: sudo $command"
        fi
    fi
    say "installing ${missing[*]}"
    if ! DEBIAN_FRONTEND=noninteractive "${as_root[@]}" $command >&2 </dev/null; then
        # The package lists of a fresh machine are often empty or old.
        "${as_root[@]}" apt-get update >&2 </dev/null || stop "apt-get update failed"
        DEBIAN_FRONTEND=noninteractive "${as_root[@]}" $command >&2 </dev/null ||
            stop "could not install the packages; the command was: $command"
    fi
    find_missing_packages
    ((${#missing[@]} == 0)) || stop "still missing after the installation: ${missing[*]}"
}

# csmith makes random programs for a test, and reports are looked at in Chromium; tests do
# without what can't be had.
offer_csmith() {
    type -P csmith >/dev/null && [[ -e /usr/include/csmith/csmith.h ]] && return 0
    offer csmith libcsmith-dev
}

offer_chromium() {
    type -P chromium >/dev/null || offer chromium fonts-dejavu-core
}

offer() {
    type -P apt-get >/dev/null || return 0
    local -a as_root=()
    if ((EUID != 0)); then
        type -P sudo >/dev/null && sudo -n true 2>/dev/null || return 0
        as_root=(sudo -n)
    fi
    say "installing $*"
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y --no-install-recommends \
        "$@" >&2 </dev/null || say "$1 can't be had; tests do without"
}

ensure_cargo() {
    type -P cargo >/dev/null && return 0
    [[ -x ${CARGO_HOME:-${HOME:-}/.cargo}/bin/cargo ]] ||
        stop "cargo is missing; install Rust 1.95 or newer from https://rustup.rs and call again"
    PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
}

# The stamp is as old as the start of the last successful build, so a source
# that changed while the build ran counts as newer.
ensure_build() {
    local target=${CARGO_TARGET_DIR:-target} stamp newer
    [[ $target == /* ]] || target=$root/$target
    heddle_binary=$target/release/heddle
    stamp=$target/release/.heddle-stamp
    if [[ -x $heddle_binary && -e $stamp ]]; then
        newer=$(find "$root/crates" "$root/Cargo.toml" "$root/Cargo.lock" "$root/.cargo" \
            -newer "$stamp" -print -quit 2>/dev/null)
        [[ -n $newer ]] || return 0
    fi
    ensure_cargo
    say "building (this takes a few minutes the first time)"
    mkdir -p "$target/release" || stop "cannot write to $target"
    : >"$stamp.new" || stop "cannot write to $target"
    # From the checkout, so that cargo reads its .cargo/config.toml.
    (cd "$root" && cargo build --release --quiet --package heddle-cli >&2) ||
        stop "the build failed"
    mv "$stamp.new" "$stamp"
}
