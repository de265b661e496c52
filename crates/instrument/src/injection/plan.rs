//! Which versions of a loop are written, where threads change between them, and which registers they use.
//!
//! Operations are injected at the header of the chosen loop. Threads change versions at the header of a *unit*: the chosen loop
//! itself, or where an entry of it is short, a loop around it; all blocks of the unit are copied for each version. A unit is
//! entered at its header only and runs no other code, so that no thread is ever in two versions at once.

use super::calibrate;
use super::operation::{Encoding, MOST_LINES, Means, Walks, Word};
use super::order::prime_from;
use super::{Chosen, InjectChoice};
use crate::code::flow::{End, Flow};
use crate::code::liveness::Liveness;
use crate::code::registers::{CALLER_SAVED, Gprs, RSP, gpr, set_of};
use crate::code::vectors;
use crate::injected::NotInjected;
use crate::region::Region;
use iced_x86::{Instruction, InstructionInfoFactory, MemoryOperand, Mnemonic, OpAccess, Register};
use loopwright_vocabulary::{Resource, VectorWidth};

/// A version: what is injected into each iteration. The plain ones inject nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    pub resource: Option<Resource>,
    pub count: u32,
}

const PLAIN: Version = Version { resource: None, count: 0 };

/// A vector register for operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The XMM register.
    pub low: Register,
    pub encoding: Encoding,
    /// It holds a value of the program, which is saved while the unit runs.
    pub saved: bool,
    /// Width of the registers of this processor.
    pub whole: VectorWidth,
}

/// A general register whose value waits in the low half of a vector register while the unit runs. There conservative garbage
/// collectors find it, too: the kernel stores vector registers on the stack of a signal's handler. The vector register's own
/// value waits in the control block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lent {
    pub general: Register,
    /// The XMM register.
    pub vector: Register,
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
    /// Counts down the iterations until the next change; in memory where no register is free.
    pub countdown: Option<Register>,
    /// A general register without a value at the injected header.
    pub spare: Option<Register>,
    /// A general register that the unit does not write.
    pub source: Register,
    pub vector: Option<Vector>,
    /// Registers of the program that are among these, at most [`MOST_LENT`].
    pub lent: Vec<Lent>,
    /// Resources that instructions of the injected loop use.
    pub used: Vec<Resource>,
    /// A prime number of versions, the first is plain.
    pub versions: Vec<Version>,
    /// Passes of the injected header from one change to the next.
    pub quantum: u32,
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

    /// Counter slots of a thread: the control block, aligned, and two for each window.
    pub fn slots(&self) -> u32 {
        2 * CONTROL + 2 * self.windows
    }
}

/// Counter slots of the control block, and its alignment in slots: eight cache lines.
pub const CONTROL: u32 = 64;

/// Most general registers that are lent: the countdown, and one for operations.
pub const MOST_LENT: usize = 2;

/// Words of the control block.
pub mod word {
    /// Not 0: the plain copy runs. A thread is in a version, or all windows were recorded.
    pub const GATE: u32 = 0;
    /// 0 before the first entry, then 1.
    pub const STATE: u32 = 1;
    /// Number of the version.
    pub const CURRENT: u32 = 2;
    /// Distance to the next version.
    pub const STEP: u32 = 3;
    /// Versions that ran with this step.
    pub const COUNT: u32 = 4;
    /// Windows that were recorded.
    pub const POSITION: u32 = 5;
    /// What is left of the countdown.
    pub const REMAINING: u32 = 6;
    /// Time at which the thread entered the unit or changed its version.
    pub const START: u32 = 7;
    /// Ticks of earlier entries in this window.
    pub const TICKS: u32 = 8;
    /// Stores of operations.
    pub const STORED: u32 = 12;
    /// Loads of operations; in the next cache line.
    pub const LOADED: u32 = 16;
    /// 1.0.
    pub const ONE: u32 = 17;
    /// Where walks begin in this window.
    pub const OFFSET: u32 = 18;
    /// Address of the memory to be walked through.
    pub const BASE: u32 = 19;
    /// The value of the vector register, 64 bytes.
    pub const SAVED: u32 = 24;
    /// The values of vector registers that hold general ones, 16 bytes each.
    pub const LENT: u32 = 32;
}

