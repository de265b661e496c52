//! `loopwright io` on programs whose reads and writes follow from the source: in C, C++ and Fortran, with threads, signals, forks and
//! descriptors that change.

use crate::programs::{compiled, in_path, needed};
use crate::tool::{Scratch, said};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const TOOL: &str = env!("CARGO_BIN_EXE_loopwright");

/// Runs the program by itself and counted, in folders of their own: what it prints and writes is the same; the facts.
fn counted(scratch: &Scratch, program: &Path, files: &[&str]) -> Value {
    let run = |folder: &str, words: &[&str]| {
        let folder = scratch.file(folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let (first, rest) = words.split_first().map_or((program.to_str(), words), |(f, r)| (Some(*f), r));
        let mut command = scratch.wrapped(Command::new(first.expect("a name")));
        command.current_dir(&folder).args(rest);
        if !words.is_empty() {
            command.arg(program);
        }
        let said = said(command.output().expect("it starts"));
        assert_eq!(said.status, Some(0), "{}\n{}", said.err, said.out);
        (said, files.iter().map(|f| std::fs::read(folder.join(f)).expect("a file")).collect::<Vec<_>>())
    };
    let (plain, own) = run("plain", &[]);
    let experiment = scratch.file("io.lw");
    let experiment = experiment.to_str().expect("a name");
    let (listened, same) = run("counted", &[TOOL, "-e", experiment, "io", "--"]);
    assert!(!plain.out.is_empty() && listened.out.starts_with(&plain.out), "{}\n{}", plain.out, listened.out);
    assert!(own == same, "a file differs");
    let text = scratch.ok(["-e", experiment, "show", "io", "--json"]);
    serde_json::from_str::<Value>(&text).expect("JSON")["io"].clone()
}

fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().map_or(&[], Vec::as_slice)
}

/// Opens, reads, bytes read, writes and bytes written of a file.
fn file(io: &Value, name: &str) -> [u64; 5] {
    let found = list(io, "files").iter().find(|f| f["path"] == name || f["target"] == name);
    let found = found.unwrap_or_else(|| panic!("{name} is missing in {io:#}"));
    ["opens", "reads", "read_bytes", "writes", "written_bytes"].map(|key| found[key].as_u64().expect(key))
}

/// Calls, bytes, system calls and bytes of these, of all places of a function in a caller.
fn places(io: &Value, function: &str, caller: &str) -> [u64; 4] {
    let mut sums = [0; 4];
    for place in list(io, "places").iter().filter(|p| p["function"] == function && p["caller"] == caller) {
        let bins: u64 = list(place, "bins").iter().filter_map(Value::as_u64).sum();
        let classed = bins + place["without_bytes"].as_u64().unwrap_or(0);
        assert_eq!(Some(classed), place["calls"].as_u64(), "each call is in one class: {place}");
        for (sum, key) in sums.iter_mut().zip(["calls", "bytes", "transfers", "moved"]) {
            *sum += place[key].as_u64().expect(key);
        }
    }
    sums
}

fn line_of(text: &str, part: &str) -> usize {
    text.lines().position(|line| line.contains(part)).expect("a line") + 1
}

