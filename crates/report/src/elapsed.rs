//! Where the elapsed time and the kernel's time went, and what other programs did meanwhile: lines under the run's header.

use crate::names::printable;
use crate::prose::facts;
use crate::quantity::{share, time};
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::model::{
    ElapsedFacts, KernelEvidence, KernelFacts, ProgramFacts, WaitFacts, WaitKind,
};

/// Smaller parts are left out of a line.
const NOTICEABLE: f64 = 0.005;
/// Causes and functions that a line names.
const NAMED: usize = 3;
/// A run is shown to be elsewhere than running from this share of its time on.
const WORTH_A_LINE: f64 = 0.02;

/// The lines, with labels of this width; none for a program that did nothing but run in user code on a quiet machine.
pub(crate) fn lines(program: &ProgramFacts, label: usize, style: &TerminalStyle) -> String {
    let mut out = String::new();
    if let Some(items) = program.elapsed.as_ref().and_then(waiting) {
        out.push_str(&facts(style, "Waiting", label, Ink::Plain, &items));
    }
    if let Some(items) = program.kernel.as_ref().and_then(kernel) {
        out.push_str(&facts(style, "Kernel", label, Ink::Plain, &items));
    }
    if let Some(load) = program.load.as_ref().filter(|load| load.busy) {
        let mut items = vec!["the machine was busy".to_owned()];
        items.extend(load.words());
        out.push_str(&facts(style, "Load", label, Ink::Caution, &items));
    }
    out
}

fn waiting(elapsed: &ElapsedFacts) -> Option<Vec<String>> {
    let whole = elapsed.running_seconds + elapsed.ready_seconds + elapsed.blocked_seconds;
    let (ready, blocked) = (elapsed.ready_seconds / whole, elapsed.blocked_seconds / whole);
    // Written so that a time that is no number is not shown either. Waiting for a CPU alone is in the line of the CPUs.
    let worth = ready + blocked >= WORTH_A_LINE && blocked >= NOTICEABLE;
    if !worth {
        return None;
    }
    let mut items = vec![format!("blocked {} of the elapsed time", share(blocked))];
    let causes = elapsed.held_up.iter().filter(|cause| cause.share >= NOTICEABLE).take(NAMED);
    items.extend(causes.map(|cause| format!("{} {}", printable(&named(cause)), share(cause.share))));
    if ready >= NOTICEABLE {
        items.push(format!("ready, without a CPU {}", share(ready)));
    }
    Some(items)
}

/// `fsync in main (storage)`.
pub(crate) fn named(cause: &WaitFacts) -> String {
    let by = cause.function.as_ref().map(|function| format!(" in {function}")).unwrap_or_default();
    format!("{}{by} ({})", cause.name(), kind(cause.kind))
}

/// What a thread waits for, in a word or two.
fn kind(kind: WaitKind) -> &'static str {
    match kind {
        WaitKind::Thread => "another thread",
        WaitKind::Sleep => "sleep",
        WaitKind::Storage => "storage",
        WaitKind::Network => "network",
        WaitKind::Pipe => "pipe",
        WaitKind::Terminal => "terminal",
        WaitKind::Event => "event",
        WaitKind::Child => "child process",
        WaitKind::Signal => "signal",
        WaitKind::Page => "memory",
        WaitKind::Other => "kernel",
    }
}

fn kernel(kernel: &KernelFacts) -> Option<Vec<String>> {
    let worth = kernel.share >= WORTH_A_LINE;
    if !worth {
        return None;
    }
    let mut items = vec![format!("{} ({} of the CPU time)", time(kernel.seconds), share(kernel.share))];
    let callers = kernel.callers.iter().filter(|caller| caller.share >= NOTICEABLE).take(NAMED);
    let callers: Vec<String> = callers
        .map(|caller| {
            let by = caller.caller.as_ref().map(|by| format!(" in {by}")).unwrap_or_default();
            let name = match &caller.call {
                Some(call) if *call != caller.function => format!("{call} by {}", caller.function),
                _ => caller.function.clone(),
            };
            format!("{}{by} {}", printable(&name), share(caller.share))
        })
        .collect();
    if !callers.is_empty() {
        let by = match kernel.callers.first().map(|caller| caller.by) {
            Some(KernelEvidence::Calls) => "called, by number of calls:",
            _ => "called:",
        };
        items.push(format!("{by} {}", callers.join(", ")));
    }
    let functions: Vec<String> = (kernel.functions.iter().take(NAMED))
        .map(|each| format!("{} {}", printable(&each.function), share(each.share)))
        .collect();
    if !functions.is_empty() {
        items.push(format!("runs: {}", functions.join(", ")));
    }
    Some(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_analysis::model::{KernelCaller, KernelFunction, LoadFacts};

    fn program() -> ProgramFacts {
        let cause = WaitFacts {
            kind: WaitKind::Storage,
            call: Some("fsync".into()),
            through: Some("fsync".into()),
            function: Some("save".into()),
            module: Some("a".into()),
            seconds: 0.6,
            share: 0.6,
            seen: 40,
        };
        let caller = KernelCaller {
            call: None,
            function: "write".into(),
            caller: Some("save".into()),
            share: 0.75,
            by: KernelEvidence::Calls,
        };
        ProgramFacts {
            elapsed: Some(ElapsedFacts {
                running_seconds: 0.3,
                ready_seconds: 0.1,
                blocked_seconds: 0.6,
                held_up: vec![cause],
                looks: 80,
            }),
            kernel: Some(KernelFacts {
                seconds: 0.24,
                share: 0.8,
                sampled: false,
                functions: vec![KernelFunction { function: "vfs_write".into(), share: 0.5 }],
                callers: vec![caller],
            }),
            load: Some(LoadFacts { other_cpus: 1.5, stolen_share: 0.0, ready_share: 0.25, busy: true }),
            ..ProgramFacts::default()
        }
    }

    #[test]
    fn waits_the_kernel_and_other_programs_have_a_line_each() {
        let text = lines(&program(), 8, &TerminalStyle::plain(300));
        let [waiting, kernel, load] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
        assert!(
            waiting.contains("blocked 60") && waiting.contains("fsync in save (storage) 60"),
            "{waiting}"
        );
        assert!(waiting.contains("ready, without a CPU 10"), "{waiting}");
        assert!(
            kernel.contains("by number of calls: write in save 75") && kernel.contains("vfs_write 50"),
            "{kernel}"
        );
        assert!(load.contains("1.5 CPUs"), "{load}");
    }

    #[test]
    fn a_program_that_only_runs_has_no_such_line() {
        let mut waiting = program();
        waiting.elapsed.as_mut().unwrap().blocked_seconds = 0.0;
        assert!(!lines(&waiting, 8, &TerminalStyle::plain(80)).contains("Waiting"), "the CPUs' line says it");
        let mut quiet = program();
        let elapsed = quiet.elapsed.as_mut().unwrap();
        (elapsed.running_seconds, elapsed.ready_seconds, elapsed.blocked_seconds) = (1.0, 0.0, 0.001);
        quiet.kernel.as_mut().unwrap().share = 0.001;
        quiet.load.as_mut().unwrap().busy = false;
        assert_eq!(lines(&quiet, 8, &TerminalStyle::plain(80)), "");
        assert_eq!(lines(&ProgramFacts::default(), 8, &TerminalStyle::plain(80)), "");
    }
}
