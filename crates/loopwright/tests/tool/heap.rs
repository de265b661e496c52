//! `loopwright heap` on programs whose allocations follow from the source: in C and C++, with threads, signals and forks.

use crate::programs::{compiled, in_path, needed};
use crate::tool::{Scratch, said};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Runs the program by itself and counted: what it prints is the same; the facts.
fn counted(scratch: &Scratch, program: &Path) -> Value {
    let plain = said(scratch.wrapped(Command::new(program)).output().expect("it starts"));
    let program = program.to_str().expect("a name");
    let heard = scratch.run(["heap", "--", program]);
    assert_eq!(heard.status, Some(0), "{}", heard.err);
    assert!(!plain.out.is_empty() && heard.out.starts_with(&plain.out), "{}\n{}", plain.out, heard.out);
    let text = scratch.ok(["show", "heap", "--json"]);
    serde_json::from_str::<Value>(&text).expect("JSON")["heap"].clone()
}

/// Calls, bytes and live bytes of the places of a function in a caller.
fn places(heap: &Value, function: &str, caller: &str) -> [u64; 3] {
    let mut sums = [0; 3];
    let all = heap["places"].as_array().expect("a list").iter();
    for place in all.filter(|p| p["function"] == function && p["caller"] == caller) {
        for (sum, key) in sums.iter_mut().zip(["calls", "bytes", "live_bytes"]) {
            *sum += place[key].as_u64().expect(key);
        }
    }
    sums
}

#[test]
fn allocations_are_counted_by_place() {
    let Some(gcc) = needed(in_path("gcc"), "gcc") else { return };
    let scratch = Scratch::new();
    let text = include_str!("heap/allocations.c");
    // Compilers know what malloc and free do, and leave out pairs of them.
    let exact = ["-pthread", "-fno-builtin"];
    for (name, words) in [("allocations.c", &exact[..]), ("linked_in.c", &[exact[0], exact[1], "-static"])] {
        let program = compiled(&scratch, &gcc, name, text, words);
        let heap = counted(&scratch, &program);
        assert_eq!(places(&heap, "malloc", "small")[..2], [50_000, 50_000 * 24]);
        assert_eq!(places(&heap, "calloc", "small")[..2], [50, 50 * 800]);
        assert_eq!(places(&heap, "realloc", "grows"), [101, 1000 * 5050, 0]);
        assert_eq!(places(&heap, "posix_memalign", "main")[..2], [1, 5000]);
        assert_eq!(places(&heap, "strdup", "main")[..2], [1, 6]);
        // The one of the child, and the one that is refused: it has no bytes.
        assert_eq!(places(&heap, "malloc", "main")[..2], [2, 100]);
        // Each is larger than the distance of samples, so that none is missed.
        assert_eq!(places(&heap, "malloc", "keeps"), [4, 12 << 20, 12 << 20], "never freed");
        assert_eq!(places(&heap, "malloc", "makes"), [1000, 10_000_000, 0], "freed by another thread");
        assert!(heap["left"].is_null(), "{heap:#}");
        assert!(heap["lost"].is_null(), "{heap:#}");
        let peak = heap["ranks"][0]["peak_bytes"].as_u64().expect("bytes");
        assert!(peak >= 12 << 20, "{peak}");
    }
    assert!(scratch.ok(["show", "heap", "--csv"]).contains("malloc,keeps,linked_in,"));
}

#[test]
fn allocations_of_cpp_are_at_their_place_in_the_program() {
    let Some(compiler) = needed(in_path("g++"), "g++") else { return };
    let scratch = Scratch::new();
    let text = include_str!("heap/containers.cpp");
    let heap = counted(&scratch, &compiled(&scratch, &compiler, "containers.cpp", text, &[]));
    // The nodes, and the vector of their addresses.
    assert_eq!(places(&heap, "operator new", "main")[..2], [701, 700 * 64 + 700 * 8]);
    assert_eq!(places(&heap, "operator new[]", "main")[..2], [1, 4000]);
    let line = text.lines().position(|l| l.contains("make_unique<Node>()")).expect("a line") + 1;
    let nodes = heap["places"].as_array().expect("a list").iter().find(|p| p["calls"] == 700);
    assert_eq!(nodes.expect("a place")["place"], format!("containers.cpp:{line}"));
}

#[test]
fn blocks_that_go_back_to_the_system_are_advised_against() {
    let Some(gcc) = needed(in_path("gcc"), "gcc") else { return };
    let scratch = Scratch::new();
    let text = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/prctl.h>\nint main(void)\n{\n    int sum = 0;\n    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);\n    for (int k = 0; k < 20; k++) {\n        char *block = malloc(64 << 20);\n        memset(block, k, 64 << 20);\n        sum += block[k * 1000];\n        free(block);\n    }\n    printf(\"%d\\n\", sum);\n    return 0;\n}\n";
    let heap = counted(&scratch, &compiled(&scratch, &gcc, "blocks.c", text, &[]));
    let advice = &heap["advice"][0];
    assert_eq!(advice["change"]["kind"], "keep-blocks", "{heap:#}");
    assert_eq!(advice["change"]["large_calls"], 20);
    // 20 blocks of 16,384 pages each: the program wants no larger ones.
    assert!(advice["change"]["faults"].as_u64().is_some_and(|faults| faults >= 20 * 16_384), "{advice}");
    assert!(scratch.ok(["show", "heap"]).contains("MALLOC_MMAP_MAX_=0"));
}
