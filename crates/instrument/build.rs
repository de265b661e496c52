//! Compiles the code that hooked functions call, for the processor and system that the tool is for.

#[allow(dead_code, reason = "the other side needs the rest")]
#[path = "src/hooks/layout.rs"]
mod layout;
#[allow(dead_code, reason = "the other side needs the rest")]
#[path = "src/hooks/shapes.rs"]
mod shapes;

use layout::{files, frame, heap, mpi, site, word};
use std::error::Error;
use std::path::{Path, PathBuf};

type Numbers = Vec<(&'static str, u64)>;

fn main() -> Result<(), Box<dyn Error>> {
    for path in ["build.rs", "src/hooks"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let is_for_us = std::env::var("CARGO_CFG_TARGET_ARCH")? == "x86_64";
    for (family, own) in [("mpi", of_mpi()), ("files", of_files()), ("heap", of_heap())] {
        let library = folder.join(family).with_extension("so");
        if is_for_us {
            compile(Path::new("src/hooks").join(family).join("handler.c"), &library, own)?;
        } else {
            // Nothing is hooked on other processors.
            std::fs::write(library, [])?;
        }
    }
    Ok(())
}

fn compile(source: PathBuf, library: &Path, own: Numbers) -> Result<(), Box<dyn Error>> {
    let mut build = cc::Build::new();
    build.opt_level(2).debug(false).warnings(false).pic(true);
    for (name, value) in common().into_iter().chain(own) {
        build.define(name, value.to_string().as_str());
    }
    for (k, bytes) in layout::BINS.iter().enumerate() {
        build.define(&format!("BIN_{k}"), bytes.to_string().as_str());
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
    command.arg(source).arg("-o").arg(library);
    let status = command.status().map_err(|e| format!("{command:?}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}

/// The numbers of `layout.rs` by the names that all handlers have for them.
fn common() -> Numbers {
    vec![
        ("COUNTERS", layout::COUNTERS),
        ("LAYER", layout::LAYER),
        ("AREA_NUMBER", layout::NUMBER),
        ("TABLE_PAGE", layout::PAGE),
        ("TABLE_SITES", site::TABLE),
        ("WORD_DEPTH", word::DEPTH),
        ("WORD_INSIDE", word::INSIDE),
        ("WORD_SITES_LOST", word::SITES_LOST),
        ("WORD_TORN", word::TORN),
        ("WORD_FRAMES", word::FRAMES),
        ("FRAME_STACK", frame::STACK),
        ("FRAME_FUNCTION", frame::FUNCTION),
        ("FRAME_SITE", frame::SITE),
        ("FRAME_BEGIN", frame::BEGIN),
        ("FRAME_OWN", frame::OWN),
        ("FRAME_WORDS", frame::WORDS),
        ("FRAME_MOST", frame::MOST),
        ("SITE_PLACE", site::PLACE),
        ("SITE_FUNCTION", site::FUNCTION),
        ("SITE_CALLS", site::CALLS),
        ("SITE_BYTES", site::BYTES),
        ("SITE_TICKS", site::TICKS),
        ("SITE_LONGEST", site::LONGEST),
        ("SITE_UNKNOWN", site::UNKNOWN),
        ("SITE_BINS", site::BINS),
        ("SITE_WORDS", site::WORDS),
        ("SITE_ROWS", site::ROWS),
    ]
}

/// Those of the handler of MPI's functions.
fn of_mpi() -> Numbers {
    use mpi::{known, peer, request};
    let mut all = vec![
        ("TABLE_PEERS", peer::TABLE),
        ("TABLE_KNOWN", known::TABLE),
        ("TABLE_REQUESTS", request::TABLE),
        ("WORD_RANK", mpi::word::RANK),
        ("WORD_SIZE", mpi::word::SIZE),
        ("WORD_PEERS_LOST", mpi::word::PEERS_LOST),
        ("WORD_STARTS_LOST", mpi::word::STARTS_LOST),
        ("WORD_FOREIGN", mpi::word::FOREIGN),
        ("FRAME_ROW", mpi::frame::ROW),
        ("FRAME_HANDLE", mpi::frame::HANDLE),
        ("FRAME_BYTES", mpi::frame::BYTES),
        ("FRAME_PEER", mpi::frame::PEER),
        ("SITE_WAITING", mpi::site::WAITING),
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
    ];
    all.extend(shapes::MPI.iter().map(|(name, shape)| (*name, *shape as u64)));
    all.extend(shapes::MARKS.map(|(name, mark)| (name, u64::from(mark))));
    all
}

/// Those of the handler of input and output.
fn of_files() -> Numbers {
    use files::{descriptor, file, unnamed};
    let mut all = vec![
        ("WORD_PROCESS", files::word::PROCESS),
        ("WORD_FILES_LOST", files::word::FILES_LOST),
        ("WORD_NESTED", files::word::NESTED),
        ("FRAME_FIRST", files::frame::FIRST),
        ("FRAME_DESCRIPTOR", files::frame::DESCRIPTOR),
        ("FRAME_TRANSFERS", files::frame::TRANSFERS),
        ("FRAME_MOVED", files::frame::MOVED),
        ("SITE_FAILED", files::site::FAILED),
        ("SITE_TRANSFERS", files::site::TRANSFERS),
        ("SITE_MOVED", files::site::MOVED),
        ("TABLE_FILES", file::TABLE),
        ("FILE_KEY", file::KEY),
        ("FILE_LENGTH", file::LENGTH),
        ("FILE_OPENS", file::OPENS),
        ("FILE_READS", file::READS),
        ("FILE_WRITES", file::WRITES),
        ("FILE_READ_BYTES", file::READ_BYTES),
        ("FILE_WRITTEN_BYTES", file::WRITTEN_BYTES),
        ("FILE_READ_TICKS", file::READ_TICKS),
        ("FILE_WRITE_TICKS", file::WRITE_TICKS),
        ("FILE_OTHER_TICKS", file::OTHER_TICKS),
        ("FILE_SEEKS", file::SEEKS),
        ("FILE_SYNCS", file::SYNCS),
        ("FILE_LONGEST", file::LONGEST),
        ("FILE_CONSECUTIVE", file::CONSECUTIVE),
        ("FILE_FORWARD", file::FORWARD),
        ("FILE_BACKWARD", file::BACKWARD),
        ("FILE_UNALIGNED", file::UNALIGNED),
        ("FILE_SWITCHES", file::SWITCHES),
        ("FILE_MAPPED", file::MAPPED),
        ("FILE_IN_FOLDER", file::IN_FOLDER),
        ("FILE_READ_BINS", file::READ_BINS),
        ("FILE_WRITE_BINS", file::WRITE_BINS),
        ("FILE_PATH", file::PATH),
        ("FILE_KEPT", file::KEPT),
        ("FILE_WORDS", file::WORDS),
        ("FILE_ROWS", file::ROWS),
        ("UNNAMED_OTHERS", unnamed::OTHERS),
        ("UNNAMED_UNOPENED", unnamed::UNOPENED),
        ("UNNAMED_STANDARD", unnamed::STANDARD),
        ("UNNAMED_LAST", unnamed::LAST),
        ("DESCRIPTOR_FILE", descriptor::FILE),
        ("DESCRIPTOR_POSITION", descriptor::POSITION),
        ("DESCRIPTOR_END", descriptor::END),
        ("DESCRIPTOR_STATE", descriptor::STATE),
        ("DESCRIPTOR_APPENDS", descriptor::APPENDS),
        ("DESCRIPTOR_USED", descriptor::USED),
        ("DESCRIPTOR_WROTE", descriptor::WROTE),
        ("DESCRIPTOR_WORDS", descriptor::WORDS),
        ("DESCRIPTOR_MOST", descriptor::MOST),
    ];
    all.extend(shapes::FILES.iter().map(|(name, shape)| (*name, *shape as u64)));
    all
}

/// Those of the handler of the heap.
fn of_heap() -> Numbers {
    use heap::{sample, shared};
    let mut all = vec![
        ("INTERVAL", heap::INTERVAL),
        ("WORD_LEFT", heap::word::LEFT),
        ("WORD_RANDOM", heap::word::RANDOM),
        ("WORD_PEAK", heap::word::PEAK),
        ("WORD_SAMPLES_LOST", heap::word::SAMPLES_LOST),
        ("FRAME_WEIGHT", heap::frame::WEIGHT),
        ("FRAME_POINTER", heap::frame::POINTER),
        ("FRAME_BYTES", heap::frame::BYTES),
        ("SITE_SAMPLED", heap::site::SAMPLED),
        ("SITE_FREED", heap::site::FREED),
        ("SITE_PEAK", heap::site::PEAK),
        ("SHARED_LIVE", shared::LIVE),
        ("SHARED_LIVE_OF", shared::LIVE_OF),
        ("LIVE_OF_ROWS", shared::LIVE_OF_ROWS),
        ("SHARED_FILTER", shared::FILTER),
        ("FILTER_BYTES", shared::FILTER_BYTES),
        ("SHARED_SAMPLES", shared::SAMPLES),
        ("SAMPLE_ADDRESS", sample::ADDRESS),
        ("SAMPLE_PLACE", sample::PLACE),
        ("SAMPLE_FUNCTION", sample::FUNCTION),
        ("SAMPLE_BYTES", sample::BYTES),
        ("SAMPLE_WORDS", sample::WORDS),
        ("SAMPLE_ROWS", sample::ROWS),
        ("SAMPLE_PROBES", sample::PROBES),
    ];
    all.extend(shapes::HEAP.iter().map(|(name, shape)| (*name, *shape as u64)));
    all
}
