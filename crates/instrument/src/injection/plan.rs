//! Which versions of a loop are written, and where threads change between them.
//!
//! Operations are injected into the chosen loop. Threads change versions at the header of a *unit*: the chosen loop itself, or
//! where an entry of it is short, a loop around it; all blocks of the unit are copied for each version. A unit is entered at its
//! header only. Where it calls other code or jumps through a table, the thread leaves its version with the program's own
//! registers, and returns to it at the same stack pointer: another activation of the loop takes the plain copy meanwhile, so
//! that no thread is ever in two versions at once.

use super::control::{CONTROL, WINDOW};
use super::kinds;
use super::nest::{Nest, is_left};
use super::operation::{Encoding, MOST_LINES, Means, Walks, Word};
use super::order::{GROUP, prime_from};
use super::registers::Registers;
use super::sites::{Site, sites};
use super::{Chosen, InjectChoice};
use crate::code::flow::{End, Flow};
use crate::code::liveness::Liveness;
use crate::code::vectors::VectorLiveness;
use crate::injected::NotInjected;
use crate::region::Region;
use iced_x86::{MemoryOperand, Mnemonic, Register};
use loopwright_vocabulary::Resource;

/// A version: what is injected into each iteration. The plain ones inject nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    pub resource: Option<Resource>,
    pub count: u32,
}

const PLAIN: Version = Version { resource: None, count: 0 };

/// How long a thread runs no operations between groups of rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Groups follow each other at once.
    None,
    /// Passes in the first version, which is plain.
    Passes(u32),
    /// Entries of the unit in the plain copy: where these are short, entering and leaving a version takes as long.
    Entries(u32),
}

/// A chosen loop and its versions.
#[derive(Clone, Debug)]
pub struct Versioned {
    /// Index in [`Chosen::loops`].
    pub choice: usize,
    /// The loop whose blocks are copied: index in [`Flow::loops`].
    pub unit: usize,
    /// The loop into which operations are injected.
    pub injected: usize,
    pub registers: Registers,
    /// Where operations are injected: the header of the injected loop, and in a long iteration other places.
    pub sites: Vec<Site>,
    /// Blocks of the unit at which a thread returns to its version, by number.
    pub returns: Vec<usize>,
    /// Iterations of the injected loop run other functions, too, and not only a few of them.
    pub calls: bool,
    /// An iteration of it jumps through a table or a pointer.
    pub jumps: bool,
    /// Integer multiplications of the injected loop.
    pub multiplications: u32,
    /// Resources that instructions of the injected loop use.
    pub used: Vec<Resource>,
    /// How often an iteration uses some of them at most; empty where that is not known.
    pub uses: Vec<(Resource, u32)>,
    /// A prime number of versions, the first is plain.
    pub versions: Vec<Version>,
    /// Passes of the injected header from one change to the next.
    pub quantum: u32,
    /// What separates groups of rounds.
    pub rest: Rest,
    /// Windows after which the thread stays in the plain copy.
    pub windows: u32,
    /// First counter slot.
    pub slot: u32,
}

impl Versioned {
    /// Iterations in a window, by what was left of the countdown when it ended.
    pub fn iterations(&self, left: u64) -> u64 {
        // The header of the unit counts a pass before it changes the version.
        let uncounted = u64::from(self.unit == self.injected);
        u64::from(self.quantum).wrapping_sub(left).wrapping_sub(uncounted)
    }

    /// Index of the first counter of its control block, where the slots of all units begin at `first`.
    pub fn control_index(&self, first: u32) -> u32 {
        (first + self.slot).next_multiple_of(CONTROL)
    }

    /// Counter slots of a thread: the control block, aligned, and those of the windows.
    pub fn slots(&self) -> u32 {
        2 * CONTROL + WINDOW * self.windows
    }
}

/// Windows per version: with 40 the median of a version whose windows scatter by 5 % is known to about 1 %
/// (1.25 * 5 % / sqrt(40)).
const WINDOWS: u32 = 40;
/// Share of the loop's time over which windows are spread: runs differ in time, and all windows should be reached.
const SPREAD: f64 = 0.5;
/// A window of versions with operations takes up to three times the time of a plain one, on average about this much.
const LENGTHENED: f64 = 2.0;
/// Most seconds of a rest: ten of them let a second or some seconds of a neighbour's work go by.
const LONGEST_REST: f64 = 0.5;
/// Instructions of all versions of a unit together: some MiB of code, of which each version is a part.
const MOST_INSTRUCTIONS: usize = 800_000;
/// Operations of one kind in a short iteration: their code takes up to some 1,000 bytes. In a long one they may be as many as
/// its own instructions.
const MOST_OPERATIONS: usize = 160;
/// The same of `nop`s, of which a core can run six or more in a cycle.
const MOST_NOPS: usize = 400;
/// Operations of one kind in any iteration: the second-level cache holds the code of a version.
const MOST_ANYWHERE: usize = 16_000;