#[test]
fn transfers_are_counted_by_file_and_by_place() {
    let Some(gcc) = needed(in_path("gcc"), "gcc") else { return };
    let scratch = Scratch::new();
    let text = include_str!("io/transfers.c");
    for (name, words) in [("transfers.c", &["-pthread"][..]), ("linked_in.c", &["-pthread", "-static"])] {
        let program = compiled(&scratch, &gcc, name, text, words);
        let io = counted(&scratch, &program, &["small", "thread1", "shared", "signals"]);
        assert_eq!(file(&io, "small"), [1, 104, 104 * 64, 500, 500 * 64]);
        assert_eq!(file(&io, "thread1")[3..], [1, 4000]);
        assert_eq!(file(&io, "thread0"), [201, 200, 200 * 4000, 1, 4000]);
        assert_eq!(file(&io, "shared"), [1, 0, 0, 16, 10 * 10 + 5 * 100 + 14]);
        assert_eq!(file(&io, "signals"), [1, 0, 0, 7, 7]);
        assert_eq!(file(&io, "last"), [1, 0, 0, 1, 3], "what is read there afterwards is of a pipe");
        assert_eq!(file(&io, "output")[3..], [2, 14], "the refused one, and the last line");

        assert_eq!(places(&io, "write", "counting"), [7, 7, 7, 7]);
        assert_eq!(places(&io, "fprintf", "lines"), [3000, 12_000, 0, 0]);
        assert_eq!(places(&io, "fread", "main"), [200, 2400, 200, 800_000]);
        assert_eq!(places(&io, "pread", "main"), [4, 256, 4, 256]);
        let first = list(&io, "places").iter().find(|p| p["function"] == "write" && p["calls"] == 500);
        let line = line_of(text, "write(small");
        assert_eq!(first.expect("a place")["place"], format!("{name}:{line}"));
        let small = list(&io, "files").iter().find(|f| f["path"] == "small").expect("a file");
        let backward = small["backward_share"].as_f64().expect("a share");
        assert_eq!((backward * 604.0).round(), 5.0, "the first after the seek, and four backwards");
        assert_eq!((small["seeks"].as_u64(), small["syncs"].as_u64()), (Some(1), Some(1)));
        assert_eq!(io["lost"]["torn"], 1, "the read that was left by a jump");
        assert!(list(&io, "left").is_empty(), "{io:#}");
    }
    assert!(scratch.ok(["-e", "io.lw", "show", "io", "--csv"]).contains("file,small,1,1,104,6656"));
}

#[test]
fn streams_and_records_are_at_their_place_in_the_program() {
    let scratch = Scratch::new();
    if let Some(compiler) = needed(in_path("g++"), "g++") {
        let text = include_str!("io/streams.cpp");
        let program = compiled(&scratch, &compiler, "streams.cpp", text, &[]);
        let io = counted(&scratch, &program, &["numbers"]);
        let bytes = std::fs::metadata(scratch.file("counted/numbers")).expect("a file").len();
        let [opens, reads, read, writes, written] = file(&io, "numbers");
        assert_eq!((opens, read, writes, written), (2, bytes, 300, bytes), "std::endl flushes each line");
        assert!(reads > 0);
        let flush = list(&io, "places").iter().find(|p| p["transfers"] == 300).expect("a place");
        let line = line_of(text, "std::endl");
        assert_eq!(
            (&flush["place"], &flush["caller"]),
            (&format!("streams.cpp:{line}").into(), &"main".into())
        );
    }
    if let Some(compiler) = needed(in_path("gfortran"), "gfortran") {
        let text = include_str!("io/records.f90");
        let program = compiled(&scratch, &compiler, "records.f90", text, &[]);
        let io = counted(&scratch, &program, &["formatted", "direct"]);
        assert_eq!(file(&io, "formatted")[4], 400 * 7);
        assert_eq!(file(&io, "direct")[4], 20 * 800);
        let line = line_of(text, "write (10");
        let place = format!("records.f90:{line}");
        let of_line = |function: &str| {
            let all = list(&io, "places").iter().filter(|p| p["place"] == place && p["function"] == function);
            all.filter_map(|p| p["calls"].as_u64()).sum::<u64>()
        };
        assert_eq!(
            (of_line("st_write"), of_line("transfer_write"), of_line("st_write_done")),
            (400, 400, 400)
        );
        for place in list(&io, "places").iter().filter(|p| p["transfers"] != 0) {
            assert_eq!(place["caller"], "records", "{place}");
        }
    }
}

#[test]
fn what_is_no_program_or_makes_no_call_is_said() {
    let scratch = Scratch::new();
    let missing = scratch.run(["io", "--", "./no-such-program"]);
    assert_eq!(missing.status, Some(1), "{}", missing.err);
    assert!(missing.err.contains("no-such-program"), "{}", missing.err);
    assert_eq!(scratch.run(["io"]).status, Some(2));
    assert!(scratch.ok(["io", "--", "true"]).contains("input and output"));
}
