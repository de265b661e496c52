//! The copy of a region: blocks in the order of their addresses, counters between their instructions, and
//! stubs for edges and arrivals with work to do.

use super::hooks::{EdgeWork, Hooks};
use super::pending::{Activation, Crossing, Departure, Overflow};
use super::scratch::{Need, RED_ZONE, Scratch};
use super::versions::UnitLabels;
use super::writer::{Label, Writer, area};
use crate::code::flow::{EdgeKind, End, Flow};
use crate::code::liveness::{Live, Liveness};
use crate::code::registers::{CARRY, Gprs, set_of};
use crate::injection::WalkBytes;
use crate::injection::plan::Versioned;
use crate::region::Plan;
use crate::region::trips::Technique;
use crate::runtime::areas::{Layout, OWNER};
use crate::tracing::plan::{IDS, RecordKind, TracePlan};
use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Mnemonic, Register};
use loopwright_binary::work::Unit;
use std::collections::BTreeMap;

/// A jump to write over original code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// Address of the jump.
    pub at: u64,
    /// Label that it goes to.
    pub to: u64,
    /// Address of the near jump when only a short one fits at `at`.
    pub springboard: Option<u64>,
}

/// How the running thread's area is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadCheck {
    /// The word at `fs:0` holds its own address (TLS variant II); usable once the loader has set it up.
    SelfPointer,
    /// `rdfsbase`, which works before that, too.
    FsBase,
}

/// The inputs of emission besides the plan.
pub struct Setting<'a> {
    /// Where the counters are.
    pub layout: Layout,
    /// Address of the routine that finds a thread's area.
    pub claim: u64,
    /// How threads are recognised.
    pub check: ThreadCheck,
    /// Whether a call of this address stays in counted code that checks the thread itself.
    pub checked_callee: &'a (dyn Fn(u64) -> bool + Sync),
    /// Counters are emitted (else the code is only moved, to measure the cost of moving).
    pub counting: bool,
    /// A second copy that records its accesses.
    pub tracing: Option<&'a Tracing<'a>>,
    /// Loops that have versions with injected operations, and their first counter slot.
    pub units: &'a [Versioned],
    pub unit_slots: u32,
    /// Address and extent of the memory that operations walk through.
    pub walks: (u64, WalkBytes),
    /// The function is hooked.
    pub hook: Option<Hook>,
}

/// What is called where a hooked function begins and before it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hook {
    /// Address of the routine for the beginning.
    pub enter: u64,
    /// Of the one for the end; absent where the end is of no matter.
    pub exit: Option<u64>,
    /// Names the function to both.
    pub word: u32,
}

/// The inputs of the second copy of a function.
pub struct Tracing<'a> {
    /// What it records.
    pub plan: &'a TracePlan,
    /// First id of the function's records.
    pub first: u32,
    /// Numbers of the function's shares, by loop.
    pub shares: &'a [Option<u32>],
    /// Address of the routine that requests room.
    pub room: u64,
    /// Threads wait for room, so that no access is missed.
    pub exhaustive: bool,
    /// The processor has mask registers of 64 bits.
    pub wide_masks: bool,
}

impl Tracing<'_> {
    /// Number of the share that a block counts for.
    pub fn share(&self, block: usize) -> Option<u32> {
        self.plan.blocks[block].share.and_then(|s| self.shares.get(s).copied().flatten())
    }

    /// Id of a record.
    pub fn id(&self, block: usize, kind: RecordKind) -> u32 {
        self.first + IDS * block as u32 + kind as u32
    }
}

/// Identifies one of a block's copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The copy that only counts, at full speed.
    Counting,
    /// The copy that records accesses.
    Tracing,
    /// A version of a unit, which holds only the unit's blocks.
    Version { unit: usize, version: usize },
}

/// The list of instructions of a region and the jumps that lead to it.
pub struct Copy {
    /// The instructions.
    pub writer: Writer,
    pub jumps: Vec<Jump>,
}

