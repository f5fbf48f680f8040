//! Runs clang on one C or C++ file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use crate::child::{self, Ended};
use crate::error::Error;
use crate::support::SPURIOUS_WAKEUPS;
use crate::{Options, scratch};

/// What C allowed once, and compilers take for mistakes by now: warnings.
const OLD_C: &[&str] = &[
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-mismatch",
];

/// The standard of C++ that is tried where the default is not enough.
const LATER: &str = "-std=gnu++20";

/// What became of a source file.
pub(crate) struct Compiled {
    pub bitcode: PathBuf,
    /// clang's warnings, as it writes them.
    pub warnings: String,
    /// Bitcode that has bodies of inline functions beside everything else.
    pub inline: Option<PathBuf>,
}

/// A clang executable and what all files of a program are compiled with.
pub(crate) struct Clang<'a> {
    program: PathBuf,
    flags: &'a [String],
    ilp32: bool,
    /// Holds bitcode files and, for 32 bits, stand-ins for missing headers.
    scratch: &'a Path,
    stop: &'a AtomicBool,
}

impl<'a> Clang<'a> {
    /// Looks at `HEDDLE_CLANG`, then for `clang-22` and `clang` on the path.
    pub fn find(options: &'a Options, scratch: &'a Path) -> Result<Self, Error> {
        let Options { flags, ilp32, interrupt, .. } = options;
        let program = find().ok_or(Error::NoCompiler)?;
        if *ilp32 {
            write_stubs(scratch).map_err(Error::Temporary)?;
        }
        Ok(Clang { program, flags, ilp32: *ilp32, scratch, stop: interrupt })
    }

    /// Compiles `source` to bitcode.
    pub fn compile(&self, source: &Path, index: usize) -> Result<Compiled, Error> {
        let compiled = self.compile_as(source, index, None);
        let said =
            self.flags.iter().any(|flag| flag.starts_with("-std") || flag.starts_with("--std"));
        if said || self.is_c(source) || !matches!(compiled, Err(Error::Compiler { .. })) {
            return compiled;
        }
        // clang takes C++ for that of 2017 if nobody says which it is.
        match self.compile_as(source, index, Some(LATER)) {
            Ok(Compiled { bitcode, warnings, inline }) => {
                let path = source.display();
                let note = format!("{path}: compiled as C++20, since it is not C++17 ({LATER})\n");
                Ok(Compiled { bitcode, warnings: note + &warnings, inline })
            }
            Err(_) => compiled,
        }
    }

    /// Compiles `source` to bitcode, by a standard if one is named.
    fn compile_as(
        &self,
        source: &Path,
        index: usize,
        standard: Option<&str>,
    ) -> Result<Compiled, Error> {
        let output = self.scratch.join(format!("{index}.bc"));
        let headers = self.scratch.join(format!("{index}.d"));
        let mut command = self.command();
        add_own_flags(&mut command, &output);
        command.args(standard);
        command.arg("-MMD").arg("-MF").arg(&headers).arg(dash_safe(source));
        let warnings = self.run(command, source, &output)?;
        if mentions(source, &headers, starts_thread) {
            return Err(Error::ThreadLabel(source.to_owned()));
        }
        let inline = match self.is_c(source) && mentions(source, &headers, says_inline) {
            true => Some(self.compile_inline(source, index)?),
            false => None,
        };
        Ok(Compiled { bitcode: output, warnings, inline })
    }

    fn is_c(&self, source: &Path) -> bool {
        match language(self.flags) {
            Some(language) => language == "c",
            None => source.extension().is_some_and(|ext| ext == "c" || ext == "i"),
        }
    }

    /// Compiles `source` once more, for the bodies of functions that are `inline` in the
    /// sense of C99. clang has such bodies for the optimiser only, so it must believe in
    /// one, while the program must not notice.
    fn compile_inline(&self, source: &Path, index: usize) -> Result<PathBuf, Error> {
        let output = self.scratch.join(format!("{index}.inline.bc"));
        let mut command = self.command();
        add_own_flags(&mut command, &output);
        command.args(["-O1", "-U__OPTIMIZE__", "-Xclang", "-disable-llvm-passes", "-w"]);
        command.arg(dash_safe(source));
        self.run(command, source, &output)?;
        Ok(output)
    }

