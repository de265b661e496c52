//! Recorded reports of real compilers in `tests/data`, read into remarks: one golden list per report.
//!
//! The folder is the list of tests: every report there (every file that is neither source nor golden) is read and compared
//! with `NAME.golden`. `LOOPWRIGHT_BLESS=1` writes the goldens anew. Intel's reports follow its published format.

use loopwright_remarks::parse;
use loopwright_remarks::remark::{Outcome, Remark};
use std::path::{Path, PathBuf};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn reports() -> Vec<PathBuf> {
    let mut reports: Vec<PathBuf> = std::fs::read_dir(data())
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            !["c", "f90", "rs", "golden"].contains(&extension)
        })
        .collect();
    reports.sort();
    assert!(reports.len() >= 14, "reports are missing");
    reports
}

fn line(remark: &Remark) -> String {
    let statement =
        remark.statement.as_ref().map_or(String::new(), |s| format!(" statement {}:{}", s.line, s.column));
    let chain: Vec<String> =
        remark.inlined_at.iter().map(|(f, file, line)| format!(" in {f} {file}:{line}")).collect();
    format!(
        "{}:{}:{} {:?} {} {}{}{}{}{} | {}",
        remark.file,
        remark.line,
        remark.column,
        remark.outcome,
        remark.pass,
        remark.reason.as_deref().unwrap_or("-"),
        statement,
        remark.function.as_deref().map_or(String::new(), |f| format!(" fn {f}")),
        chain.concat(),
        remark.vector_bytes.map_or(String::new(), |b| format!(" {b} bytes")),
        remark.message.replace('\n', " ")
    )
}