pub fn write(flow: &Flow, live: &Liveness, plan: &Plan, setting: &Setting) -> Copy {
    let mut w = Writer::new();
    let mut labels = || (0..flow.blocks.len()).map(|_| w.label()).collect();
    let labels = [labels(), labels()];
    let hooks = Hooks { plans: &plan.loops, layout: &setting.layout };
    let mut body = Body {
        flow,
        live,
        plan,
        setting,
        hooks,
        labels,
        stubs: Vec::new(),
        claims: Vec::new(),
        arrivals: BTreeMap::new(),
        busy: if setting.counting { busy(flow, plan) } else { vec![0; flow.blocks.len()] },
        which: Which::Counting,
        overflows: Vec::new(),
        activations: Vec::new(),
        departures: Vec::new(),
        arrivals_traced: Vec::new(),
        unit_labels: Vec::new(),
        w,
    };
    body.label_units();
    body.blocks();
    body.stubs();
    let jumps = body.jumps();
    if setting.tracing.is_some() {
        body.second_copy();
    }
    body.all_versions();
    body.claims();
    let mut writer = body.w;
    writer.finish();
    let resolved = jumps.into_iter().map(|j| Jump { to: writer.resolve(j.to), ..j }).collect();
    Copy { writer, jumps: resolved }
}

/// Registers that count iterations, by block.
fn busy(flow: &Flow, plan: &Plan) -> Vec<Gprs> {
    let mut busy = vec![0; flow.blocks.len()];
    for l in &plan.loops {
        if let Technique::Register(r) = l.technique {
            for &b in &flow.loops[l.index].body {
                busy[b] |= set_of(r);
            }
        }
    }
    busy
}

struct Stub {
    label: Label,
    from: usize,
    target: u64,
}

/// A region while its copies are written.
pub(super) struct Body<'a> {
    pub(super) flow: &'a Flow,
    pub(super) live: &'a Liveness,
    pub(super) plan: &'a Plan,
    pub(super) setting: &'a Setting<'a>,
    hooks: Hooks<'a>,
    labels: [Vec<Label>; 2],
    stubs: Vec<Stub>,
    claims: Vec<(Label, Label)>,
    arrivals: BTreeMap<usize, Label>,
    busy: Vec<Gprs>,
    /// The copy that is being written.
    pub(super) which: Which,
    pub(super) overflows: Vec<Overflow>,
    pub(super) activations: Vec<Activation>,
    pub(super) departures: Vec<Departure>,
    /// Label, registers on loan, block, meaning of the arrival, and whether the function was called.
    pub(super) arrivals_traced: Vec<(Label, Scratch, usize, Crossing, bool)>,
    /// By unit of the setting.
    pub(super) unit_labels: Vec<UnitLabels>,
    pub(super) w: Writer,
}