    /// With the user's flags. Ours come behind: a user's `-O2` must not hide accesses from
    /// the check.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.target_flags()).args(OLD_C).args(self.flags);
        command
    }

    /// Compiles a support file, whose path is relative to the scratch folder, for
    /// `target`. The user's flags are not meant for it, but for those that give
    /// waits another meaning.
    pub fn compile_support(&self, source: &Path, target: &str) -> Result<PathBuf, Error> {
        let name = source.file_name().unwrap_or_default();
        let output = self.scratch.join(name).with_extension("support.bc");
        let mut command = Command::new(&self.program);
        add_own_flags(&mut command, &output);
        // Exceptions pass through what calls back.
        command.args(["-fno-builtin", "-fexceptions", "-w"]);
        command.args(self.flags.iter().filter(|f| SPURIOUS_WAKEUPS.contains(&f.as_str())));
        // What is C++ comes from the C++ library's headers, which want a hosted one.
        match source.extension().is_some_and(|extension| extension == "cpp") {
            true => command.arg("-std=gnu++17"),
            false => command.args(["-std=gnu17", "-ffreestanding"]),
        };
        if !target.is_empty() {
            command.arg(format!("--target={target}"));
        }
        command.arg(source).current_dir(self.scratch);
        self.run(command, source, &output)?;
        Ok(output)
    }

    /// Compiles the runtime of native programs to bitcode.
    pub fn compile_runtime(&self, source: &Path) -> Result<PathBuf, Error> {
        let output = source.with_extension("bc");
        let mut command = Command::new(&self.program);
        command
            .args(["-O2", "-g", "-std=gnu17", "-w", "-ftls-model=local-exec", "-fPIE"])
            .args(["-emit-llvm", "-c", "-o"])
            .arg(&output)
            .arg(source)
            .stdin(Stdio::null());
        self.run(command, source, &output)?;
        Ok(output)
    }

    /// Optimises a whole program and makes an executable of it.
    pub fn link(&self, bitcode: &Path, output: &Path) -> Result<(), Error> {
        let mut command = Command::new(&self.program);
        command.args(["-O2", "-g", "-w", "-fPIE", "-pie", "-o"]).arg(dash_safe(output));
        command.arg(bitcode);
        let links = |flag: &&String| {
            ["-l", "-L", "-Wl,", "-fuse-ld"].iter().any(|prefix| flag.starts_with(prefix))
        };
        command.args(self.flags.iter().filter(links));
        command.args(["-lpthread", "-lm", "-Wl,--as-needed", "-lstdc++"]).stdin(Stdio::null());
        match self.end_of(&mut command)? {
            Ended { status, .. } if status.success() => Ok(()),
            Ended { stderr, .. } => Err(Error::NativeLink { stderr }),
        }
    }

    /// Whether LLVM survives reading a bitcode file. Its reader crashes on some
    /// damaged ones, so a process of its own tries first; any other verdict is left
    /// to the real reading.
    pub fn survives(&self, bitcode: &Path) -> bool {
        let mut command = Command::new(&self.program);
        command
            .args(["-x", "ir", "-w", "-fno-crash-diagnostics", "-Xclang", "-disable-llvm-passes"])
            .args(["-emit-llvm", "-c", "-o"])
            .arg(self.scratch.join("probe"))
            .arg(dash_safe(bitcode))
            .stdin(Stdio::null());
        // A shell's way to say "ended by a signal" is a code of 128 and more.
        match self.end_of(&mut command) {
            Ok(ended) => ended.status.code().is_some_and(|code| code < 128),
            Err(_) => true,
        }
    }

    /// Runs clang and returns what it had to say.
    fn run(&self, mut command: Command, source: &Path, output: &Path) -> Result<String, Error> {
        let Ended { status, stderr } = self.end_of(&mut command)?;
        if !status.success() {
            return Err(Error::Compiler { path: source.to_owned(), stderr });
        }
        if !output.exists() {
            return Err(Error::NoBitcode(source.to_owned()));
        }
        Ok(stderr)
    }

    /// Waits for the compiler. That it could not write is no error of the program.
    fn end_of(&self, command: &mut Command) -> Result<Ended, Error> {
        let ended = child::run(command, self.stop)
            .map_err(|source| Error::CompilerStart { path: self.program.clone(), source })?
            .ok_or(Error::Interrupted)?;
        match ended.status.success() {
            true => Ok(ended),
            false => match scratch::trouble(self.scratch, &ended.stderr) {
                Some(error) => Err(Error::Temporary(error)),
                None => Ok(ended),
            },
        }
    }

    /// Without the 32-bit C library installed, its headers still work once
    /// `gnu/stubs-32.h` (a list of functions that are missing there) exists and
    /// the 64-bit multiarch folder is searched.
    fn target_flags(&self) -> Vec<OsString> {
        if !self.ilp32 {
            return Vec::new();
        }
        let mut flags: Vec<OsString> = vec!["-m32".into(), "-idirafter".into()];
        flags.push(stub_folder(self.scratch).into());
        flags.extend(["-idirafter".into(), "/usr/include/x86_64-linux-gnu".into()]);
        flags
    }
}

