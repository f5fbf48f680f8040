//! C++ names for people.
#![allow(unsafe_code, reason = "the demangler is a C function")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};

// Of the C++ library that LLVM itself is linked with (Itanium C++ ABI, section 3.4).
unsafe extern "C" {
    fn __cxa_demangle(
        name: *const c_char,
        buffer: *mut c_char,
        length: *mut usize,
        status: *mut c_int,
    ) -> *mut c_char;
    fn free(block: *mut c_void);
}

/// What a mangled name stands for, or `None` if it is not one.
pub fn demangle(name: &str) -> Option<String> {
    if !name.starts_with("_Z") {
        return None;
    }
    let name = CString::new(name).ok()?;
    let (buffer, length) = (std::ptr::null_mut(), std::ptr::null_mut());
    let mut status = 0;
    // SAFETY: the name is NUL-terminated. Without a buffer, the result is null or a
    // string that `malloc` made and that is ours to free.
    unsafe {
        let text = __cxa_demangle(name.as_ptr(), buffer, length, &raw mut status);
        if text.is_null() {
            return None;
        }
        let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
        free(text.cast());
        Some(owned)
    }
}

/// The same for a function, without its parameters and result.
pub(crate) fn demangle_function(name: &str) -> Option<String> {
    let full = demangle(name)?;
    let mut depth = 0usize;
    let (mut end, mut start) = (full.len(), 0);
    for (at, c) in full.char_indices() {
        match c {
            // The brackets of `operator()` belong to the name.
            '(' if depth == 0 && !full[..at].ends_with("operator") => {
                end = at;
                break;
            }
            '(' | '<' => depth += 1,
            ')' | '>' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 && !full[..at].ends_with("operator") => start = at + 1,
            _ => {}
        }
    }
    Some(full[start..end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::{demangle, demangle_function};

    #[test]
    fn names_are_read() {
        assert_eq!(demangle("_ZTISt12system_error").unwrap(), "typeinfo for std::system_error");
        assert_eq!(demangle("printf"), None);
        let function = |name| demangle_function(name).unwrap();
        assert_eq!(function("_ZNSt6thread4joinEv"), "std::thread::join");
        assert_eq!(function("_ZSt20__throw_system_errori"), "std::__throw_system_error");
        let endl = "_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_";
        assert_eq!(function(endl), "std::endl<char, std::char_traits<char> >");
    }
}