impl Body<'_> {
    fn copied(&self, address: u64) -> Option<usize> {
        self.flow.block_at(address).filter(|&b| self.plan.region.inside[b])
    }

    /// The label of a block's copy.
    pub(super) fn label(&self, which: Which, block: usize) -> Label {
        match which {
            Which::Counting => self.labels[0][block],
            Which::Tracing => self.labels[1][block],
            Which::Version { unit, version } => {
                let body = &self.flow.loops[self.setting.units[unit].unit].body;
                match body.binary_search(&block) {
                    Ok(k) => self.unit_labels[unit].versions[version][k],
                    // Outside the unit the plain copy runs.
                    Err(_) => self.labels[0][block],
                }
            }
        }
    }

    /// The final target of an edge.
    pub(super) fn destination(&self, address: u64) -> u64 {
        self.copied(address).map_or(address, |b| self.label(self.which, b).address())
    }

    fn edge_work(&self, from: usize, target: u64) -> EdgeWork {
        let mut work = EdgeWork::default();
        if self.setting.counting {
            work = EdgeWork::between(self.flow, &self.plan.loops, Some(from), self.flow.block_at(target));
            work.counter = self.plan.counters.edges.get(&(from, target)).copied();
        }
        work
    }

    fn emit_edge(&mut self, from: usize, target: u64) {
        let work = self.edge_work(from, target);
        let to = self.flow.block_at(target);
        let mut live = to.map_or(Live::ALL, |t| self.live.entry[t]);
        let both = to.map_or(0, |t| self.busy[t]) & self.busy[from];
        live.gprs |= both;
        self.hooks.edge(&mut self.w, &work, live);
        self.cross(from, target, live);
    }

    fn blocks(&mut self) {
        let plan = self.plan;
        self.copies(&plan.region.blocks);
    }

    /// The copies of these blocks, sorted by address.
    pub(super) fn copies(&mut self, blocks: &[usize]) {
        let aligned: Vec<usize> = self
            .plan
            .loops
            .iter()
            .filter(|l| self.flow.loops[l.index].innermost)
            .filter_map(|l| self.flow.loops[l.index].body.first().copied())
            .collect();
        for k in 0..blocks.len() {
            let b = blocks[k];
            let before = k.checked_sub(1).map(|k| blocks[k]);
            let first = self.which == Which::Counting;
            if first && self.plan.region.is_point(b) && !before.is_some_and(|p| self.falls_into(p, b)) {
                // No block falls into this one: the arrival's code comes directly before it.
                let label = self.arrival(b, true);
                self.arrivals.insert(b, label);
            }
            if aligned.contains(&b) {
                self.w.align();
            }
            self.w.place(self.label(self.which, b));
            self.block(b, blocks.get(k + 1).copied());
        }
    }

    /// Whether the copy of `before` falls through into that of `b` after it.
    fn falls_into(&self, before: usize, b: usize) -> bool {
        let start = self.flow.blocks[b].start;
        match self.flow.blocks[before].end {
            End::Fall(to) | End::Jump(to) | End::Branch { fall: to, .. } => to == start,
            _ => false,
        }
    }

    fn block(&mut self, b: usize, next: Option<usize>) {
        let block = &self.flow.blocks[b];
        let code = self.flow.instructions(b);
        let mut live = self.live.inside(self.flow, b);
        for l in &mut live {
            l.gprs |= self.busy[b];
        }
        // A terminator that is not copied unchanged.
        let body = if matches!(block.end, End::Fall(_)) { code.len() } else { code.len() - 1 };
        let counter = self.plan.counters.blocks.get(&b).copied().filter(|_| self.setting.counting);
        let place = counter.map(|_| best_place(&live[..=body]));
        self.count_pass(b, live[0]);
        let tracing = self.which == Which::Tracing;
        let resident = if tracing { self.unused_register(b, &live) } else { None };
        match self.which {
            Which::Tracing => self.begin_record(b, live[0], resident),
            Which::Counting => self.may_join(b, live[0]),
            Which::Version { .. } => self.begin_version(b, live[0]),
        }
        for k in 0..=body {
            if let (Some(slot), true) = (counter, place == Some(k)) {
                self.increment(slot, live[k]);
            }
            if k == body {
                break;
            }
            let i = code[k];
            self.inject_before(b, k);
            self.count_units(b, &i, live[k]);
            if tracing {
                self.record_operands(b, k, live[k], resident);
            }
            if !matches!(i.mnemonic(), Mnemonic::Nop | Mnemonic::Endbr64) {
                self.w.push(i);
            }
        }
        if tracing {
            // A jump through memory reads it.
            if body < code.len() && !matches!(block.end, End::Call(_)) {
                self.record_operands(b, body, live[body], resident);
            }
            self.record_arguments(b, live[body], resident);
        }
        self.terminator(b, next);
    }

    /// The copy that records, and the switches between the two copies.
    fn second_copy(&mut self) {
        self.which = Which::Tracing;
        self.blocks();
        self.stubs();
        self.traced_arrivals();
        self.departures();
        self.activations();
        self.overflows();
    }

    /// Counts an iteration in a register, at the header.
    fn count_pass(&mut self, b: usize, live: Live) {
        for l in &self.plan.loops {
            let Technique::Register(r) = l.technique else { continue };
            if self.flow.loops[l.index].header == b && self.setting.counting {
                if live.flags & !CARRY == 0 {
                    self.w.one(Code::Inc_rm64, r);
                } else {
                    self.w.offset(r, r, 1);
                }
            }
        }
    }

    fn increment(&mut self, slot: u32, mut live: Live) {
        live.flags &= !CARRY; // an increment keeps it
        let scratch = Scratch::borrow(&mut self.w, live, Need { flags: true, ..Need::default() });
        self.w.increment(self.setting.layout.counter(slot));
        scratch.give_back(&mut self.w);
    }

    /// Counts the units that the work of the instruction is proportional to.
    fn count_units(&mut self, b: usize, i: &Instruction, live: Live) {
        if !self.setting.counting {
            return;
        }
        for v in self.plan.variable.iter().filter(|v| v.block == b && v.address == i.ip()) {
            let slot = area(self.setting.layout.counter(v.slot));
            match v.unit {
                Unit::MaskBits { register, lanes } => {
                    let need = Need { registers: 1, flags: true, ..Need::default() };
                    let s = Scratch::borrow(&mut self.w, live, need);
                    let (a, k) = (s.registers[0], Register::K0 + u32::from(register));
                    let low = crate::code::registers::lower_half(a);
                    if lanes <= 16 {
                        self.w.registers(Code::VEX_Kmovw_r32_kr, low, k);
                        if lanes < 16 {
                            self.w.immediate(Code::And_rm32_imm32, low, (1 << lanes) - 1);
                        }
                    } else if lanes <= 32 {
                        self.w.registers(Code::VEX_Kmovd_r32_kr, low, k);
                    } else {
                        self.w.registers(Code::VEX_Kmovq_r64_kr, a, k);
                    }
                    self.w.registers(Code::Popcnt_r64_rm64, a, a);
                    self.w.write(Code::Add_rm64_r64, slot, a);
                    s.give_back(&mut self.w);
                }
                Unit::Repetitions => {
                    let need = Need { flags: true, keep: set_of(Register::RCX), ..Need::default() };
                    let s = Scratch::borrow(&mut self.w, live, need);
                    self.w.write(Code::Add_rm64_r64, slot, Register::RCX);
                    s.give_back(&mut self.w);
                }
            }
        }
    }

    fn terminator(&mut self, b: usize, next: Option<usize>) {
        let last = *self.flow.last(b);
        match self.flow.blocks[b].end {
            End::Fall(to) | End::Jump(to) => self.fall(b, to, next),
            End::Branch { taken, fall } => {
                let target = if self.edge_work(b, taken).is_empty() && !self.crosses(b, taken) {
                    self.destination(taken)
                } else {
                    let label = self.w.label();
                    self.stubs.push(Stub { label, from: b, target: taken });
                    label.address()
                };
                if is_rewritten(&last) {
                    // The encoder replaces it by several instructions, which cannot carry a label.
                    self.w.plain(Code::Nopd);
                }
                let mut i = last;
                i.set_near_branch64(target);
                self.w.push(i);
                self.fall(b, fall, next);
            }
            // Calls and traps execute in place.
            End::Call(_) | End::Stop => {
                self.go_away();
                self.w.jump(last.ip());
            }
            End::Tail(to) => match self.end_hook() {
                Some(hook) => self.hooked_tail(hook, Instruction::with_branch(Code::Call_rel32_64, to)),
                None => self.w.jump(to),
            },
            End::Indirect => {
                self.go_away();
                self.w.push(last);
            }
            End::Return => {
                if let Some((exit, word)) = self.end_hook() {
                    self.call_hook(exit, word);
                }
                self.w.push(last);
            }
            End::IndirectTail => {
                let Some(hook) = self.end_hook() else {
                    self.w.push(last);
                    return;
                };
                let mut call = last;
                call.set_code(Code::Call_rm64);
                self.hooked_tail(hook, Ok(call));
            }
        }
    }

    fn fall(&mut self, b: usize, to: u64, next: Option<usize>) {
        self.emit_edge(b, to);
        match self.copied(to) {
            Some(t) if Some(t) == next => {}
            _ => {
                let destination = self.destination(to);
                self.w.jump(destination);
            }
        }
    }

    pub(super) fn stubs(&mut self) {
        for stub in std::mem::take(&mut self.stubs) {
            self.w.place(stub.label);
            self.emit_edge(stub.from, stub.target);
            let destination = self.destination(stub.target);
            self.w.jump(destination);
        }
    }

    /// A jump for each point, to the block's copy or to a stub before it.
    fn jumps(&mut self) -> Vec<Jump> {
        let points = self.plan.region.points.clone();
        let mut jumps = Vec::new();
        for p in points {
            let at = self.flow.blocks[p.block].start;
            let to = match self.arrivals.get(&p.block) {
                Some(label) => *label,
                None => self.arrival(p.block, false),
            };
            let to = to.address();
            jumps.push(Jump { at, to, springboard: p.springboard });
        }
        jumps
    }

    /// The code that runs where control arrives at a block from original code, before the block; with
    /// `inline` the block follows.
    fn arrival(&mut self, b: usize, inline: bool) -> Label {
        let second = self.setting.tracing.is_some() || !self.setting.units.is_empty();
        if !self.setting.counting && !second && self.setting.hook.is_none() {
            return self.label(Which::Counting, b);
        }
        let region = &self.plan.region;
        let mut from: Vec<Option<usize>> = Vec::new();
        // A function may be called from code that is not counted and has not checked the thread: so each
        // function checks.
        let mut check = b == region.entry || self.flow.entries.contains(&b) || self.flow.pads.contains(&b);
        if b == region.entry || self.flow.entries.contains(&b) {
            from.push(None);
        }
        for &p in &self.flow.blocks[b].predecessors {
            for edge in self.flow.blocks[p].successors.iter().filter(|e| e.to == b) {
                if edge.kind.reenters() || region.native[p] || !region.inside[p] {
                    from.push(Some(p));
                    check |= edge.kind == EdgeKind::CallReturn && !self.callee_checks(p);
                    check |= !region.inside[p];
                }
            }
        }
        let plans = &self.plan.loops;
        let works: Vec<EdgeWork> =
            from.iter().map(|&p| EdgeWork::between(self.flow, plans, p, Some(b))).collect();
        let mut work = works.first().cloned().unwrap_or_default();
        // The end of a loop is counted where it is the same for all origins.
        work.left.retain(|l| works.iter().all(|w| w.left.contains(l)));
        if !self.setting.counting {
            work = EdgeWork::default();
        }
        let hook = self.setting.hook.filter(|_| b == region.entry);
        if !check && work.is_empty() && !second && hook.is_none() {
            return self.label(Which::Counting, b);
        }
        let label = self.w.label();
        self.w.place(label);
        if check {
            self.check_thread(self.live.entry[b]);
        }
        if let Some(hook) = hook {
            self.call_hook(hook.enter, hook.word);
        }
        self.hooks.edge(&mut self.w, &work, self.live.entry[b]);
        self.arrive(b, &from, self.live.entry[b]);
        if !inline {
            let to = self.label(Which::Counting, b).address();
            self.w.jump(to);
        }
        label
    }

    fn callee_checks(&self, block: usize) -> bool {
        let call = self.flow.last(block);
        call.op_count() > 0
            && call.op0_kind() == iced_x86::OpKind::NearBranch64
            && (self.setting.checked_callee)(call.near_branch_target())
    }

    /// Makes sure that the GS base points to the running thread's own area.
    fn check_thread(&mut self, live: Live) {
        let need = Need { registers: 1, flags: true, ..Need::default() };
        let (other, back) = (self.w.label(), self.w.label());
        let s = Scratch::borrow(&mut self.w, live, need);
        let a = s.registers[0];
        match self.setting.check {
            ThreadCheck::SelfPointer => {
                let fs = MemoryOperand::new(Register::None, Register::None, 1, 0, 8, false, Register::FS);
                self.w.read(Code::Mov_r64_rm64, a, fs);
            }
            ThreadCheck::FsBase => self.w.one(Code::Rdfsbase_r64, a),
        }
        self.w.read(Code::Cmp_r64_rm64, a, area(OWNER));
        self.w.branch(Code::Jne_rel32_64, other.address());
        self.w.place(back);
        self.claims.push((other, back));
        s.give_back(&mut self.w);
    }

    /// The routine for the function's end, and the word that names the function, where its end is hooked.
    fn end_hook(&self) -> Option<(u64, u32)> {
        let hook = self.setting.hook?;
        Some((hook.exit?, hook.word))
    }

    /// Calls a routine of the hooks. Nothing below the stack pointer is in use where a function begins or returns, and `lea`
    /// leaves the flags alone.
    fn call_hook(&mut self, routine: u64, word: u32) {
        /// Bytes of the pushed word.
        const PUSHED: i64 = 8;
        let push = Instruction::with1(Code::Pushq_imm32, word as i32).expect("an immediate");
        self.w.push(push);
        self.w.call(routine);
        self.w.offset(Register::RSP, Register::RSP, PUSHED);
    }

    /// A jump to another function becomes a call of it, so that its end is seen. The words that may hold arguments on the stack are
    /// copied, so that the called function finds them where it expects them.
    fn hooked_tail(&mut self, (exit, word): (u64, u32), call: Result<Instruction, IcedError>) {
        /// Words of arguments: no function of MPI has more than twelve arguments, of which six are in registers.
        const WORDS: i64 = 8;
        // One more word keeps the stack aligned as calls expect it.
        let lowered = 8 * (WORDS + 1);
        self.w.offset(Register::RSP, Register::RSP, -8);
        for _ in 0..WORDS {
            let word = MemoryOperand::with_base_displ(Register::RSP, lowered);
            self.w.push(Instruction::with1(Code::Push_rm64, word).expect("a word in memory"));
        }
        self.w.push(call.expect("a call of code"));
        self.w.offset(Register::RSP, Register::RSP, lowered);
        self.call_hook(exit, word);
        self.w.plain(Code::Retnq);
    }

    /// The calls of the claiming routine, away from the hot code.
    fn claims(&mut self) {
        for (here, back) in std::mem::take(&mut self.claims) {
            self.w.place(here);
            self.w.offset(Register::RSP, Register::RSP, -RED_ZONE);
            self.w.call(self.setting.claim);
            self.w.offset(Register::RSP, Register::RSP, RED_ZONE);
            self.w.jump(back.address());
        }
    }
}

/// Where in the block a counter costs least: where no flag but the carry is live, else where rax is dead.
fn best_place(live: &[Live]) -> usize {
    let free = live.iter().position(|l| l.flags & !CARRY == 0);
    let rax = || live.iter().position(|l| l.gprs & 1 == 0);
    free.or_else(rax).unwrap_or(0)
}

/// Branches that exist only with a short displacement.
fn is_rewritten(i: &Instruction) -> bool {
    matches!(
        i.mnemonic(),
        Mnemonic::Loop
            | Mnemonic::Loope
            | Mnemonic::Loopne
            | Mnemonic::Jrcxz
            | Mnemonic::Jecxz
            | Mnemonic::Jcxz
    )
}