#[test]
fn recorded_reports_read_as_before() {
    let mut different = Vec::new();
    for report in reports() {
        let remarks = parse::parse_file(&report).unwrap();
        assert!(!remarks.is_empty(), "{}", report.display());
        let text: String = remarks.iter().map(|remark| line(remark) + "\n").collect();
        let golden =
            report.with_file_name(format!("{}.golden", report.file_name().unwrap().to_str().unwrap()));
        if std::env::var_os("LOOPWRIGHT_BLESS").is_some() {
            std::fs::write(&golden, &text).unwrap();
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        if expected != text {
            different.push(format!("{}:\n{text}", report.display()));
        }
    }
    assert!(different.is_empty(), "LOOPWRIGHT_BLESS=1 renews these:\n{}", different.join("\n"));
}

fn reason_at(remarks: &[Remark], line: u32) -> Vec<&str> {
    remarks
        .iter()
        .filter(|r| r.line == line && r.outcome == Outcome::Missed)
        .map(|r| r.reason.as_deref().unwrap_or("-"))
        .collect()
}

/// Facts about `kernels.c`, compared with every stream that shows them.
#[test]
fn the_kernels_fail_for_the_reasons_a_reader_sees() {
    for name in [
        "gcc12-missed-internals.txt",
        "gcc12-all-internals.txt.gz",
        "gcc12-dump-vect.txt.gz",
        "clang19.opt.yaml",
        "clang19-rpass.txt",
    ] {
        let remarks = parse::parse_file(&data().join(name)).unwrap();
        assert_eq!(reason_at(&remarks, 4)[0], "loop-carried-dependence", "{name}: {remarks:#?}");
        assert_eq!(reason_at(&remarks, 18)[0], "opaque-call", "{name}: {remarks:#?}");
        assert_eq!(reason_at(&remarks, 22)[0], "math-library-call", "{name}: {remarks:#?}");
        assert!(remarks.iter().any(|r| r.line == 14 && r.outcome == Outcome::Vectorized), "{name}");
        assert!(remarks.iter().any(|r| r.line == 31 && r.outcome == Outcome::Vectorized), "{name}");
        assert!(
            reason_at(&remarks, 14).is_empty() && reason_at(&remarks, 31).is_empty(),
            "{name}: {remarks:#?}"
        );
    }
}

/// GCC's plain stream only has the last mode's messages: they do not count as reasons.
#[test]
fn vague_words_are_known_as_such() {
    let remarks = parse::parse_file(&data().join("gcc12-missed.txt")).unwrap();
    assert_eq!(reason_at(&remarks, 4), ["reason-not-stated"]);
    assert_eq!(reason_at(&remarks, 18), ["opaque-call"]);
}

#[test]
fn text_and_record_of_one_compilation_are_joined() {
    let name = Path::new("kernels");
    let text = std::fs::read(data().join("gcc12-missed-internals.txt")).unwrap();
    let record = std::fs::read(data().join("gcc12.opt-record.json.gz")).unwrap();
    let remarks = parse::parse_gcc_pair(name, &text, &record).unwrap();
    let decay = remarks.iter().find(|r| r.line == 4).unwrap();
    assert_eq!(decay.function.as_deref(), Some("decay"));
    assert_eq!(decay.compiler, "gcc 12.2.0");
    assert_eq!(decay.reason.as_deref(), Some("loop-carried-dependence"));
    // Inlined twice into one function: the function is known, but not which of the two calls.
    let wave = remarks.iter().find(|r| r.line == 22 && r.outcome == Outcome::Missed).unwrap();
    assert!(wave.inlined_at.is_empty());
}

/// A small generator, so that failures repeat. Source: Marsaglia, "Xorshift RNGs", 2003.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(8) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes[at] = random.below(256) as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => {
                bytes.truncate(at.max(1));
            }
            3 => {
                let end = (at + random.below(64)).min(bytes.len());
                let piece: Vec<u8> = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            4 => {
                let end = (at + random.below(200)).min(bytes.len());
                bytes.drain(at..end);
                if bytes.is_empty() {
                    bytes.push(b':');
                }
            }
            _ => {
                let special = [
                    &b"4294967295"[..],
                    b"99999999999999999999",
                    b": ",
                    b"\n",
                    b"\xff",
                    b"LOOP BEGIN at (",
                    b"--- !",
                    b"_#*(",
                ];
                let piece = special[random.below(special.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }
}

#[test]
fn damaged_reports_never_make_a_parser_panic() {
    use loopwright_remarks::parse::Format::{ClangText, ClangYaml, GccRecord, GccText, Intel};
    use std::io::Read;
    // More rounds on request, for a deeper search than a normal test has time for.
    let rounds = std::env::var("LOOPWRIGHT_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(150);
    let mut random = Random(0x5eed_1234_abcd_0001);
    for report in reports() {
        let mut bytes = std::fs::read(&report).unwrap();
        let mut samples = vec![bytes.clone()];
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let mut unpacked = Vec::new();
            flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut unpacked).unwrap();
            // A part is enough; the whole would take minutes.
            unpacked.truncate(20_000);
            samples.push(unpacked);
        }
        bytes.clear();
        for sample in samples {
            for _ in 0..rounds {
                let mut bytes = sample.clone();
                mutate(&mut bytes, &mut random);
                let _ = parse::parse_bytes(&report, &bytes, None);
                for format in [GccText, GccRecord, ClangYaml, ClangText, Intel] {
                    if random.below(4) == 0 {
                        let _ = parse::parse_bytes(&report, &bytes, Some(format));
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_no_report_is_refused_with_advice() {
    let refused = |bytes: &[u8]| parse::parse_bytes(Path::new("x"), bytes, None).unwrap_err().to_string();
    assert!(refused(b"int main(void) {}\n").contains("not a known compiler report"));
    assert!(refused(b"RMRK\0\0").contains("llvm-remarkutil"));
    assert!(refused(&[0x1f, 0x8b, 8, 0]).contains("damaged"));
    assert!(refused(b"[1,2").contains("damaged"));
    assert!(parse::parse_bytes(Path::new("x"), b"", None).unwrap().is_empty());
    assert!(
        parse::parse_file(Path::new("/does/not/exist")).unwrap_err().to_string().contains("/does/not/exist")
    );
}