fn add_own_flags(command: &mut Command, output: &Path) {
    command
        .args(["-g", "-O0", "-Xclang", "-disable-O0-optnone", "-fno-discard-value-names"])
        .args(["-emit-llvm", "-c", "-o"])
        .arg(output)
        .stdin(Stdio::null());
}

/// What `-x` among flags says that files are.
pub(crate) fn language(flags: &[String]) -> Option<&str> {
    let at = flags.iter().rposition(|flag| flag.starts_with("-x"))?;
    match &flags[at][2..] {
        "" => flags.get(at + 1).map(String::as_str),
        joined => Some(joined),
    }
}

/// Does it hold of the text of the file, or of one that it includes and that is no system's?
/// `headers` is a rule for `make` that names them.
fn mentions(source: &Path, headers: &Path, holds: fn(&[u8]) -> bool) -> bool {
    let says = |path: &Path| std::fs::read(path).is_ok_and(|text| holds(&text));
    let rule = std::fs::read_to_string(headers).unwrap_or_default().replace("\\\n", " ");
    // A space in a name is written `\ `.
    let names = rule.replace("\\ ", "\0");
    let mut included = names.split_whitespace().skip(1).map(|name| name.replace('\0', " "));
    says(source) || included.any(|name| says(Path::new(&name)))
}

fn says_inline(text: &[u8]) -> bool {
    text.windows(6).any(|word| word == b"inline")
}

/// CBMC starts a thread where a label has such a name. For a compiler it says nothing, so
/// that the program would be another one.
fn starts_thread(text: &[u8]) -> bool {
    const LABEL: &[u8] = b"__CPROVER_ASYNC_";
    let labels = text.windows(LABEL.len()).enumerate().filter(|(_, word)| *word == LABEL);
    labels.into_iter().any(|(at, _)| {
        let rest = &text[at + LABEL.len()..];
        let mut rest =
            rest.iter().skip_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
        rest.find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
    })
}

fn stub_folder(scratch: &Path) -> PathBuf {
    scratch.join("include32")
}

fn write_stubs(scratch: &Path) -> std::io::Result<()> {
    let folder = stub_folder(scratch).join("gnu");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("stubs-32.h"), "")
}

/// A file whose name starts with a dash must not look like a flag.
fn dash_safe(path: &Path) -> PathBuf {
    if path.to_string_lossy().starts_with('-') { Path::new(".").join(path) } else { path.into() }
}

/// `HEDDLE_CLANG`, or what is on the path.
pub(crate) fn find() -> Option<PathBuf> {
    match std::env::var_os("HEDDLE_CLANG") {
        Some(named) if !named.is_empty() => Some(PathBuf::from(named)),
        _ => on_path("clang-22").or_else(|| on_path("clang")),
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}