/// Plans the versions of the chosen loops of a region.
pub fn plan(
    flow: &Flow,
    live: &Liveness,
    region: &Region,
    chosen: &Chosen,
    loops: &[usize],
) -> (Vec<Versioned>, Vec<(usize, NotInjected)>) {
    let (mut units, mut refused): (Vec<Versioned>, Vec<(usize, NotInjected)>) = (Vec::new(), Vec::new());
    if loops.is_empty() {
        return (units, refused);
    }
    let vectors = VectorLiveness::new(flow);
    for &choice in loops {
        let wanted = &chosen.loops[choice];
        let at = |header: u64| flow.loops.iter().position(|l| flow.blocks[l.header].start == header);
        let Some(injected) = at(wanted.at.header) else {
            refused.push((choice, NotInjected::NoSuchLoop));
            continue;
        };
        let planner = Planner { flow, live, vectors: &vectors, region, chosen, choice, wanted, injected };
        let taken = |u: usize| units.iter().any(|o| overlap(flow, o.unit, u));
        match planner.unit(&taken) {
            Ok(unit) => units.push(unit),
            Err(why) => refused.push((choice, why)),
        }
    }
    let mut slot = 0;
    for unit in &mut units {
        unit.slot = slot;
        slot += unit.slots();
    }
    (units, refused)
}

fn overlap(flow: &Flow, a: usize, b: usize) -> bool {
    flow.loops[a].body.iter().any(|block| flow.loops[b].body.binary_search(block).is_ok())
}

struct Planner<'a> {
    flow: &'a Flow,
    live: &'a Liveness,
    vectors: &'a VectorLiveness,
    region: &'a Region,
    chosen: &'a Chosen,
    choice: usize,
    wanted: &'a InjectChoice,
    injected: usize,
}

