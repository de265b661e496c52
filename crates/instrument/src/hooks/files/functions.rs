//! The functions of input and output that are hooked: those of the C library (POSIX.1-2017; glibc 2.36 for the names of versions),
//! and those of libraries that call them, so that a transfer is counted where the program asked for it.
//!
//! Functions that move single characters (`getc`, `putc`) are not hooked: the hooks would take longer than they do. Transfers that
//! they cause are counted for the file, and at their place in the C library.

use crate::hooks::Known;
use crate::hooks::shapes::IoShape;
use IoShape as S;

/// What a call is for.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum IoClass {
    /// Reads.
    Read,
    /// Writes, or hands over to be written.
    Write,
    /// Opens, closes, and looks for files.
    Open,
    /// Moves the position.
    Seek,
    /// Waits until bytes are on the device.
    Sync,
    /// Everything else.
    #[default]
    Other,
}

/// A function by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Without the marks of its versions.
    pub name: &'static str,
    /// What it does.
    pub shape: IoShape,
    /// What it is for.
    pub class: IoClass,
}

const fn f(name: &'static str, shape: IoShape, class: IoClass) -> Function {
    Function { name, shape, class }
}

/// All of them; a function's number is its place here.
pub static FUNCTIONS: &[Function] = &{
    use IoClass::{Open, Other, Read, Seek, Sync, Write};
    [
        f("open", S::Open, Open),
        f("openat", S::OpenAt, Open),
        f("creat", S::Create, Open),
        f("close", S::Close, Open),
        f("close_range", S::CloseRange, Open),
        f("read", S::Read, Read),
        f("readv", S::Read, Read),
        f("pread", S::ReadAt, Read),
        f("preadv", S::ReadAt, Read),
        f("preadv2", S::ReadAt, Read),
        f("write", S::Write, Write),
        f("writev", S::Write, Write),
        f("pwrite", S::WriteAt, Write),
        f("pwritev", S::WriteAt, Write),
        f("pwritev2", S::WriteAt, Write),
        f("sendfile", S::Send, Write),
        f("copy_file_range", S::Copy, Write),
        f("lseek", S::Seek, Seek),
        f("fsync", S::Sync, Sync),
        f("fdatasync", S::Sync, Sync),
        f("dup", S::Duplicate, Other),
        f("dup2", S::Duplicate, Other),
        f("dup3", S::Duplicate, Other),
        f("fcntl", S::Control, Other),
        f("mmap", S::Map, Other),
        f("msync", S::Other, Sync),
        f("stat", S::Other, Open),
        f("lstat", S::Other, Open),
        f("fstat", S::Other, Open),
        f("fstatat", S::Other, Open),
        f("statx", S::Other, Open),
        f("access", S::Other, Open),
        f("unlink", S::Other, Other),
        f("rename", S::Other, Other),
        f("mkdir", S::Other, Other),
        f("truncate", S::Other, Other),
        f("ftruncate", S::Other, Other),
        f("fallocate", S::Other, Other),
        f("posix_fallocate", S::Silent, Other),
        f("fopen", S::OpenStream, Open),
        f("fdopen", S::OpenStream, Open),
        f("freopen", S::OpenStream, Open),
        f("fclose", S::CloseStream, Open),
        f("fread", S::Elements, Read),
        f("fread_chk", S::ElementsChecked, Read),
        f("fgets", S::Plain, Read),
        f("getline", S::Plain, Read),
        f("getdelim", S::Plain, Read),
        f("fscanf", S::Plain, Read),
        f("vfscanf", S::Plain, Read),
        f("scanf", S::Plain, Read),
        f("fwrite", S::Elements, Write),
        f("fputs", S::Plain, Write),
        f("puts", S::Plain, Write),
        f("printf", S::Bytes, Write),
        f("vprintf", S::Bytes, Write),
        f("fprintf", S::Bytes, Write),
        f("vfprintf", S::Bytes, Write),
        f("dprintf", S::Bytes, Write),
        f("perror", S::Silent, Write),
        f("fflush", S::Other, Write),
        f("fseek", S::Other, Seek),
        f("fseeko", S::Other, Seek),
        f("fsetpos", S::Other, Seek),
        f("rewind", S::Silent, Seek),
        f("ftell", S::Silent, Seek),
        f("ftello", S::Silent, Seek),
        // Statements of Fortran (libgfortran; a statement is several calls, one for each item).
        f("transfer", S::Plain, Read),
        f("transfer_write", S::Plain, Write),
        f("st_open", S::Silent, Open),
        f("st_close", S::Silent, Open),
        f("st_inquire", S::Silent, Open),
        f("st_read", S::Plain, Read),
        f("st_read_done", S::Plain, Read),
        f("st_write", S::Plain, Write),
        f("st_write_done", S::Plain, Write),
        f("st_rewind", S::Silent, Seek),
        f("st_backspace", S::Silent, Seek),
        f("flush_i4", S::Silent, Write),
        // Streams of C++ (libstdc++).
        f("std::ostream::write", S::Plain, Write),
        f("std::ostream::flush", S::Silent, Write),
        f("std::ostream::operator<<", S::Plain, Write),
        f("std::endl", S::Plain, Write),
        f("std::istream::read", S::Plain, Read),
        f("std::istream::operator>>", S::Plain, Read),
        f("std::getline", S::Plain, Read),
        f("std::filebuf::open", S::OpenStream, Open),
        f("std::filebuf::close", S::Silent, Open),
        // MPI-IO (MPI 4.0, chapter 14).
        f("MPI_File_open", S::Silent, Open),
        f("MPI_File_close", S::Silent, Open),
        f("MPI_File_sync", S::Silent, Sync),
        f("MPI_File_set_view", S::Silent, Other),
        f("MPI_File_set_size", S::Silent, Other),
        f("MPI_File_preallocate", S::Silent, Other),
        f("MPI_File_read", S::Plain, Read),
        f("MPI_File_read_all", S::Plain, Read),
        f("MPI_File_read_at", S::Plain, Read),
        f("MPI_File_read_at_all", S::Plain, Read),
        f("MPI_File_read_ordered", S::Plain, Read),
        f("MPI_File_read_shared", S::Plain, Read),
        f("MPI_File_write", S::Plain, Write),
        f("MPI_File_write_all", S::Plain, Write),
        f("MPI_File_write_at", S::Plain, Write),
        f("MPI_File_write_at_all", S::Plain, Write),
        f("MPI_File_write_ordered", S::Plain, Write),
        f("MPI_File_write_shared", S::Plain, Write),
        // HDF5 1.10 and later.
        f("H5Fopen", S::Silent, Open),
        f("H5Fcreate", S::Silent, Open),
        f("H5Fclose", S::Silent, Open),
        f("H5Fflush", S::Silent, Sync),
        f("H5Dopen2", S::Silent, Open),
        f("H5Dcreate2", S::Silent, Open),
        f("H5Dclose", S::Silent, Open),
        f("H5Dread", S::Plain, Read),
        f("H5Dwrite", S::Plain, Write),
        f("H5Aread", S::Plain, Read),
        f("H5Awrite", S::Plain, Write),
        // netCDF: the variants for each type have longer names.
        f("nc_open", S::Silent, Open),
        f("nc_create", S::Silent, Open),
        f("nc_close", S::Silent, Open),
        f("nc_enddef", S::Silent, Other),
        f("nc_sync", S::Silent, Sync),
        f("nc_get_var", S::Plain, Read),
        f("nc_put_var", S::Plain, Write),
    ]
};

