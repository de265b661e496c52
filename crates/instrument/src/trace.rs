//! A complete tracing run, from the command to the facts.

use crate::drive::{self, Attendant, Patience};
use crate::error::Error;
use crate::options::LoopChoice;
use crate::options::{Choice, Modules, TraceObserver, TraceOptions, TraceStatus};
use crate::reason::Reason;
use crate::runtime::askers::Asked;
use crate::runtime::instance::{self, Purpose};
use crate::runtime::session::Session;
use crate::runtime::shared_memory::Shared;
use crate::traced::{Patterns, TracedModule, UntracedLoop};
use crate::tracing::lending::{Lending, Taken};
use crate::tracing::nodes;
use crate::tracing::registry::{Known, Registry};
use crate::tracing::shares::Shares;
use crate::tracing::study::{Found, Study};
use crate::warning::Warning;
use loopwright_patterns::{Options, branches};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Runs a command to its end and analyses how its chosen loops access memory.
///
/// # Errors
/// When the program cannot be started or prepared. Once it runs, everything that was traced is returned.
pub fn trace(
    command: &[OsString],
    options: &TraceOptions,
    observer: &mut dyn TraceObserver,
) -> Result<Patterns, Error> {
    if cfg!(not(target_arch = "x86_64")) {
        return Err(Error::Architecture);
    }
    let lending = Lending::new(options.memory);
    let shared = Shared::new(lending.pool_bytes()).map_err(|source| Error::Memory { source })?;
    let modules: BTreeSet<PathBuf> = options.loops.iter().map(|l| l.module.clone()).collect();
    let registry = Registry::new(options.loops.clone(), options.exhaustive, modules.len() == 1);
    let registry = Arc::new(registry);
    let choice = Choice {
        modules: Modules::Only(modules.into_iter().collect()),
        partly: options.partly.clone(),
        ..Choice::default()
    };
    let purpose = Purpose { tracing: Some(Arc::clone(&registry)), ..Purpose::default() };
    let mut session = Session::new(shared, choice, purpose, options.images.clone());
    let nodes = nodes::with_memory();
    let wanted = Options {
        strides: options.strides,
        dependences: options.dependences,
        hierarchies: options.hierarchies.clone(),
        line_bytes: options.line_bytes,
        cold: options.exhaustive,
        ..Options::default()
    };
    let study = Study::begin(Arc::clone(&registry), wanted, nodes);
    let started = drive::start(&mut session, command, &options.start)?;
    observer.started(started.pid as u32);
    let shares = Shares::default();
    let (last, armed) = (Instant::now(), Instant::now());
    let mut tracer = Tracer { observer, lending, shares, study, registry, options, last, armed };
    let patience = Patience { stop: options.stop.as_ref(), grace: options.grace };
    let end = drive::wait_for(&mut session, started.pid, &patience, &mut tracer);
    session.close();
    for taken in tracer.lending.collect(&session.shared, true) {
        tracer.study.take(taken);
    }
    let Tracer { lending, mut shares, study, registry, .. } = tracer;
    let Found { loops, accesses, threads, lost, seconds, seen } = study.finish();
    shares.learn(&registry, seen);
    let mut patterns = Patterns {
        loops,
        exhaustive: options.exhaustive,
        strides: options.strides,
        dependences: options.dependences,
        bursts: lending.bursts,
        accesses,
        trace_bytes: lending.most_bytes(),
        hierarchies: options.hierarchies.clone(),
        predictor: options.strides.then(branches::predictor),
        nodes,
        threads,
        warnings: std::mem::take(&mut session.warnings),
        exit_status: end.status,
        signal: end.signal,
        interrupted: end.interrupted,
        elapsed_seconds: end.elapsed.as_secs_f64(),
        setup_seconds: started.setup.as_secs_f64(),
        waiting_seconds: session.waiting.as_secs_f64(),
        analysis_seconds: seconds,
        ..Patterns::default()
    };
    complete(&mut patterns, &registry, &shares, &session);
    if lost > 0 {
        patterns.warnings.push(Warning::AddressesMissing { addresses: lost });
    }
    if lending.short {
        patterns.warnings.push(Warning::TraceFull);
    }
    patterns.warnings.extend(session.warnings_at_end());
    Ok(patterns)
}

