//! The meaning of the ids in records. It grows while functions are called for the first time.

use super::operands::Operand;
use super::plan::{IDS, RecordKind, TracePlan};
use crate::code::flow::{End, Flow};
use crate::module::{FunctionPlan, Module};
use crate::options::{LoopChoice, same_file};
use crate::runtime::areas::trace::MOST_SHARES;
use crate::traced::{TracedModule, UntracedLoop};
use iced_x86::{OpKind, Register};
use loopwright_patterns::shape::{BranchShape, CallShape, LoopShape, Shape, Site};
use loopwright_patterns::warning::Gap;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A recorded operand, in the decoder's form.
#[derive(Clone, Copy, Debug)]
pub struct RecordedSite {
    /// Its first word in the record.
    pub word: u32,
    pub operand: Operand,
    /// The index vector of a gather.
    pub index: Register,
    /// Index of the operand in the shape.
    pub site: u32,
}

/// A call at the end of a block.
#[derive(Clone, Copy, Debug)]
pub struct TracedCall {
    /// Word of its arguments in the record.
    pub word: u32,
    /// Index in the shape.
    pub call: u32,
    /// Entry address of the function that it calls directly.
    pub target: Option<u64>,
    /// The called function is certainly in a module that is not traced.
    pub foreign: bool,
}

/// A conditional branch at the end of a block; the record that follows shows its outcome.
#[derive(Clone, Copy, Debug)]
pub struct TracedBranch {
    /// Index in the shape.
    pub branch: u32,
    /// Block to which it jumps.
    pub taken: usize,
    /// Block that follows when it does not.
    pub fall: usize,
}

/// A block, in the decoder's form.
#[derive(Clone, Debug, Default)]
pub struct TracedBlock {
    /// Words of its record.
    pub words: u32,
    pub operands: Vec<RecordedSite>,
    /// Loops around it, outermost first: index in the shape.
    pub loops: Vec<u32>,
    /// It is the header of the innermost of them.
    pub header: bool,
    /// The loop whose entry test it is.
    pub tests: Option<u32>,
    /// The call at its end.
    pub call: Option<TracedCall>,
    /// The conditional branch at its end.
    pub branch: Option<TracedBranch>,
    /// It leaves the function at its end.
    pub returns: bool,
    /// Number of the share that it counts for.
    pub share: Option<u32>,
}

/// A function whose records may appear.
#[derive(Debug)]
pub struct TracedFunction {
    /// First id.
    pub first: u32,
    /// Entry address.
    pub address: u64,
    /// By block.
    pub blocks: Vec<TracedBlock>,
    /// Parts of it are not recorded: each of its calls counts as one of unknown code, by index in the shape.
    pub incomplete: Option<u32>,
}

/// All registered facts.
#[derive(Debug, Default)]
pub struct Known {
    /// Loops, operands and calls by number.
    pub shape: Shape,
    pub modules: Vec<TracedModule>,
    /// Functions in the order of their ids.
    pub functions: Vec<Arc<TracedFunction>>,
    /// By number of the share: its loop in the shape.
    pub shares: Vec<u32>,
    /// Chosen loops that cannot be traced.
    pub untraced: Vec<UntracedLoop>,
    /// Parts of chosen loops that run untraced: loop and reason.
    pub gaps: Vec<(u32, Gap)>,
    next: u32,
    /// What was registered of a function: the same file in several programs is the same code.
    registered: HashMap<(u32, u64), Registered>,
    /// Module numbers by path and build id: a file may be replaced while the program runs.
    module_numbers: HashMap<(String, Option<String>), u32>,
}

/// The registry, shared by the tool's threads.
#[derive(Debug)]
pub struct Registry {
    /// Requested loops.
    pub chosen: Vec<LoopChoice>,
    /// Everything is traced, and threads wait for room.
    pub exhaustive: bool,
    /// Only one module is traced: functions that it imports are not.
    pub one_module: bool,
    known: Mutex<Known>,
}

