//! Programs and globals.

use serde::{Deserialize, Serialize};

use crate::{Arguments, DebugType, DebugTypeId, Function, Place, PlaceId, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FuncId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GlobalId(pub u32);

#[derive(Clone, Debug)]
pub struct SourceFile {
    /// As the user would write it (relative when the compiler was given a
    /// relative path).
    pub path: String,
    /// Where the compiler ran, to find the text of a relative `path`.
    pub directory: String,
}

/// Whose a file is. People are told what happened in a file that is not theirs in
/// terms of their own lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    User,
    /// Headers of the system, and Heddle's version of library functions.
    Library,
    /// Heddle's own bookkeeping for threads and streams.
    Runtime,
}

impl SourceFile {
    /// A native program has the system's version of what is in it, whose accesses nobody
    /// counts.
    pub fn is_systems(&self) -> bool {
        const FILES: &[&str] = &["<heddle>/cxx/", "<heddle>/runtime/cxxthrow.c"];
        FILES.iter().any(|file| self.path.starts_with(file))
    }

    pub fn whose(&self) -> Whose {
        const FOLDERS: &[&str] = &["<heddle>/", "/usr/include/", "/usr/lib/"];
        if self.path.starts_with("<heddle>/runtime/") {
            Whose::Runtime
        } else if FOLDERS.iter().any(|folder| self.path.starts_with(folder))
            || self.path.contains("/include/c++/")
        {
            Whose::Library
        } else {
            Whose::User
        }
    }
}

/// A whole program, linked from all its source files.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub functions: Vec<Function>,
    pub globals: Vec<Global>,
    pub files: Vec<SourceFile>,
    pub debug_types: Vec<DebugType>,
    pub places: Vec<Place>,
    /// 4 or 8. Memory is little-endian.
    pub pointer_bytes: u8,
    /// Functions to run before the entry, in order (C++ static initialisers).
    pub constructors: Vec<FuncId>,
    /// What it is started with.
    pub arguments: Arguments,
    /// Waits for condition variables end by signals only, though it may matter that others
    /// can end without.
    pub signals_only: bool,
    /// Any allocation may fail.
    pub allocations_fail: bool,
}

impl Program {
    pub fn function(&self, id: FuncId) -> &Function {
        &self.functions[id.0 as usize]
    }

    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }

    /// Is the function Heddle's version of a library function, in C?
    pub fn is_support(&self, function: FuncId) -> bool {
        let span = self.function(function).span;
        let file = self.files.get(span.file as usize).filter(|_| span.is_known());
        file.is_some_and(|file| file.path.starts_with("<heddle>/"))
    }

    /// Whose line a position is.
    pub fn whose(&self, span: Span) -> Whose {
        self.files.get(span.file as usize).map_or(Whose::User, SourceFile::whose)
    }

    pub fn debug_type(&self, id: DebugTypeId) -> &DebugType {
        &self.debug_types[id.0 as usize]
    }

    pub fn place(&self, id: PlaceId) -> &Place {
        &self.places[id.0 as usize]
    }

    pub fn find_function(&self, name: &str) -> Option<FuncId> {
        self.functions.iter().position(|f| f.name == name).map(|i| FuncId(i as u32))
    }

    pub fn pointer_bits(&self) -> u32 {
        u32::from(self.pointer_bytes) * 8
    }

    /// `file:line:column`, without the column if debug info has none (as for a
    /// global); `None` when the position is unknown.
    pub fn position(&self, span: Span) -> Option<String> {
        if !span.is_known() {
            return None;
        }
        let file = self.files.get(span.file as usize)?;
        Some(match span.column {
            0 => format!("{}:{}", file.path, span.line),
            column => format!("{}:{}:{column}", file.path, span.line),
        })
    }
}

#[derive(Clone, Debug)]
pub struct Global {
    pub name: String,
    /// The name in the source, when it differs (a function-local `static`).
    pub source_name: Option<String>,
    pub bytes: u64,
    pub align: u64,
    /// Never written after start: accesses to it are no visible steps.
    pub constant: bool,
    /// `__thread`: every thread has its own instance, reached by
    /// [`crate::Op::ThreadLocal`].
    pub thread_local: bool,
    /// `None` for a declaration without a definition; touching it stops loudly.
    pub init: Option<Init>,
    pub ty: Option<DebugTypeId>,
    pub span: Span,
}

/// Initial contents: `bytes`, padded with zeros to the size of the global, with
/// addresses patched in.
#[derive(Clone, Debug, Default)]
pub struct Init {
    pub bytes: Vec<u8>,
    pub relocations: Vec<Relocation>,
}

/// At `offset` stands the address of `symbol` plus `addend`, in pointer width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    pub offset: u64,
    pub symbol: Symbol,
    pub addend: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    Global(GlobalId),
    Function(FuncId),
}
