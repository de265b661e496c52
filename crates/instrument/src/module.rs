//! One module's code, read and planned: which functions move, which stay and why.
//!
//! Two passes. The first sweeps over all code for addresses that are jumped to from other functions
//! or taken, because a function may be entered there; it must see the whole module, however few functions are
//! chosen. The second plans the chosen functions, each on its own, on all processors.

use crate::code::flow::{self, Flow};
use crate::code::liveness::Liveness;
use crate::facts::LeftAlone;
use crate::region::{self, Plan, Refusal, Region};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};
use loopwright_binary::code::{CodeSource, block_work};
use loopwright_binary::facts::FunctionInfo;
use loopwright_binary::image::Image;
use loopwright_binary::work::BlockWork;
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A planned function.
#[derive(Debug)]
pub struct FunctionPlan {
    /// Index in the image's list.
    pub index: usize,
    /// Entry address.
    pub address: u64,
    /// Control flow.
    pub flow: Flow,
    /// Liveness.
    pub live: Liveness,
    /// Work of the blocks of its regions.
    pub work: Vec<BlockWork>,
    /// The whole function, or those of its loops that can move alone.
    pub plans: Vec<Plan>,
    /// Only called from code of the same module, directly.
    pub private: bool,
}

impl FunctionPlan {
    /// The function moves as a whole.
    pub fn is_whole(&self) -> bool {
        self.plans.iter().any(|p| p.region.whole)
    }
}

/// A module's plans.
#[derive(Debug, Default)]
pub struct ModulePlan {
    /// Functions with something to count, by address.
    pub functions: Vec<FunctionPlan>,
    /// What stays as it is.
    pub left_alone: Vec<LeftAlone>,
    /// Bytes of code in the regions.
    pub code_bytes: u64,
}

/// Which functions of a module to count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All.
    All,
    /// Those that hold these addresses.
    At(Vec<u64>),
}

/// Plans a module.
pub fn plan(image: &Image, selection: &Selection) -> ModulePlan {
    let functions = image.functions();
    let chosen: Vec<usize> = match selection {
        Selection::All => (0..functions.len()).collect(),
        Selection::At(addresses) => {
            let found = addresses.iter().filter_map(|&a| image.function_at(a));
            found.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
        }
    };
    let entered = Entered::find(image, functions);
    let results = in_parallel(&chosen, |&index| plan_function(image, functions, index, &entered));
    let mut out = ModulePlan::default();
    for (function, left_alone) in results {
        out.left_alone.extend(left_alone);
        if let Some(f) = function {
            for plan in &f.plans {
                for &b in &plan.region.blocks {
                    out.code_bytes += f.flow.blocks[b].end_address - f.flow.blocks[b].start;
                }
            }
            out.functions.push(f);
        }
    }
    out
}

/// Runs `work` on all items on all processors; results in the order of the items.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(items.len().max(1));
    let next = AtomicUsize::new(0);
    /// Items that a thread takes at once.
    const BATCH: usize = 16;
    let mut parts: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut mine = Vec::new();
                    loop {
                        let first = next.fetch_add(BATCH, Ordering::Relaxed);
                        if first >= items.len() {
                            return mine;
                        }
                        for (k, item) in items.iter().enumerate().skip(first).take(BATCH) {
                            mine.push((k, work(item)));
                        }
                    }
                })
            })
            .collect();
        workers.into_iter().flat_map(|w| w.join().unwrap_or_default()).collect()
    });
    parts.sort_unstable_by_key(|p| p.0);
    parts.into_iter().map(|p| p.1).collect()
}

/// Addresses of a module at which code is entered from elsewhere.
struct Entered {
    /// Targets of jumps from other functions, sorted.
    jumped: Vec<u64>,
    /// Addresses that code takes (or that other modules can), sorted.
    taken: Vec<u64>,
}

impl Entered {
    fn find(image: &Image, functions: &[FunctionInfo]) -> Self {
        let fixed = !image.facts().pie;
        let parts = in_parallel(functions, |f| sweep(image, f, fixed));
        let (mut jumped, mut taken) = (Vec::new(), image.exported_functions());
        for (j, t) in parts {
            jumped.extend(j);
            taken.extend(t);
        }
        let special = functions.iter().filter(|f| matches!(f.name.as_str(), "_init" | "_fini" | "main"));
        taken.extend(special.map(|f| f.address));
        for list in [&mut jumped, &mut taken] {
            list.sort_unstable();
            list.dedup();
        }
        Self { jumped, taken }
    }
}

fn within(sorted: &[u64], start: u64, end: u64) -> &[u64] {
    let first = sorted.partition_point(|a| *a < start);
    let last = sorted.partition_point(|a| *a < end);
    sorted.get(first..last).unwrap_or(&[])
}