/// Numbers that the emitted code of a function needs.
#[derive(Clone, Debug)]
pub struct Registered {
    /// First id of the function's records.
    pub first: u32,
    /// By share of the plan: its number in the session; `None` when there are too many.
    pub shares: Vec<Option<u32>>,
}

impl Registry {
    /// Nothing registered yet.
    pub fn new(chosen: Vec<LoopChoice>, exhaustive: bool, one_module: bool) -> Self {
        Self { chosen, exhaustive, one_module, known: Mutex::default() }
    }

    /// The registered facts.
    pub fn known(&self) -> MutexGuard<'_, Known> {
        // A panic elsewhere leaves the lists intact: each step only appends.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Headers of chosen loops in a module.
    pub fn chosen_in(&self, path: &str) -> HashSet<u64> {
        let mine = self.chosen.iter().filter(|c| same_file(&c.module, path));
        mine.map(|c| c.header).collect()
    }

    /// Functions of a module that hold chosen loops.
    pub fn functions_in(&self, path: &str) -> Vec<u64> {
        let mine = self.chosen.iter().filter(|c| same_file(&c.module, path));
        mine.map(|c| c.function).collect()
    }

    /// Registers a function; the same file in several processes is the same code. `bias` is the module's
    /// run-time address minus its ELF address in this process.
    pub fn register(
        &self,
        module: &Module,
        bias: u64,
        function: &FunctionPlan,
        plan: &TracePlan,
    ) -> Registered {
        let mut guard = self.known();
        let known = &mut *guard;
        let number = known.module(module, bias);
        if let Some(before) = known.registered.get(&(number, function.address)) {
            return before.clone();
        }
        let flow = &function.flow;
        let loops = known.add_loops(flow, function, plan, number);
        let first = known.next;
        let first_share = known.shares.len() as u32;
        let is_recorded = |b: usize| function.plans.iter().any(|p| p.region.inside[b] && !p.region.native[b]);
        let mut blocks = Vec::with_capacity(flow.blocks.len());
        for (b, planned) in plan.blocks.iter().enumerate() {
            let around: Vec<usize> = flow.loops_around(b).collect();
            let innermost = around.first().copied();
            let operands = planned.operands.iter().map(|r| {
                let i = &flow.instructions(b)[r.at];
                let o = &r.operand;
                known.shape.sites.push(Site {
                    module: number,
                    function: function.address,
                    address: i.ip(),
                    operand: o.number,
                    kind: o.kind,
                    size: o.size,
                    element: o.element,
                    lanes: o.lanes,
                    streaming: o.streaming,
                    atomic: o.atomic,
                    frame: o.frame,
                    loop_: innermost.map(|l| loops[l]),
                });
                RecordedSite {
                    word: r.word,
                    operand: r.operand,
                    index: i.memory_index(),
                    site: known.shape.sites.len() as u32 - 1,
                }
            });
            let operands: Vec<RecordedSite> = operands.collect();
            let end = flow.blocks[b].end;
            let call = planned.arguments.map(|word| {
                let call = flow.last(b);
                let target = module.callee_name(call);
                known.shape.calls.push(CallShape { module: number, address: call.ip(), target });
                let direct = call.op0_kind() == OpKind::NearBranch64;
                TracedCall {
                    word,
                    call: known.shape.calls.len() as u32 - 1,
                    target: direct.then(|| call.near_branch_target()),
                    foreign: self.one_module && module.calls_import(call),
                }
            });
            let branch = plan.outcomes(flow, b, &is_recorded).map(|(taken, fall)| {
                let (address, function) = (flow.last(b).ip(), function.address);
                known.shape.branches.push(BranchShape { module: number, function, address });
                TracedBranch { branch: known.shape.branches.len() as u32 - 1, taken, fall }
            });
            let tests = function.plans.iter().flat_map(|p| &p.loops).find(|l| l.test == Some(b));
            blocks.push(TracedBlock {
                words: planned.words,
                operands,
                loops: around.iter().rev().map(|&l| loops[l]).collect(),
                header: innermost.is_some_and(|l| flow.loops[l].header == b),
                tests: tests.map(|l| loops[l.index]),
                call,
                branch,
                returns: matches!(end, End::Return | End::Tail(_) | End::IndirectTail),
                share: planned.share.map(|s| first_share + s as u32),
            });
        }
        known.next += IDS * blocks.len() as u32;
        let native = |p: &crate::region::Plan| p.region.native.iter().any(|native| *native);
        let incomplete = plan.blocks.iter().any(|b| b.dropped) || function.plans.iter().any(native);
        let incomplete = incomplete.then(|| {
            let shape = CallShape { module: number, address: function.address, target: None };
            known.shape.calls.push(shape);
            known.shape.calls.len() as u32 - 1
        });
        let address = function.address;
        known.functions.push(Arc::new(TracedFunction { first, address, blocks, incomplete }));
        known.shares.extend(plan.shares.iter().map(|&l| loops[l]));
        let numbers = first_share..known.shares.len() as u32;
        let shares = numbers.map(|number| (number < MOST_SHARES).then_some(number)).collect();
        for (header, why) in &plan.untraced {
            known.untraced.push(UntracedLoop {
                module: module.path.clone(),
                header: *header,
                reason: why.clone(),
            });
        }
        known.add_gaps(flow, function, &loops);
        let registered = Registered { first, shares };
        known.registered.insert((number, address), registered.clone());
        registered
    }
}