/// How the handler knows the function that a symbol is. Names of the C library are its own only where the file is that library.
pub fn known(symbol: &str, has_c_library: bool) -> Option<Known> {
    let number = named(symbol, has_c_library)?;
    let shape = FUNCTIONS.get(number as usize)?.shape as u32;
    Some(Known { word: number | shape << 16, wrapper: false })
}

/// How names of MPI-IO begin, in capitals or not.
const MPI_FILE: &str = "MPI_File_";

fn named(symbol: &str, has_c_library: bool) -> Option<u32> {
    // The version of a symbol is behind an `@`.
    let symbol = symbol.split('@').next().unwrap_or(symbol);
    let number = |name: &str| FUNCTIONS.iter().position(|f| f.name == name).map(|n| n as u32);
    if let Some(statement) = symbol.strip_prefix("_gfortran_") {
        if statement.starts_with("transfer_") {
            return number(if statement.ends_with("_write") { "transfer_write" } else { "transfer" });
        }
        return number(statement).filter(|_| statement.starts_with("st_") || statement.starts_with("flush_"));
    }
    if symbol.starts_with("H5") {
        return number(symbol);
    }
    if symbol.starts_with("nc_") {
        let variants = ["nc_get_var", "nc_put_var"];
        return variants
            .iter()
            .find(|v| symbol.starts_with(**v))
            .map_or_else(|| number(symbol), |v| number(v));
    }
    if symbol.starts_with("_Z") {
        return stream(symbol).and_then(number);
    }
    // Asked of each symbol of each file: nothing is copied.
    let unprofiled = symbol.strip_prefix(['P', 'p']).unwrap_or(symbol);
    if unprofiled.get(..MPI_FILE.len()).is_some_and(|start| start.eq_ignore_ascii_case(MPI_FILE)) {
        let of_mpi = crate::hooks::mpi::functions::named(symbol)?;
        return number(crate::hooks::mpi::functions::FUNCTIONS.get(of_mpi.number as usize)?.name);
    }
    if !has_c_library {
        return None;
    }
    let name = of_the_c_library(symbol);
    // Those of the first part of the list.
    number(&name).filter(|n| *n <= number("ftello").unwrap_or(0))
}