/// Adds modules, gaps, and the requested loops that were not seen.
fn complete(patterns: &mut Patterns, registry: &Registry, shares: &Shares, session: &Session) {
    let known = registry.known();
    patterns.modules = known.modules.clone();
    patterns.untraced = known.untraced.clone();
    for (loop_, gap) in &known.gaps {
        let Some(at) = known.shape.loops.get(*loop_ as usize) else { continue };
        let facts = patterns.loops.iter_mut().find(|l| l.module == at.module && l.header == at.header);
        if let Some(facts) = facts.filter(|f| !f.gaps.contains(gap)) {
            facts.gaps.push(gap.clone());
        }
    }
    for choice in &registry.chosen {
        let path = choice.module.to_string_lossy();
        let same = |module: &str| crate::options::same_file(&choice.module, module);
        let seen = patterns.loops.iter().any(|l| {
            let module = patterns.modules.get(l.module as usize);
            l.header == choice.header && module.is_some_and(|m| same(&m.path))
        });
        let told = patterns.untraced.iter().any(|u| u.header == choice.header && same(&u.module));
        if seen || told {
            continue;
        }
        let left = instance::why_absent(&session.instances, choice);
        let reason = left.unwrap_or_else(|| unseen(&known, shares, choice));
        patterns.untraced.push(UntracedLoop { module: path.into_owned(), header: choice.header, reason });
    }
}

/// Why a loop has no facts although its module was prepared.
fn unseen(known: &Known, shares: &Shares, choice: &LoopChoice) -> Reason {
    let same = |m: &TracedModule| crate::options::same_file(&choice.module, &m.path);
    let modules = || (0..).zip(&known.modules).filter(|(_, m)| same(m)).map(|(number, _)| number);
    if !modules().any(|m| known.has_function(m, choice.function)) {
        return Reason::NotCalled;
    }
    let is = |l: u32| {
        let at = known.shape.loops.get(l as usize);
        at.is_some_and(|at| at.header == choice.header && modules().any(|m| m == at.module))
    };
    let mut numbers = (0..).zip(&known.shares).filter(|(_, l)| is(**l)).map(|(share, _)| share).peekable();
    if numbers.peek().is_none() {
        Reason::NoSuchLoop
    } else if numbers.any(|share| shares.was_entered(share)) {
        Reason::NotTraced
    } else {
        Reason::NotEntered
    }
}

/// Lends chunks, collects them and passes them to the study while the program runs.
struct Tracer<'a> {
    observer: &'a mut dyn TraceObserver,
    lending: Lending,
    shares: Shares,
    study: Study,
    registry: Arc<Registry>,
    options: &'a TraceOptions,
    /// When the observer was last called.
    last: Instant,
    /// When loops were last allowed to make requests again.
    armed: Instant,
}

/// Time between two chunks that a thread may request for one loop: they must show different entries.
const REARMED: Duration = Duration::from_millis(5);
/// Time for the analysis of bursts at the beginning of a run, so that short programs are seen, too.
const ALLOWANCE: Duration = Duration::from_millis(400);
/// Share of the elapsed time that the analysis may take later.
const SHARE: f64 = 0.1;

impl Tracer<'_> {
    fn hand_on(&mut self, taken: Vec<Taken>) {
        for each in taken {
            self.study.take(each);
        }
    }

    fn may_lend(&self, elapsed: Duration) -> bool {
        let allowed = ALLOWANCE + elapsed.mul_f64(SHARE);
        !self.options.exhaustive && !self.study.is_busy() && self.study.spent() < allowed
    }
}

impl Attendant for Tracer<'_> {
    fn tick(&mut self, session: &mut Session, elapsed: Duration) {
        let taken = self.lending.collect(&session.shared, false);
        self.hand_on(taken);
        if self.may_lend(elapsed) {
            self.shares.learn(&self.registry, self.study.seen());
            let loops = self.shares.wanted(self.lending.bursts);
            // A loop that becomes known meanwhile is traced at once.
            let traced = |n: u32| loops.get(n as usize).copied().unwrap_or(true);
            let taken = self.lending.lend(session, &self.shares, &traced);
            self.hand_on(taken);
        }
        if self.armed.elapsed() > REARMED && !self.options.exhaustive && !self.study.is_behind() {
            self.armed = Instant::now();
            self.shares.learn(&self.registry, self.study.seen());
            self.lending.rearm(&session.shared, &self.shares);
        }
        if self.last.elapsed() > Duration::from_millis(100) {
            self.last = Instant::now();
            let (seen, accesses) = self.study.progress();
            self.observer.tick(&TraceStatus {
                elapsed,
                bursts: self.lending.bursts,
                accesses,
                loops_seen: seen,
                loops_chosen: self.registry.chosen.len() as u32,
            });
        }
    }

    fn room(&mut self, session: &mut Session, asked: Asked) {
        let taken = if self.options.exhaustive {
            self.lending.renew(session, asked.argument)
        } else {
            let busy = self.study.is_behind();
            self.lending.grant(session, &mut self.shares, asked.argument, busy)
        };
        self.hand_on(taken);
    }

    fn pause(&self) -> u32 {
        1
    }
}