/// Targets outside the function and code addresses taken, by decoding its bytes one after the other.
/// Data among the code yields chance finds, which cost a jump too many at worst.
fn sweep(image: &Image, function: &FunctionInfo, fixed: bool) -> (Vec<u64>, Vec<u64>) {
    let mut jumped = Vec::new();
    let mut taken = Vec::new();
    let ranges = || std::iter::once((function.address, function.end)).chain(function.parts.iter().copied());
    let inside = |a: u64| ranges().any(|r| r.0 <= a && a < r.1);
    let is_code = |a: u64| a.checked_add(1).is_some_and(|end| image.code(a, end).is_some());
    let mut i = Instruction::default();
    for (start, end) in ranges() {
        let Some(bytes) = image.code(start, end) else { continue };
        let mut decoder = Decoder::with_ip(64, bytes, start, DecoderOptions::NONE);
        while decoder.can_decode() {
            decoder.decode_out(&mut i);
            match i.flow_control() {
                FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
                    if i.op0_kind() == OpKind::NearBranch64 && !inside(i.near_branch_target()) =>
                {
                    jumped.push(i.near_branch_target());
                }
                FlowControl::Next if i.mnemonic() == Mnemonic::Lea && i.is_ip_rel_memory_operand() => {
                    let a = i.ip_rel_memory_address();
                    if is_code(a) {
                        taken.push(a);
                    }
                }
                FlowControl::Next if fixed => {
                    for k in 0..i.op_count() {
                        if matches!(i.op_kind(k), OpKind::Immediate32 | OpKind::Immediate32to64)
                            && is_code(i.immediate(k))
                        {
                            taken.push(i.immediate(k));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    (jumped, taken)
}

type Planned = (Option<FunctionPlan>, Vec<LeftAlone>);

fn plan_function(image: &Image, functions: &[FunctionInfo], index: usize, entered: &Entered) -> Planned {
    let function = &functions[index];
    let stays = |header: Option<u64>, reason: String| LeftAlone {
        address: function.address,
        function: function.name.clone(),
        header,
        reason,
    };
    if region::is_untouchable(function.linkage_name.as_deref().unwrap_or(&function.name)) {
        return (None, vec![stays(None, Refusal::SwitchesContext.to_string())]);
    }
    let decoded = flow::decode(image, function);
    let mut entries = Vec::new();
    let mut private = within(&entered.taken, function.address, function.address + 1).is_empty();
    for &(start, end) in std::iter::once(&(function.address, function.end)).chain(&function.parts) {
        entries.extend_from_slice(within(&entered.jumped, start, end));
        let taken = within(&entered.taken, start, end).iter().copied();
        let by_data = image.address_taken((start, end));
        private &= !by_data.contains(&function.address);
        // What is no instruction's start is a chance find in data.
        entries.extend(taken.chain(by_data).filter(|a| decoded.instructions.contains_key(a)));
    }
    entries.retain(|a| *a != function.address);
    let flow = match Flow::new(image, function, &decoded, &entries) {
        Ok(flow) => flow,
        Err(unclear) => return (None, vec![stays(None, Refusal::from(unclear).to_string())]),
    };
    let padding = padding(image, functions, index, &flow);
    let live = Liveness::new(&flow);
    let work: Vec<BlockWork> = (0..flow.blocks.len()).map(|b| block_work(flow.instructions(b))).collect();
    let mut plans = Vec::new();
    let mut left_alone = Vec::new();
    let make = |r: Result<Region, Refusal>| r.and_then(|r| region::plan(&flow, &live, r, &work));
    match make(Region::function(&flow, &padding)) {
        Ok(plan) => plans.push(plan),
        Err(why) => {
            left_alone.push(stays(None, why.to_string()));
            // Outer loops first; what is inside a loop that moves, moves with it.
            let mut covered = vec![false; flow.loops.len()];
            for l in 0..flow.loops.len() {
                if flow.loops[l].parent.is_some_and(|p| covered[p]) {
                    covered[l] = true;
                    continue;
                }
                match make(Region::of_loop(&flow, l, &[])) {
                    Ok(plan) => {
                        covered[l] = true;
                        plans.push(plan);
                    }
                    Err(why) => {
                        let header = flow.blocks[flow.loops[l].header].start;
                        left_alone.push(stays(Some(header), why.to_string()));
                    }
                }
            }
        }
    }
    if plans.is_empty() {
        return (None, left_alone);
    }
    let address = function.address;
    (Some(FunctionPlan { index, address, flow, live, work, plans, private }), left_alone)
}

/// Bytes that only fill space: behind the function's ranges up to the next function, and between
/// its blocks.
fn padding(image: &Image, functions: &[FunctionInfo], index: usize, flow: &Flow) -> Vec<(u64, u64)> {
    /// Longer gaps are not padding of this function.
    const LONGEST: u64 = 64;
    let function = &functions[index];
    let mut found = Vec::new();
    let next_start = |end: u64| {
        let k = functions.partition_point(|f| f.address < end);
        functions.get(k).map_or(end, |f| f.address).min(end + LONGEST)
    };
    let starts: HashSet<u64> = flow.blocks.iter().map(|b| b.start).collect();
    for &(start, end) in std::iter::once(&(function.address, function.end)).chain(&function.parts) {
        let mut gaps = Vec::new();
        let first = flow.blocks.partition_point(|b| b.start < start);
        let mut covered = start;
        for b in flow.blocks[first..].iter().take_while(|b| b.start < end) {
            gaps.push((covered, b.start));
            covered = covered.max(b.end_address);
        }
        gaps.push((covered, end));
        // A part of another function may follow, too.
        if image.function_at(end).is_none() {
            gaps.push((end, next_start(end)));
        }
        found.extend(gaps.into_iter().filter(|g| g.0 < g.1 && is_filling(image, g.0, g.1, &starts)));
    }
    found.sort_unstable();
    found
}

fn is_filling(image: &Image, start: u64, end: u64, starts: &HashSet<u64>) -> bool {
    let Some(bytes) = CodeSource::code(image, start, end) else { return false };
    let mut decoder = Decoder::with_ip(64, bytes, start, DecoderOptions::NONE);
    while decoder.can_decode() {
        let i = decoder.decode();
        let nothing = matches!(i.mnemonic(), Mnemonic::Nop | Mnemonic::Int3);
        if !nothing || i.ip() != start && starts.contains(&i.ip()) {
            return false;
        }
    }
    true
}