/// Windows per version: with 40 the median of a version whose windows scatter by 5 % is known to about 1 %
/// (1.25 * 5 % / sqrt(40)).
const WINDOWS: u32 = 40;
/// Instructions of all versions of a unit together: some hundred KiB of code.
const MOST_INSTRUCTIONS: usize = 160_000;
/// Operations of one kind in an iteration: their code takes up to some 1,000 bytes.
const MOST_OPERATIONS: f64 = 160.0;
/// The same of `nop`s, of which a core can run six or more in a cycle.
const MOST_NOPS: f64 = 400.0;

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
    let vectors = vectors::live_at_entries(flow);
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
    vectors: &'a [vectors::LiveVectors],
    region: &'a Region,
    chosen: &'a Chosen,
    choice: usize,
    wanted: &'a InjectChoice,
    injected: usize,
}

impl Planner<'_> {
    /// The innermost loop that can be a unit and takes long enough per entry, else the outermost that can.
    fn unit(&self, taken: &dyn Fn(usize) -> bool) -> Result<Versioned, NotInjected> {
        /// Seconds of an entry at which entering and leaving (about 0.05 us) cost 2 %.
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
        let vector = self.vector(unit);
        let mut lender = self.lender(unit, vector);
        let countdown = self.countdown(unit).or_else(|| lender.lend());
        let spare = self.spare(countdown).or_else(|| lender.lend());
        let source = self.source(unit, countdown);
        let used = used(self.code(self.injected));
        let versions = self.versions(unit, spare, vector, &used)?;
        let passes = self.chosen.window_seconds / self.wanted.seconds_per_iteration.max(1e-11);
        let windows = WINDOWS * versions.len() as u32;
        Ok(Versioned {
            choice: self.choice,
            unit,
            injected: self.injected,
            countdown,
            spare,
            source,
            vector,
            lent: lender.lent,
            used,
            versions,
            quantum: passes.clamp(2.0, 1e9) as u32,
            windows,
            slot: 0,
        })
    }

    fn can_be_unit(&self, l: usize) -> Result<(), NotInjected> {
        let (flow, region) = (self.flow, self.region);
        let a_loop = &flow.loops[l];
        for &b in &a_loop.body {
            let block = &flow.blocks[b];
            if !region.inside[b] || region.native[b] {
                return Err(NotInjected::NotMoved);
            }
            if !matches!(block.end, End::Fall(_) | End::Jump(_) | End::Branch { .. }) {
                return Err(if matches!(block.end, End::Indirect) {
                    NotInjected::ComputedJump
                } else {
                    NotInjected::Calls
                });
            }
            let elsewhere = |p: &usize| a_loop.body.binary_search(p).is_err();
            let entered = b != a_loop.header && block.predecessors.iter().any(elsewhere);
            if flow.irreducible[b] || region.is_point(b) || entered {
                return Err(NotInjected::SeveralEntries);
            }
            // Its own measurement of time would include that of the versions.
            if flow.instructions(b).iter().any(|i| matches!(i.mnemonic(), Mnemonic::Rdtsc | Mnemonic::Rdtscp))
            {
                return Err(NotInjected::ReadsClock);
            }
        }
        let free_flags = |l: usize| self.live.entry[flow.loops[l].header].flags == 0;
        if free_flags(l) && free_flags(self.injected) { Ok(()) } else { Err(NotInjected::FlagsInUse) }
    }

    /// Registers that the unit does not use: general ones that a debugger does not need to find the callers (the System V ABI
    /// does not preserve them over calls), and vector ones to keep their values in.
    fn lender(&self, unit: usize, vector: Option<Vector>) -> Lender {
        let used = self.taken(unit);
        let named = self.vectors_named(unit) | vector.map_or(0, |v| 1 << v.low.number());
        Lender {
            general: (0..16).filter(|&n| (CALLER_SAVED & !used) >> n & 1 == 1).map(gpr).collect(),
            vectors: (0..16).filter(|&n| named >> n & 1 == 0).map(|n| Register::XMM0 + n).collect(),
            lent: Vec::new(),
        }
    }

    /// Vector registers that instructions of a loop name, by number.
    fn vectors_named(&self, l: usize) -> u32 {
        let operands =
            self.code(l).flat_map(|i| (0..i.op_count()).map(|k| i.op_register(k)).collect::<Vec<_>>());
        operands.filter(|r| r.is_vector_register()).fold(0, |set, r| set | 1 << r.number())
    }

    /// Registers that the unit or reading the clock uses: that needs rax and rdx.
    fn taken(&self, unit: usize) -> Gprs {
        let clock = set_of(Register::RAX) | set_of(Register::RDX);
        RSP | clock | self.live.touched(self.flow, &self.flow.loops[unit].body)
    }

    /// A register that the unit neither uses nor keeps a value of the program in.
    fn countdown(&self, unit: usize) -> Option<Register> {
        let body = &self.flow.loops[unit].body;
        let used = body.iter().fold(self.taken(unit), |set, &b| set | self.live.entry[b].gprs);
        // Registers from r8 on are less often borrowed by calls around the loop.
        (0..16).rev().find(|&n| used >> n & 1 == 0).map(gpr)
    }

    fn spare(&self, countdown: Option<Register>) -> Option<Register> {
        let mut used = RSP | self.live.entry[self.flow.loops[self.injected].header].gprs;
        used |= countdown.map_or(0, set_of);
        (0..16).find(|&n| used >> n & 1 == 0).map(gpr)
    }

    /// Only read: its value does not matter.
    fn source(&self, unit: usize, countdown: Option<Register>) -> Register {
        let mut written: Gprs = RSP | countdown.map_or(0, set_of);
        for &b in &self.flow.loops[unit].body {
            let (first, last) = self.flow.blocks[b].code;
            written = self.live.effects[first..last].iter().fold(written, |set, e| set | e.writes);
        }
        (0..16).find(|&n| written >> n & 1 == 0).map_or(Register::RSP, gpr)
    }

    fn code(&self, l: usize) -> impl Iterator<Item = &Instruction> {
        self.flow.loops[l].body.iter().flat_map(|&b| self.flow.instructions(b))
    }

    /// A register that is free at the injected header, else one that the unit does not use and whose value is saved.
    fn vector(&self, unit: usize) -> Option<Vector> {
        let encoding = encoding(self.code(self.injected));
        let whole = calibrate::encodings().last().map_or(VectorWidth::Bits128, |e| e.width());
        let live = self.vectors[self.flow.loops[self.injected].header];
        let busy = if encoding == Encoding::Legacy { live.low } else { live.low | live.high };
        if let Some(free) = (0..16).find(|n| busy >> n & 1 == 0) {
            return Some(Vector { low: Register::XMM0 + free, encoding, saved: false, whole });
        }
        let named = self.vectors_named(unit);
        // Saving all of a register would mark its upper bits as in use, which slows code without VEX prefixes down: where the
        // loop does not use them, operations keep them.
        let encoding = if encoding == Encoding::Vex128 { Encoding::Legacy } else { encoding };
        let free = (0..16).rev().find(|n| named >> n & 1 == 0)?;
        Some(Vector { low: Register::XMM0 + free, encoding, saved: true, whole })
    }

    fn versions(
        &self,
        unit: usize,
        spare: Option<Register>,
        vector: Option<Vector>,
        used: &[Resource],
    ) -> Result<Vec<Version>, NotInjected> {
        let nowhere = |_: Word| MemoryOperand::with_base(Register::RSP);
        let walks = Walks { bytes: self.chosen.walks, counter: None };
        let means = Means {
            walks,
            spare,
            source: Register::RSP,
            vector: vector.map(|v| (v.low, v.encoding)),
            word: &nowhere,
        };
        let ticks = self.wanted.seconds_per_iteration * self.chosen.ticks_per_second;
        let size = self.code(unit).count();
        let mut versions = vec![PLAIN, PLAIN];
        // Twice what the resource can do in an iteration: where all of the kind wait for it. Less: whether it has room.
        let shares: &[f64] = if size > 800 { &[0.5, 2.0] } else { &[0.25, 0.5, 1.0, 2.0] };
        for resource in Resource::ALL {
            let wanted = resource != Resource::FloatDivide || used.contains(&resource);
            let cost = vector.map_or(Encoding::Legacy, |v| v.encoding);
            let Some(cost) = self.chosen.cost(resource, cost).filter(|_| wanted && means.suffice(resource))
            else {
                continue;
            };
            let most = match resource {
                Resource::FrontEnd => MOST_NOPS,
                r if r.level().is_some() => f64::from(MOST_LINES),
                _ => MOST_OPERATIONS,
            };
            let mut before = 0;
            for share in shares {
                let count = (share * ticks / cost).clamp(1.0, most).round() as u32;
                if count > before {
                    versions.push(Version { resource: Some(resource), count });
                    before = count;
                }
            }
        }
        versions.resize(prime_from(versions.len() as u64) as usize, PLAIN);
        let instructions = versions.len() * size;
        if instructions > MOST_INSTRUCTIONS {
            Err(NotInjected::TooLong { instructions: size })
        } else {
            Ok(versions)
        }
    }
}

