use super::*;
use crate::remark::Family;

#[test]
fn ids_are_unique_and_rows_complete() {
    let mut seen = std::collections::HashSet::new();
    for reason in all() {
        assert!(seen.insert(reason.id), "{} twice", reason.id);
        assert!(reason.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", reason.id);
        let texts = [reason.title, reason.meaning, reason.cost, reason.c.bad, reason.c.mended];
        for text in texts.into_iter().chain([reason.fortran.bad, reason.fortran.mended]) {
            assert!(!text.is_empty(), "{} lacks a text", reason.id);
        }
        assert!(!reason.remedies.is_empty(), "{}", reason.id);
        assert_eq!(find(reason.id).unwrap().id, reason.id);
    }
    assert_eq!(seen.len(), 48);
}

#[test]
fn no_pattern_and_no_number_belongs_to_two_rows() {
    let mut patterns = std::collections::HashMap::new();
    let mut numbers = std::collections::HashMap::new();
    for reason in all() {
        let words = reason.gcc.iter().chain(reason.gcc_hints).map(|p| ("gcc", *p));
        let words = words.chain(reason.clang.iter().map(|p| ("clang", *p)));
        let words = words.chain(reason.clang_names.iter().map(|p| ("name", *p)));
        for word in words.chain(reason.intel_text.iter().map(|p| ("intel", *p))) {
            let before = patterns.insert(word, reason.id);
            assert_eq!(before, None, "{word:?} in {} too", reason.id);
        }
        for number in reason.intel {
            assert_eq!(numbers.insert(number, reason.id), None, "#{number}");
        }
    }
}

/// Messages printed by compilers, from recorded streams and the compilers' own strings.
#[test]
fn messages_lead_to_their_rows() {
    use Family::{Clang, Gcc, Intel};
    let cases = [
        (Gcc, "not vectorized, possible dependence between data-refs *_4 and *_7", "loop-carried-dependence"),
        (Gcc, "not vectorized: compilation time alias: _5 = *_4;*_4 = _6;", "loop-carried-dependence"),
        (Gcc, "statement clobbers memory: f (_3);", "opaque-call"),
        (Gcc, "statement clobbers memory: _11 = weight (_9);", "opaque-call"),
        (Gcc, "statement clobbers memory: _5 = exp (_4);", "math-library-call"),
        (Gcc, "statement clobbers memory: _5 = powf (_4, 2.0e+0);", "math-library-call"),
        (Gcc, "statement clobbers memory: _5 = __builtin_sqrt (_4);", "sqrt-errno"),
        (Gcc, "statement clobbers memory: _12 = f_9(D) (_7);", "indirect-call"),
        (Gcc, "statement clobbers memory: _5 (_4);", "indirect-call"),
        (Gcc, "statement clobbers memory: OBJ_TYPE_REF(_1;(struct A)p_2->0) (p_2);", "indirect-call"),
        (Gcc, "statement clobbers memory: __atomic_fetch_add_4 (bin_3(D), _2, 0);", "atomic-operation"),
        (Gcc, "statement clobbers memory: __asm__ __volatile__(\"nop\");", "inline-assembly"),
        (Gcc, "not vectorized: relevant stmt not supported: _11 = sin (_10);", "math-library-call"),
        (Gcc, "not vectorized: relevant stmt not supported: *_10 = _11;", "gather-scatter"),
        (Gcc, "not vectorized: relevant stmt not supported: _7 = _5 / _6;", "unsupported-operation"),
        (Gcc, "not vectorized: no vectype for stmt: _5 = *_4; scalar_type: double", NOT_STATED),
        (Gcc, "not vectorized: no vectype for stmt: _5 = *_4; scalar_type: long double", "unsupported-type"),
        (
            Gcc,
            "not vectorized: no vectype for stmt: _4 = (*a_1(D))[_3]; scalar_type: real(kind=16)",
            "unsupported-type",
        ),
        (Gcc, "possible alias involving gather/scatter between *_3 and *_7", "unknown-bounds"),
        (Gcc, "not vectorized: stmt has volatile operands: _4 ={v} *_3;", "volatile-access"),
        (Gcc, "couldn't vectorize loop", NOT_STATED),
        (Clang, "loop not vectorized", NOT_STATED),
        (Clang, "loop not vectorized: call instruction cannot be vectorized", "opaque-call"),
        (Clang, "loop not vectorized: instruction cannot be vectorized", "unsupported-operation"),
        (
            Clang,
            "loop not vectorized: library call cannot be vectorized. Try compiling with -fno-math-errno",
            "math-library-call",
        ),
        (
            Clang,
            "loop not vectorized: unsafe dependent memory operations in loop. Use #pragma clang loop distribute(enable)\nBackward loop carried data dependence that prevents store-to-load forwarding. Memory location",
            "store-forwarding",
        ),
        (
            Clang,
            "loop not vectorized: Auto-vectorization of loops with potentially faulting load is not supported",
            "faulting-early-exit",
        ),
        (Clang, "loop not vectorized: Cannot vectorize early exit loop with writes to memory", "early-exit"),
        (Clang, "the cost-model indicates that vectorization is not beneficial", "cost-model"),
        (Clang, "loop not vectorized: vectorization is explicitly disabled", "disabled"),
        (
            Intel,
            "remark #15344: loop was not vectorized: vector dependence prevents vectorization",
            "loop-carried-dependence",
        ),
        (
            Intel,
            "remark #15398: loop was not vectorized: loop was transformed to memset or memcpy",
            "became-library-call",
        ),
        (Intel, "loop was not vectorized: existence of vector dependence", "loop-carried-dependence"),
    ];
    for (family, message, expected) in cases {
        assert_eq!(classify(family, message).map(|reason| reason.id), Some(expected), "{message}");
    }
    for family in [Gcc, Clang, Intel] {
        assert!(classify(family, "not vectorized: a reason of the year 2040").is_none());
        assert!(classify(family, "").is_none());
    }
}

/// Every failure message of the installed GCC has a row: its strings are read from the compiler itself.
#[test]
fn the_installed_gcc_says_nothing_unknown() {
    let found = std::process::Command::new("gcc").arg("-print-prog-name=cc1").output().ok();
    let path =
        found.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string()).unwrap_or_default();
    let Ok(bytes) = std::fs::read(&path) else {
        assert!(std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "gcc is required but absent");
        eprintln!("skipped: gcc is not installed");
        return;
    };
    let mut seen = 0;
    for text in bytes.split(|byte| !(0x20..0x7f).contains(byte)) {
        let text = String::from_utf8_lossy(text);
        if !text.starts_with("not vectorized")
            || text.contains("basic block")
            || text.contains("vectorization is not profitable")
        {
            continue;
        }
        // Format directives represent statements and types.
        let message = text.replace("%G", "_2 = _1;").replace("%T", "double");
        // Needs the text that GCC prints after it.
        let vague_alone = [
            "not vectorized: unsupported data-type",
            "not vectorized: vector stmt in loop",
            "not vectorized: ",
        ];
        assert!(
            classify(Family::Gcc, &message).is_some()
                || vague_alone
                    .iter()
                    .any(|known| message.starts_with(known) && message.len() < known.len() + 12),
            "unknown: {text}"
        );
        seen += 1;
    }
    assert!(seen >= 30, "only {seen} messages found in {path}");
}

#[test]
fn a_mistyped_name_finds_its_neighbours() {
    assert!(similar("reduction order").iter().any(|reason| reason.id == "fp-reduction-order"));
    assert!(similar("alias").iter().any(|reason| reason.id == "alias-checks"));
    assert!(similar("??").is_empty());
}