impl Planner<'_> {
    /// The innermost loop that can be a unit and takes long enough per entry, else the outermost that can.
    fn unit(&self, taken: &dyn Fn(usize) -> bool) -> Result<Versioned, NotInjected> {
        /// Seconds of an entry at which entering and leaving (0.05 to 0.15 us, most of it for reading the clock) cost 2 to 6 %.
        const ENOUGH: f64 = 2.5e-6;
        /// Seconds of an entry below which reading the clock (about 10 ns of it) hides what is measured.
        const LEAST: f64 = 30e-9;
        self.can_be_unit(self.injected)?;
        let around = std::iter::successors(Some(self.injected), |&l| self.flow.loops[l].parent);
        let mut best = None;
        for l in around {
            if self.can_be_unit(l).is_err() || taken(l) {
                break;
            }
            let header = self.flow.blocks[self.flow.loops[l].header].start;
            let seconds = self.wanted.seconds_per_entry(header);
            best = Some((l, seconds));
            if seconds >= ENOUGH {
                break;
            }
        }
        let (unit, seconds) = best.ok_or(NotInjected::NestMeasured)?;
        if seconds < LEAST {
            return Err(NotInjected::ShortEntries { nanoseconds: seconds * 1e9 });
        }
        let nest = self.nest(unit);
        let registers = Registers::of(&nest);
        let mut used = kinds::used(nest.code(self.injected));
        let calls = nest.calls() && !self.wanted.rare_calls;
        if calls {
            // Whatever the callees use.
            used = Resource::ALL.into_iter().filter(|r| !r.is_memory()).collect();
        }
        let innermost = !self.flow.loops.iter().any(|l| l.parent == Some(self.injected));
        let uses = if innermost && !calls { kinds::uses(nest.code(self.injected)) } else { Vec::new() };
        let versions = self.versions(&nest, &registers, &used)?;
        let passes = self.chosen.window_seconds / self.wanted.seconds_per_iteration.max(1e-11);
        let quantum = passes.clamp(2.0, 1e9);
        let windows = WINDOWS * versions.len() as u32;
        Ok(Versioned {
            choice: self.choice,
            unit,
            injected: self.injected,
            sites: sites(&nest, &registers),
            returns: self.returns(unit),
            calls,
            jumps: nest.jumps(),
            multiplications: kinds::multiplications(nest.code(self.injected)),
            registers,
            used,
            uses,
            versions,
            quantum: quantum as u32,
            rest: self.rest(quantum * f64::from(windows), seconds < ENOUGH, seconds),
            windows,
            slot: 0,
        })
    }

    /// Rests by which windows of `passes` in all are spread over the run: the program's data and what else uses the core change in
    /// seconds, windows of all versions take some tenths of one. Of a unit with `short` entries, entries are counted.
    fn rest(&self, passes: f64, short: bool, seconds_per_entry: f64) -> Rest {
        let InjectChoice { seconds, seconds_per_iteration, .. } = *self.wanted;
        let per_iteration = seconds_per_iteration.max(1e-11);
        let rests = f64::from(WINDOWS / GROUP as u32);
        let left = SPREAD * seconds / per_iteration - LENGTHENED * passes;
        let each = (left / rests * per_iteration).clamp(0.0, LONGEST_REST);
        let number = |seconds: f64| (each / seconds).min(1e9) as u32;
        match (number(seconds_per_entry), number(per_iteration)) {
            (entries @ 1.., _) if short => Rest::Entries(entries),
            (_, passes @ 1..) => Rest::Passes(passes),
            _ => Rest::None,
        }
    }

    fn nest(&self, unit: usize) -> Nest<'_> {
        Nest { flow: self.flow, live: self.live, vectors: self.vectors, injected: self.injected, unit }
    }

    /// Blocks that control reaches at their original address from others of the unit.
    fn returns(&self, unit: usize) -> Vec<usize> {
        let body = &self.flow.loops[unit].body;
        let edges = body.iter().flat_map(|&b| &self.flow.blocks[b].successors);
        let mut returns: Vec<usize> =
            edges.filter(|e| e.kind.reenters() && body.binary_search(&e.to).is_ok()).map(|e| e.to).collect();
        returns.sort_unstable();
        returns.dedup();
        returns
    }

    fn can_be_unit(&self, l: usize) -> Result<(), NotInjected> {
        let (flow, region) = (self.flow, self.region);
        let a_loop = &flow.loops[l];
        for &b in &a_loop.body {
            let block = &flow.blocks[b];
            if !region.inside[b] || region.native[b] {
                return Err(NotInjected::NotMoved);
            }
            let runs_on = matches!(block.end, End::Fall(_) | End::Jump(_) | End::Branch { .. });
            if !runs_on && !is_left(block.end) {
                return Err(NotInjected::NotMoved);
            }
            let elsewhere = |p: &usize| a_loop.body.binary_search(p).is_err();
            let entered = block.predecessors.iter().any(elsewhere) || flow.entries.contains(&b);
            if flow.irreducible[b] || entered && b != a_loop.header {
                return Err(NotInjected::SeveralEntries);
            }
            // Its own measurement of time would include that of the versions.
            if flow.instructions(b).iter().any(|i| matches!(i.mnemonic(), Mnemonic::Rdtsc | Mnemonic::Rdtscp))
            {
                return Err(NotInjected::ReadsClock);
            }
        }
        Ok(())
    }

    fn versions(
        &self,
        nest: &Nest<'_>,
        registers: &Registers,
        used: &[Resource],
    ) -> Result<Vec<Version>, NotInjected> {
        let nowhere = |_: Word| MemoryOperand::with_base(Register::RSP);
        let walks = Walks { bytes: self.chosen.walks, counter: None };
        let vector = registers.vector.map(|v| (v.low, v.encoding));
        let means = Means { walks, spare: registers.spare, source: Register::RSP, vector, word: &nowhere };
        let ticks = self.wanted.seconds_per_iteration * self.chosen.ticks_per_second;
        let size = nest.code(nest.unit).count();
        let own = nest.code(nest.injected).count();
        let mut versions = vec![PLAIN, PLAIN];
        // Twice what the resource can do in an iteration: where all of the kind wait for it. Less: whether it has room.
        let shares: &[f64] = if size > 800 { &[0.5, 2.0] } else { &[0.25, 0.5, 1.0, 2.0] };
        for resource in Resource::ALL {
            let wanted = !resource.is_special() || used.contains(&resource);
            let encoding = vector.map_or(Encoding::Legacy, |v| v.1);
            let Some(cost) =
                self.chosen.cost(resource, encoding).filter(|_| wanted && means.suffice(resource))
            else {
                continue;
            };
            let most = match resource {
                Resource::FrontEnd => MOST_NOPS.max(own),
                r if r.is_memory() => MOST_LINES as usize,
                _ => MOST_OPERATIONS.max(own),
            };
            let mut before = 0;
            for share in shares {
                let count = (share * ticks / cost).clamp(1.0, most.min(MOST_ANYWHERE) as f64).round() as u32;
                // Points that are close to each other say nothing of the slope between them.
                if count > before + before / 4 {
                    versions.push(Version { resource: Some(resource), count });
                    before = count;
                }
            }
        }
        versions.resize(prime_from(versions.len() as u64) as usize, PLAIN);
        let injected: usize = versions.iter().map(|v| v.count as usize).sum();
        if versions.len() * size + injected > MOST_INSTRUCTIONS {
            Err(NotInjected::TooLong { instructions: size })
        } else {
            Ok(versions)
        }
    }
}
