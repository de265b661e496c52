//! The execution of one module in a run, as facts: built from the single-stepper's trace.
//!
//! Blocks and loops are those of `loopwright_binary`, counted here in the simplest way: from each step.

use crate::counting::stepper::{ELSEWHERE, Trace};
use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use loopwright_binary::code::{BlockId, Graph, NaturalLoop, Nest, Returns, block_work, decode};
use loopwright_binary::image::Image;
use std::collections::{BTreeMap, HashMap};

/// The execution of a function.
#[derive(Debug, Default)]
pub struct FunctionProfile {
    pub name: String,
    /// Entry address.
    pub address: u64,
    /// Entries by calls or jumps from outside.
    pub calls: u64,
    /// Executed instructions.
    pub instructions: u64,
    /// Executions by address of the instruction.
    pub executions: BTreeMap<u64, u64>,
    /// Loops by header.
    pub loops: BTreeMap<u64, LoopProfile>,
}

/// The execution of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopProfile {
    /// Entries from outside.
    pub entries: u64,
    /// Iterations of all entries; a pass that ends in the header's test does not count.
    pub iterations: u64,
    /// Iterations of each entry, in order of the entries.
    pub trips: Vec<u64>,
    /// Entries overlapped (recursion): `trips` is not valid.
    pub nested: bool,
}

/// A loop that is followed.
struct Watched {
    header: u64,
    /// Ranges of its blocks, sorted.
    ranges: Vec<(u64, u64)>,
    /// Last instruction of the header when that may leave the loop before an iteration does any work.
    tests_at: Option<u64>,
    /// A call of the loop returns to the header.
    returns_to_header: bool,
    profile: LoopProfile,
}

impl Watched {
    fn holds(&self, address: u64) -> bool {
        let k = self.ranges.partition_point(|r| r.0 <= address);
        k > 0 && address < self.ranges[k - 1].1
    }
}

/// A function that is followed.
struct Function {
    profile: FunctionProfile,
    parts: Vec<(u64, u64)>,
    loops: Vec<Watched>,
    flow: HashMap<u64, FlowControl>,
}

/// Whether the header of a loop only decides if another iteration runs: the loop exits from it, never from
/// the source of the back edge, and other blocks do the work.
fn tests_first(graph: &Graph, l: &NaturalLoop) -> bool {
    let exits = |b: BlockId| {
        let block = &graph.blocks[b as usize];
        let branches =
            graph.terminator(b).map(Instruction::flow_control) == Some(FlowControl::ConditionalBranch);
        branches && (block.leaves || block.successors.iter().any(|s| !l.body.contains(s)))
    };
    let header = graph.code(l.header);
    if !exits(l.header) || l.latches.iter().any(|&b| b == l.header || exits(b)) || does_work(header) {
        return false;
    }
    let idle = |i: &Instruction| {
        let memory = (0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Memory);
        i.is_jmp_short_or_near() || i.mnemonic() == Mnemonic::Nop || i.mnemonic() == Mnemonic::Mov && !memory
    };
    l.body.iter().any(|&b| b != l.header && !graph.code(b).iter().all(idle))
}

/// Whether a header does part of an iteration's work: it computes with floating-point numbers, or stores to
/// memory other than the frame (where unoptimised code keeps its counters). gfortran tests strided loops
/// after the body in this way.
fn does_work(header: &[Instruction]) -> bool {
    let frame = |register| matches!(register, Register::RSP | Register::RBP);
    let mut factory = InstructionInfoFactory::new();
    header.iter().filter(|i| !is_call(i)).any(|i| {
        let stores = factory.info(i).used_memory().iter().any(|m| writes(m.access()) && !frame(m.base()));
        stores || !block_work(std::slice::from_ref(i)).fixed.flop.is_empty()
    })
}

fn writes(access: OpAccess) -> bool {
    use OpAccess::{CondWrite, ReadCondWrite, ReadWrite, Write};
    matches!(access, Write | ReadWrite | CondWrite | ReadCondWrite)
}

fn is_call(i: &Instruction) -> bool {
    matches!(i.flow_control(), FlowControl::Call | FlowControl::IndirectCall)
}

