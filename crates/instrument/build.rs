//! Compiles the code that hooked functions call, for the processor and system that the tool is for.

#[allow(dead_code, reason = "the other side needs the rest")]
#[path = "src/hooks/layout.rs"]
mod layout;

use layout::{BINS, frame, known, peer, request, site, table, word};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    for path in ["build.rs", "src/hooks/handler.c", "src/hooks/layout.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let library = folder.join("handler.so");
    if std::env::var("CARGO_CFG_TARGET_ARCH")? != "x86_64" {
        // Nothing is hooked on other processors.
        std::fs::write(library, [])?;
        return Ok(());
    }
    let mut build = cc::Build::new();
    build.opt_level(2).debug(false).warnings(false).pic(true);
    for (name, value) in numbers() {
        build.define(&name, value.to_string().as_str());
    }
    let compiler = build.try_get_compiler()?;
    let mut command = compiler.to_command();
    command.args(compiler.is_like_gnu().then_some("-fno-tree-loop-distribute-patterns"));
    // No data, no library, no vector registers, no marks of the platform that the linker would look at.
    command.args([
        "-x",
        "c",
        "-std=gnu11",
        "-ffreestanding",
        "-fno-builtin",
        "-mgeneral-regs-only",
        "-fvisibility=hidden",
    ]);
    command.args([
        "-fno-stack-protector",
        "-fno-asynchronous-unwind-tables",
        "-fcf-protection=none",
        "-fno-lto",
    ]);
    command.args([
        "-shared",
        "-nostdlib",
        "-Wl,-Bsymbolic,-z,noexecstack,-z,norelro,--build-id=none,--hash-style=sysv",
    ]);
    command.arg("src/hooks/handler.c").arg("-o").arg(&library);
    let status = command.status().map_err(|e| format!("{command:?}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}

/// The numbers of `layout.rs` by the names that `handler.c` has for them.
fn numbers() -> Vec<(String, u64)> {
    let mut all = [
        ("COUNTERS", layout::COUNTERS),
        ("LAYER", layout::LAYER),
        ("AREA_NUMBER", layout::NUMBER),
        ("TABLE_PAGE", table::PAGE),
        ("TABLE_SITES", table::SITES),
        ("TABLE_PEERS", table::PEERS),
        ("TABLE_KNOWN", table::KNOWN),
        ("TABLE_REQUESTS", table::REQUESTS),
        ("WORD_DEPTH", word::DEPTH),
        ("WORD_RANK", word::RANK),
        ("WORD_SIZE", word::SIZE),
        ("WORD_INSIDE", word::INSIDE),
        ("WORD_SITES_LOST", word::SITES_LOST),
        ("WORD_PEERS_LOST", word::PEERS_LOST),
        ("WORD_STARTS_LOST", word::STARTS_LOST),
        ("WORD_TORN", word::TORN),
        ("WORD_FOREIGN", word::FOREIGN),
        ("WORD_FRAMES", word::FRAMES),
        ("FRAME_STACK", frame::STACK),
        ("FRAME_FUNCTION", frame::FUNCTION),
        ("FRAME_SITE", frame::SITE),
        ("FRAME_BEGIN", frame::BEGIN),
        ("FRAME_ROW", frame::ROW),
        ("FRAME_HANDLE", frame::HANDLE),
        ("FRAME_BYTES", frame::BYTES),
        ("FRAME_PEER", frame::PEER),
        ("FRAME_WORDS", frame::WORDS),
        ("FRAME_MOST", frame::MOST),
        ("SITE_PLACE", site::PLACE),
        ("SITE_FUNCTION", site::FUNCTION),
        ("SITE_CALLS", site::CALLS),
        ("SITE_BYTES", site::BYTES),
        ("SITE_TICKS", site::TICKS),
        ("SITE_LONGEST", site::LONGEST),
        ("SITE_WAITING", site::WAITING),
        ("SITE_UNKNOWN", site::UNKNOWN),
        ("SITE_BINS", site::BINS),
        ("SITE_WORDS", site::WORDS),
        ("SITE_ROWS", site::ROWS),
        ("PEER_RANK", peer::RANK),
        ("PEER_MESSAGES", peer::MESSAGES),
        ("PEER_BYTES", peer::BYTES),
        ("PEER_WORDS", peer::WORDS),
        ("PEER_ROWS", peer::ROWS),
        ("KNOWN_COMMUNICATOR", known::COMMUNICATOR),
        ("KNOWN_RANK", known::RANK),
        ("KNOWN_WORLD", known::WORLD),
        ("KNOWN_FREED", known::FREED),
        ("KNOWN_WORDS", known::WORDS),
        ("KNOWN_ROWS", known::ROWS),
        ("REQUEST_HANDLE", request::HANDLE),
        ("REQUEST_BYTES", request::BYTES),
        ("REQUEST_PEER", request::PEER),
        ("REQUEST_WORDS", request::WORDS),
        ("REQUEST_ROWS", request::ROWS),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec();
    all.extend(BINS.iter().enumerate().map(|(k, bytes)| (format!("BIN_{k}"), *bytes)));
    all
}
