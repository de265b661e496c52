//! Reads compiler reports: detects the format of a file, and turns bytes into remarks.
//!
//! The format is taken from the content, never from the file's name, because projects rename reports. Formats
//! and their sources: GCC's `-fopt-info` and dump files (GCC manual, "Developer Options"), GCC's
//! `-fsave-optimization-record` (gzip-compressed JSON, same section), LLVM's YAML optimization records and
//! textual remarks (LLVM manual, "Remarks"), Intel's classic `-qopt-report` text (Intel C++/Fortran Compiler
//! Classic guide). [`crate::condense`] then groups and ranks per loop.

pub mod clang_text;
pub mod clang_yaml;
pub mod gcc_record;
pub mod gcc_text;
pub mod intel;
mod position;

use crate::condense;
use crate::remark::Remark;
use loopwright_files::regular;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Most bytes of a report, packed or unpacked: a report is text about one translation unit, not a gigabyte.
pub(crate) const MAX_REPORT_BYTES: u64 = 1 << 29;

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `-fopt-info-*` output or a `-fdump-tree-vect-details` dump.
    GccText,
    /// `-fsave-optimization-record` of GCC (JSON, usually gzip-compressed).
    GccRecord,
    /// `.opt.yaml` of clang, flang or rustc.
    ClangYaml,
    /// `-Rpass*` of clang or `-Cremark` of rustc, as printed.
    ClangText,
    /// `.optrpt` of icc, icpc or ifort; also the older one-line `-vec-report`.
    Intel,
}

/// Why a report could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file could not be opened or read.
    #[error("cannot read the compiler report {path}: {cause}; check the path and its permissions")]
    Unreadable {
        /// Path of the report.
        path: PathBuf,
        /// The operating system's reason.
        cause: std::io::Error,
    },
    /// The file is larger than any report.
    #[error(
        "{path} is larger than {limit_bytes} bytes, too large for a compiler report; give one report per source file"
    )]
    TooLarge {
        /// Path of the report.
        path: PathBuf,
        /// Largest size that is read, in bytes.
        limit_bytes: u64,
    },
    /// No known format.
    #[error(
        "{path} is not a known compiler report; give GCC -fopt-info or .opt-record.json.gz, clang .opt.yaml or -Rpass text, or Intel .optrpt"
    )]
    UnknownFormat {
        /// Path of the report.
        path: PathBuf,
    },
    /// LLVM's binary remark container.
    #[error(
        "{path} holds LLVM bitstream remarks; convert it with `llvm-remarkutil bitstream2yaml` or build with -fsave-optimization-record=yaml"
    )]
    Bitstream {
        /// Path of the report.
        path: PathBuf,
    },
    /// The format is known but its content is damaged.
    #[error("{path} is damaged ({detail}); build again to renew the report")]
    Damaged {
        /// Path of the report.
        path: PathBuf,
        /// The first damage found.
        detail: String,
    },
}

/// Reads one report of any known format.
pub fn parse_file(path: &Path) -> Result<Vec<Remark>, Error> {
    let unreadable = |cause| Error::Unreadable { path: path.to_path_buf(), cause };
    let file = regular::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.len() > MAX_REPORT_BYTES {
        return Err(Error::TooLarge { path: path.to_path_buf(), limit_bytes: MAX_REPORT_BYTES });
    }
    parse_bytes(path, &regular::read_opened(file, MAX_REPORT_BYTES).map_err(unreadable)?, None)
}

/// Reads a report from memory; `name` is only for error messages, `hint` overrules the detection.
///
/// The result is condensed: one entry per loop and reason, the most specific reason of a loop first.
pub fn parse_bytes(name: &Path, bytes: &[u8], hint: Option<Format>) -> Result<Vec<Remark>, Error> {
    let damaged = |detail: String| Error::Damaged { path: name.to_path_buf(), detail };
    let unpacked;
    let bytes = if bytes.starts_with(&[0x1f, 0x8b]) {
        unpacked = gunzip(bytes).map_err(damaged)?;
        unpacked.as_slice()
    } else {
        bytes
    };
    if bytes.starts_with(b"RMRK") || bytes.starts_with(b"BC\xc0\xde") {
        return Err(Error::Bitstream { path: name.to_path_buf() });
    }
    let text = String::from_utf8_lossy(bytes);
    let format = match hint.or_else(|| detect(&text)) {
        Some(format) => format,
        // A compiler writes a file without any remark for a source without loops.
        None if text.trim().is_empty() => return Ok(Vec::new()),
        None => return Err(Error::UnknownFormat { path: name.to_path_buf() }),
    };
    let remarks = match format {
        Format::GccText => gcc_text::parse(&text),
        Format::GccRecord => gcc_record::parse(&text).map_err(damaged)?.into_remarks(),
        Format::ClangYaml => clang_yaml::parse(&text),
        Format::ClangText => clang_text::parse(&text),
        Format::Intel => intel::parse(&text),
    };
    Ok(condense::condense(remarks))
}

/// Reads a GCC text report together with the record of the same compilation: text from the one, functions and inlining
/// from the other, because GCC drops the text of failures from its record.
pub fn parse_gcc_pair(name: &Path, text: &[u8], record: &[u8]) -> Result<Vec<Remark>, Error> {
    let damaged = |detail: String| Error::Damaged { path: name.to_path_buf(), detail };
    let mut remarks = gcc_text::parse(&String::from_utf8_lossy(text));
    let json = gunzip(record).map_err(damaged)?;
    let record = gcc_record::parse(&String::from_utf8_lossy(&json)).map_err(damaged)?;
    record.annotate(&mut remarks);
    Ok(condense::condense(remarks))
}

/// Records of GCC 12 unpack to 7 to 35 times their size; a file that unpacks to more than this many times its
/// own is made to fill memory. Small ones may exceed this: a run of equal remarks packs well.
const MAX_RATIO: u64 = 200;
const SMALL_BYTES: u64 = 16 << 20;

fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let limit = (bytes.len() as u64 * MAX_RATIO).clamp(SMALL_BYTES, MAX_REPORT_BYTES);
    let mut unpacked = Vec::new();
    let mut reader = flate2::read::MultiGzDecoder::new(bytes).take(limit + 1);
    reader.read_to_end(&mut unpacked).map_err(|cause| format!("gzip: {cause}"))?;
    if unpacked.len() as u64 > limit {
        return Err("unpacks to more than a report can hold".to_string());
    }
    Ok(unpacked)
}

/// The format of a report, from the first lines that identify it.
pub fn detect(text: &str) -> Option<Format> {
    if text.trim_start().starts_with(['[', '{']) {
        return Some(Format::GccRecord);
    }
    for line in text.lines().take(20_000) {
        if line.starts_with("--- !") {
            return Some(Format::ClangYaml);
        }
        let trimmed = line.trim_start();
        if trimmed.starts_with("LOOP BEGIN at ")
            || trimmed.starts_with("Begin optimization report for")
            || trimmed.starts_with("Global optimization report for")
            || trimmed.starts_with("Intel(R) Advisor can now assist")
            || trimmed.starts_with("remark #")
            || line.contains(": (col. ")
        {
            return Some(Format::Intel);
        }
        if clang_text::is_remark(line) {
            return Some(Format::ClangText);
        }
        if gcc_text::is_report_line(line) {
            return Some(Format::GccText);
        }
    }
    None
}