/// A name of the C library without the marks of its versions: for files beyond 2 GiB, of ISO standards, with checks of buffers,
/// without locks, and internal aliases.
fn of_the_c_library(symbol: &str) -> String {
    let mut name = symbol;
    for prefix in ["__isoc99_", "__isoc23_", "__libc_", "_IO_", "__"] {
        name = name.strip_prefix(prefix).unwrap_or(name);
    }
    // `__xstat` of glibc before 2.33 has its version before the arguments of `stat`.
    let name = name.strip_prefix('x').filter(|rest| rest.starts_with("stat")).unwrap_or(name);
    // What the library itself calls: threads are not cancelled there.
    let name = name.strip_suffix("_nocancel").unwrap_or(name);
    let checked = name.strip_suffix("_chk");
    let name = checked.or(name.strip_suffix("_unlocked")).unwrap_or(name);
    let name = name.strip_suffix("_unlocked").unwrap_or(name);
    let name = match name.strip_suffix("_2") {
        Some(base) if base.starts_with("open") => base,
        _ => name,
    };
    let name = name.replace("64v2", "2");
    let name = name.strip_suffix("64").unwrap_or(&name);
    // The length of the buffer is before the size of an element.
    if checked.is_some() && name == "fread" { "fread_chk".to_owned() } else { name.to_owned() }
}

/// Functions of streams of C++, by their mangled names.
fn stream(symbol: &str) -> Option<&'static str> {
    Some(match symbol {
        "_ZNSo5writeEPKcl" => "std::ostream::write",
        "_ZNSo5flushEv" => "std::ostream::flush",
        "_ZNSi4readEPcl" => "std::istream::read",
        _ if symbol.starts_with("_ZSt4endlIcSt11char_traits") => "std::endl",
        _ if symbol.starts_with("_ZSt16__ostream_insertIcSt11char_traits") => "std::ostream::operator<<",
        _ if symbol.starts_with("_ZNSols") || symbol.starts_with("_ZNSo9_M_insert") => {
            "std::ostream::operator<<"
        }
        _ if symbol.starts_with("_ZNSirs") || symbol.starts_with("_ZNSi10_M_extract") => {
            "std::istream::operator>>"
        }
        _ if symbol.starts_with("_ZSt7getlineIcSt11char_traits") => "std::getline",
        _ if symbol.starts_with("_ZNSt13basic_filebufIcSt11char_traitsIcEE4openE") => "std::filebuf::open",
        _ if symbol.starts_with("_ZNSt13basic_filebufIcSt11char_traitsIcEE5closeE") => "std::filebuf::close",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn found(symbol: &str) -> Option<(&'static str, IoShape)> {
        let n = named(symbol, true)?;
        Some((FUNCTIONS[n as usize].name, FUNCTIONS[n as usize].shape))
    }

    #[test]
    fn versions_of_a_name_are_one_function() {
        for (symbols, name) in [
            (
                &["open", "open64", "__open", "__open64_2", "open@@GLIBC_2.2.5", "__open64_nocancel"][..],
                "open",
            ),
            (&["pread", "pread64", "__libc_pread64", "__pread64_chk"], "pread"),
            (&["fwrite", "_IO_fwrite", "fwrite_unlocked"], "fwrite"),
            (&["preadv64v2", "preadv2"], "preadv2"),
            (&["preadv", "preadv64"], "preadv"),
            (&["__isoc99_fscanf", "__isoc23_fscanf", "fscanf"], "fscanf"),
            (&["__fprintf_chk", "fprintf"], "fprintf"),
            (&["__stat64", "stat"], "stat"),
            (&["_gfortran_st_write_done"], "st_write_done"),
            (&["_gfortran_transfer_real_write", "_gfortran_transfer_array_write"], "transfer_write"),
            (&["_gfortran_transfer_integer"], "transfer"),
            (&["PMPI_File_write_all", "mpi_file_write_all_"], "MPI_File_write_all"),
            (&["nc_put_vara_double", "nc_put_var"], "nc_put_var"),
            (&["_ZNSolsEi", "_ZNSo9_M_insertIdEERSoT_"], "std::ostream::operator<<"),
        ] {
            for symbol in symbols {
                assert_eq!(found(symbol).map(|f| f.0), Some(name), "{symbol}");
            }
        }
        assert_eq!(found("__fread_chk"), Some(("fread_chk", IoShape::ElementsChecked)));
        assert_eq!(found("__fread_unlocked_chk"), Some(("fread_chk", IoShape::ElementsChecked)));
    }

    #[test]
    fn other_names_are_left_alone() {
        for symbol in [
            "main",
            "",
            "reader",
            "MPI_File_get_size",
            "H5open",
            "_gfortran_write",
            "_gfortran_",
            "std::endl",
            "st_write",
            "H5Fopen_x",
            "_ZNSs5writeEv",
            "MPI_Send",
            "nc_inq",
            "getc",
            "_IO_file_write",
        ] {
            assert_eq!(found(symbol), None, "{symbol}");
        }
        assert_eq!(named("read", false), None, "a program's own function");
        assert!(named("H5Dread", false).is_some());
    }

    #[test]
    fn each_function_is_there_once() {
        let names: HashSet<&str> = FUNCTIONS.iter().map(|f| f.name).collect();
        assert_eq!(names.len(), FUNCTIONS.len());
    }
}
