//! Building the test programs, and naming the functions in them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use loopwright_sample::recording::{Frame, Recording};
use loopwright_sample::{Quiet, StartOptions, Stream, SurveyOptions, survey};
use object::{Object, ObjectSymbol};

/// Compiles `tests/programs/NAME.c` with `flags`. `None`, with a reason printed, where there is no compiler.
pub fn compile(folder: &Path, name: &str, flags: &[&str]) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name).with_extension("c");
    let program = folder.join(name);
    let output =
        Command::new("gcc").args(flags).arg("-pthread").arg("-o").arg(&program).arg(&source).output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            skip(&format!("gcc cannot be started ({error})"));
            return None;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

/// Prints why a test does not run; fails where tests may not be skipped.
pub fn skip(reason: &str) {
    assert!(std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "must not be skipped: {reason}");
    println!("skipped: {reason}");
}

/// Both samplers, so that a test can run with each.
pub fn samplers() -> [SurveyOptions; 2] {
    let perf = SurveyOptions::default();
    let timer = SurveyOptions { force_timer: true, ..SurveyOptions::default() };
    [perf, timer]
}

/// Surveys with standard output in a file, and returns it.
pub fn record(options: &SurveyOptions, command: &[&str]) -> (Recording, String) {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("output");
    let options = SurveyOptions {
        start: StartOptions {
            stdout: Stream::File(Arc::new(std::fs::File::create(&output).unwrap())),
            ..options.start.clone()
        },
        ..options.clone()
    };
    let command: Vec<OsString> = command.iter().map(OsString::from).collect();
    let recording = survey(&command, &options, &mut Quiet, &AtomicBool::new(false)).unwrap();
    check(&recording);
    (recording, std::fs::read_to_string(&output).unwrap())
}

/// Checks what holds for every recording: indices are in range, parents come first, samples are in order.
pub fn check(recording: &Recording) {
    for (index, node) in recording.stacks.iter().enumerate() {
        assert!(node.parent.is_none_or(|parent| (parent as usize) < index));
        assert!((node.frame as usize) < recording.frames.len());
    }
    for frame in &recording.frames {
        assert!(frame.module.is_none_or(|module| (module as usize) < recording.modules.len()));
    }
    for sample in &recording.samples {
        assert!(
            (sample.stack as usize) < recording.stacks.len()
                && (sample.thread as usize) < recording.threads.len()
        );
    }
    assert!(recording.samples.is_sorted_by_key(|sample| sample.time_ns));
    assert!((0.0..=1.0).contains(&recording.sampler.truncated_share));
    assert!(recording.target.elapsed_seconds > 0.0 && recording.target.cpus_allowed > 0);
}

/// Functions of a program, from its symbol table.
pub struct Names {
    program: String,
    functions: Vec<(u64, u64, String)>,
}

impl Names {
    pub fn of(program: &Path) -> Self {
        let data = std::fs::read(program).unwrap();
        let file = object::File::parse(&*data).unwrap();
        let mut functions: Vec<(u64, u64, String)> = file
            .symbols()
            .filter(|symbol| symbol.is_definition() && symbol.kind() == object::SymbolKind::Text)
            .map(|symbol| {
                (symbol.address(), symbol.address() + symbol.size(), symbol.name().unwrap().to_owned())
            })
            .collect();
        functions.sort();
        Self { program: std::fs::canonicalize(program).unwrap().to_string_lossy().into_owned(), functions }
    }

    /// The function that holds a frame; empty for other modules.
    pub fn name(&self, recording: &Recording, frame: &Frame) -> &str {
        if frame.module.is_none_or(|module| recording.modules[module as usize].path != self.program) {
            return "";
        }
        self.functions
            .iter()
            .find(|(start, end, _)| (*start..*end).contains(&frame.address))
            .map_or("", |(_, _, name)| name.as_str())
    }

    /// Names of a stack's frames, innermost first.
    pub fn chain(&self, recording: &Recording, stack: u32) -> Vec<&str> {
        std::iter::successors(Some(stack), |&node| recording.stacks[node as usize].parent)
            .map(|node| {
                self.name(recording, &recording.frames[recording.stacks[node as usize].frame as usize])
            })
            .collect()
    }

    /// Seconds sampled with this function innermost.
    pub fn self_seconds(&self, recording: &Recording, function: &str) -> f64 {
        recording
            .samples
            .iter()
            .filter(|sample| {
                let frame = recording.stacks[sample.stack as usize].frame;
                self.name(recording, &recording.frames[frame as usize]) == function
            })
            .map(|sample| f64::from(sample.weight_ns) * 1e-9)
            .sum()
    }
}