/// Counts a trace by function.
pub fn of_trace(image: &Image, trace: &Trace) -> BTreeMap<u64, FunctionProfile> {
    let mut functions: BTreeMap<u64, Function> = BTreeMap::new();
    let mut owner: HashMap<u64, Option<u64>> = HashMap::new();
    let mut previous = ELSEWHERE;
    let mut previous_flow = FlowControl::Next;
    for &at in &trace.steps {
        let key = if at == ELSEWHERE {
            None
        } else {
            *owner.entry(at).or_insert_with(|| {
                let index = image.function_at(at)?;
                let info = image.function(index)?;
                functions.entry(info.address).or_insert_with(|| Function::new(image, index));
                Some(info.address)
            })
        };
        if let Some(function) = key.and_then(|key| functions.get_mut(&key)) {
            function.step(previous, previous_flow, at);
            previous_flow = function.flow.get(&at).copied().unwrap_or(FlowControl::Next);
        } else {
            previous_flow = FlowControl::Next;
        }
        // A loop is left when the function continues outside of it; only the header's test matters here.
        previous = at;
    }
    functions.into_iter().map(|(key, function)| (key, function.finish())).collect()
}

impl Function {
    fn new(image: &Image, index: usize) -> Self {
        let info = image.function(index).unwrap();
        let decoded = decode(image, info, &Returns::default());
        let graph = Graph::new(&decoded);
        let nest = Nest::new(&graph);
        let loops = nest.loops.iter().map(|l| {
            let mut ranges: Vec<(u64, u64)> = Vec::new();
            for &b in &l.body {
                let block = &graph.blocks[b as usize];
                match ranges.last_mut() {
                    Some(last) if last.1 == block.start => last.1 = block.end,
                    _ => ranges.push((block.start, block.end)),
                }
            }
            let header = &graph.blocks[l.header as usize];
            let last = graph.terminator(l.header).unwrap();
            let returns_to_header = l
                .body
                .iter()
                .any(|&b| graph.code(b).iter().any(|i| is_call(i) && i.next_ip() == header.start));
            Watched {
                header: header.start,
                ranges,
                tests_at: tests_first(&graph, l).then(|| last.ip()),
                returns_to_header,
                profile: LoopProfile::default(),
            }
        });
        let mut parts = vec![(info.address, info.end)];
        parts.extend(info.parts.iter().copied());
        Self {
            loops: loops.collect(),
            parts,
            flow: graph.instructions.iter().map(|i| (i.ip(), i.flow_control())).collect(),
            profile: FunctionProfile { name: info.name.clone(), address: info.address, ..Default::default() },
        }
    }

    fn step(&mut self, previous: u64, how: FlowControl, at: u64) {
        self.profile.instructions += 1;
        *self.profile.executions.entry(at).or_default() += 1;
        let inside = self.parts.iter().any(|p| (p.0..p.1).contains(&previous));
        let called = matches!(how, FlowControl::Call | FlowControl::IndirectCall);
        let returned = how == FlowControl::Return || previous == ELSEWHERE;
        let own = inside && !called && !returned;
        if at == self.profile.address && !own {
            self.profile.calls += 1;
        }
        for l in &mut self.loops {
            if at == l.header {
                if own && l.holds(previous) || returned && l.returns_to_header {
                    l.profile.iterations += 1;
                    if let Some(last) = l.profile.trips.last_mut() {
                        *last += 1;
                    }
                } else {
                    l.profile.entries += 1;
                    l.profile.iterations += 1;
                    l.profile.trips.push(1);
                }
            } else if own && l.tests_at == Some(previous) && !l.holds(at) {
                l.profile.iterations -= 1;
                if let Some(last) = l.profile.trips.last_mut() {
                    *last = last.saturating_sub(1);
                }
            }
            // Another activation of the function starts while this loop may be running.
            if at == self.profile.address && called && inside {
                l.profile.nested = true;
            }
        }
    }

    fn finish(self) -> FunctionProfile {
        let mut profile = self.profile;
        profile.loops = self.loops.into_iter().map(|l| (l.header, l.profile)).collect();
        profile
    }
}