impl Known {
    /// The number of a module that is mapped at `bias` in a process.
    fn module(&mut self, module: &Module, bias: u64) -> u32 {
        let next = self.modules.len() as u32;
        let build_id = module.image.facts().build_id.clone();
        let key = (module.path.clone(), build_id.clone());
        let number = *self.module_numbers.entry(key).or_insert(next);
        if number == next {
            self.modules.push(TracedModule { path: module.path.clone(), build_id, bias: Some(bias) });
        } else if let Some(known) = self.modules.get_mut(number as usize)
            && known.bias != Some(bias)
        {
            // Mapped at another address in another process.
            known.bias = None;
        }
        number
    }

    /// Loops of a function, by index in the flow: their numbers in the shape.
    fn add_loops(&mut self, flow: &Flow, function: &FunctionPlan, plan: &TracePlan, module: u32) -> Vec<u32> {
        let first = self.shape.loops.len() as u32;
        for (index, l) in flow.loops.iter().enumerate() {
            let header = flow.blocks[l.header].start;
            self.shape.loops.push(LoopShape {
                module,
                function: function.address,
                header,
                parent: l.parent.map(|p| first + p as u32),
                chosen: plan.chosen.contains(&index),
            });
        }
        (0..flow.loops.len()).map(|l| first + l as u32).collect()
    }

    /// Blocks of chosen loops that run in their original place, where nothing is recorded.
    fn add_gaps(&mut self, flow: &Flow, function: &FunctionPlan, loops: &[u32]) {
        for region in function.plans.iter().map(|p| &p.region) {
            for &b in region.blocks.iter().filter(|&&b| region.native[b]) {
                for l in flow.loops_around(b) {
                    if self.shape.loops[loops[l] as usize].chosen {
                        let address = flow.blocks[b].start;
                        self.gaps.push((loops[l], Gap::NoRoom { address }));
                    }
                }
            }
        }
    }

    /// Whether a function was registered.
    pub fn has_function(&self, module: u32, address: u64) -> bool {
        self.registered.contains_key(&(module, address))
    }

    /// The function and block that an id belongs to, and the kind of record.
    pub fn find(functions: &[Arc<TracedFunction>], id: u64) -> Option<(usize, usize, RecordKind)> {
        let id = u32::try_from(id).ok()?;
        let k = functions.partition_point(|f| f.first <= id).checked_sub(1)?;
        let f = functions.get(k)?;
        let offset = id - f.first;
        let block = (offset / IDS) as usize;
        let kind = *RecordKind::ALL.get((offset % IDS) as usize)?;
        (block < f.blocks.len()).then_some((k, block, kind))
    }
}