/// Registers to be lent, the last first.
struct Lender {
    general: Vec<Register>,
    vectors: Vec<Register>,
    lent: Vec<Lent>,
}

impl Lender {
    fn lend(&mut self) -> Option<Register> {
        if self.lent.len() == MOST_LENT {
            return None;
        }
        let (general, vector) = self.general.pop().zip(self.vectors.pop())?;
        self.lent.push(Lent { general, vector });
        Some(general)
    }
}

/// How the loop's own vector instructions are encoded, at the greatest width.
fn encoding<'a>(code: impl Iterator<Item = &'a Instruction>) -> Encoding {
    let mut found = Encoding::Legacy;
    for i in code {
        let widest = (0..i.op_count()).map(|k| i.op_register(k)).fold(Encoding::Legacy, |e, r| {
            e.max(if r.is_zmm() {
                Encoding::Evex512
            } else if r.is_ymm() {
                Encoding::Vex256
            } else if r.is_xmm() && i.encoding() != iced_x86::EncodingKind::Legacy {
                Encoding::Vex128
            } else {
                Encoding::Legacy
            })
        });
        found = found.max(widest);
    }
    found
}

/// The resources that instructions use, except those of memory beyond the first level.
fn used<'a>(code: impl Iterator<Item = &'a Instruction>) -> Vec<Resource> {
    let mut factory = InstructionInfoFactory::new();
    let mut used = vec![Resource::FrontEnd, Resource::TakenBranches, Resource::Integer];
    for i in code {
        let vector = (0..i.op_count()).any(|k| i.op_register(k).is_vector_register());
        if vector {
            // Integer operations of vectors share the ports.
            used.extend([Resource::FloatAdd, Resource::FloatMultiply]);
        }
        if is_float_division(i.mnemonic()) {
            used.push(Resource::FloatDivide);
        }
        if matches!(i.mnemonic(), Mnemonic::Imul | Mnemonic::Mul | Mnemonic::Mulx) {
            used.push(Resource::Multiply);
        }
        for memory in factory.info(i).used_memory() {
            match memory.access() {
                OpAccess::Read | OpAccess::CondRead => used.push(Resource::Loads),
                OpAccess::Write | OpAccess::CondWrite => used.push(Resource::Stores),
                OpAccess::ReadWrite | OpAccess::ReadCondWrite => {
                    used.extend([Resource::Loads, Resource::Stores])
                }
                OpAccess::None | OpAccess::NoMemAccess => {}
            }
        }
    }
    used.sort_unstable();
    used.dedup();
    used
}

fn is_float_division(m: Mnemonic) -> bool {
    matches!(
        m,
        Mnemonic::Divsd
            | Mnemonic::Divss
            | Mnemonic::Divpd
            | Mnemonic::Divps
            | Mnemonic::Vdivsd
            | Mnemonic::Vdivss
            | Mnemonic::Vdivpd
            | Mnemonic::Vdivps
            | Mnemonic::Sqrtsd
            | Mnemonic::Sqrtss
            | Mnemonic::Sqrtpd
            | Mnemonic::Sqrtps
            | Mnemonic::Vsqrtsd
            | Mnemonic::Vsqrtss
            | Mnemonic::Vsqrtpd
            | Mnemonic::Vsqrtps
    )
}
