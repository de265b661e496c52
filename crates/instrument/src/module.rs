//! One module's code after reading: which functions wait for their first call, and the plan of each when that
//! comes. Most functions of most programs are never called.

use crate::code::flow::Flow;
use crate::code::liveness::Liveness;
use crate::entries::{Entered, Sweep, reach, within};
use crate::facts::LeftAlone;
use crate::reason::{Reason, Refusal};
use crate::region::{self, Plan, Region};
use crate::shape;
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind};
use loopwright_binary::code::{CodeSource, Returns, block_work, decode};
use loopwright_binary::facts::FunctionInfo;
use loopwright_binary::image::Image;
use loopwright_binary::work::BlockWork;
use std::collections::HashSet;
use std::sync::Arc;
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
    pub live: Liveness,
    /// Work of the blocks of its regions.
    pub work: Vec<BlockWork>,
    /// The whole function, or those of its loops that can move alone.
    pub plans: Vec<Plan>,
}

impl FunctionPlan {
    /// The function moves as a whole.
    pub fn is_whole(&self) -> bool {
        self.plans.iter().any(|p| p.region.whole)
    }
}

/// How a function is prepared before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// A jump at its entry waits for the first call; it overwrites whole instructions of that many bytes (and
    /// padding, when the function is shorter).
    Armed(u8),
    /// It may be entered in other places, or has no room for the jump: planned at once.
    AtOnce,
    /// Not chosen, or must not be changed.
    Untouched,
}

/// A module that was read: file and entries, shared by all processes that map it.
#[derive(Debug)]
pub struct Module {
    /// Path as mapped.
    pub path: String,
    /// The file.
    pub image: Arc<Image>,
    /// By function, in the order of the image's list.
    pub readiness: Vec<Readiness>,
    /// Functions that must not be changed, although chosen.
    pub left_alone: Vec<LeftAlone>,
    /// Some functions were not chosen.
    pub in_part: bool,
    /// The sweep over its code, shared by all selections.
    sweep: Arc<Sweep>,
    /// Which called functions return.
    returns: Returns,
}

/// Which functions of a module to count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All functions.
    All,
    /// The functions that hold these addresses.
    At(Vec<u64>),
    /// The functions that hold these addresses, and all that they may call.
    Reach(Vec<u64>),
}

impl Module {
    /// Reads a module.
    pub fn read(path: &str, image: Arc<Image>, selection: &Selection) -> Self {
        let functions = image.unnamed_functions();
        let sweep = image.derived(Sweep::new);
        let Sweep { entered, functions: swept, doubts } = &*sweep;
        let at = |addresses: &[u64]| addresses.iter().filter_map(|&a| image.function_at(a)).collect();
        let chosen: Option<HashSet<usize>> = match selection {
            Selection::All => None,
            Selection::At(addresses) => Some(at(addresses)),
            Selection::Reach(addresses) => Some(reach(&image, functions, at(addresses), entered, swept)),
        };
        let mut readiness = Vec::with_capacity(functions.len());
        let mut left_alone = Vec::new();
        for (index, f) in functions.iter().enumerate() {
            let wanted = chosen.as_ref().is_none_or(|c| c.contains(&index));
            let name = f.linkage_name.as_deref().unwrap_or(&f.name);
            let start = &swept[index];
            readiness.push(if !wanted {
                Readiness::Untouched
            } else if let Some(doubt) = doubts[index] {
                left_alone.push(stays(&image, index, None, doubt.into()));
                Readiness::Untouched
            } else if let Some(call) = start.system_call {
                left_alone.push(stays(&image, index, None, Refusal::SystemCall(call)));
                Readiness::Untouched
            } else if let Some(why) = region::untouchable(name) {
                left_alone.push(stays(&image, index, None, why));
                Readiness::Untouched
            } else if entered.has_side_entries(f) {
                Readiness::AtOnce
            } else {
                let bytes = start.head.filter(|&n| !entered.may_enter_head(&image, f, n));
                bytes.map_or(Readiness::AtOnce, Readiness::Armed)
            });
        }
        let path = path.to_owned();
        let in_part = chosen.is_some();
        Self { path, image, readiness, left_alone, in_part, sweep, returns: Returns::default() }
    }

    /// Plans one function.
    pub fn plan(&self, index: usize) -> Planned {
        let armed = match self.readiness.get(index) {
            Some(Readiness::Armed(bytes)) => Some(*bytes),
            _ => None,
        };
        plan_function(self, index, armed)
    }

    /// Whether a call of this address leads to a function that is counted when it runs.
    pub fn is_counted(&self, address: u64) -> bool {
        let functions = self.image.unnamed_functions();
        let found = functions.binary_search_by_key(&address, |f| f.address).ok();
        found.and_then(|k| self.readiness.get(k)).is_some_and(|r| *r != Readiness::Untouched)
    }

    /// Name of the called function, where the code shows it.
    pub fn callee_name(&self, call: &Instruction) -> Option<String> {
        let name = self.image.name_at(called(call)?)?;
        Some(name.strip_suffix("@plt").unwrap_or(&name).to_owned())
    }

    /// Whether a call certainly leads to another module.
    pub fn calls_import(&self, call: &Instruction) -> bool {
        let Some(target) = called(call) else { return false };
        let own = self.image.unnamed_functions().binary_search_by_key(&target, |f| f.address).is_ok();
        !own && self.image.name_at(target).is_some()
    }

    /// Functions to be planned at once.
    pub fn at_once(&self) -> Vec<usize> {
        let all = self.readiness.iter().enumerate();
        all.filter(|(_, r)| **r == Readiness::AtOnce).map(|(k, _)| k).collect()
    }
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
        let join = |w: std::thread::ScopedJoinHandle<'_, Vec<(usize, R)>>| {
            w.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().flat_map(join).collect()
    });
    parts.sort_unstable_by_key(|p| p.0);
    parts.into_iter().map(|p| p.1).collect()
}

/// The target of a call, or the slot of the global offset table that it goes through.
fn called(call: &Instruction) -> Option<u64> {
    match call.op0_kind() {
        OpKind::NearBranch64 => Some(call.near_branch_target()),
        OpKind::Memory if call.is_ip_rel_memory_operand() => Some(call.ip_rel_memory_address()),
        _ => None,
    }
}

fn stays(image: &Image, index: usize, header: Option<u64>, why: Refusal) -> LeftAlone {
    let function = image.function(index);
    LeftAlone {
        address: function.map_or(0, |f| f.address),
        function: function.map_or_else(String::new, |f| f.name.clone()),
        header,
        reason: Reason::Refused(why),
    }
}

/// A function's plan, if any part of it moves, and the parts that do not move.
pub type Planned = (Option<FunctionPlan>, Vec<LeftAlone>);

fn plan_function(module: &Module, index: usize, armed: Option<u8>) -> Planned {
    let Module { sweep, returns, .. } = module;
    let (image, entered): (&Image, &Entered) = (&module.image, &sweep.entered);
    let functions = image.unnamed_functions();
    let function = &functions[index];
    let stays = |header: Option<u64>, why: Refusal| stays(image, index, header, why);
    let decoded = decode(image, function, returns);
    let (mut jumped, mut entries) = (Vec::new(), Vec::new());
    for (start, end) in function.spans() {
        jumped.extend_from_slice(within(&entered.jumped, start, end));
        // Labels of hand-written code: control may arrive there.
        entries.extend_from_slice(within(image.code_symbols(), start, end));
        let taken = within(&entered.taken, start, end).iter().copied();
        let by_data = image.address_taken((start, end));
        // An address inside an instruction is a chance match in data.
        entries.extend(taken.chain(by_data).filter(|a| decoded.starts_instruction(*a)));
    }
    entries.extend_from_slice(&jumped);
    entries.retain(|a| *a != function.address);
    let left = |why: Refusal| (None, vec![stays(None, why)]);
    let flow = match Flow::new(function, &decoded, &entries, &jumped) {
        Ok(flow) => flow,
        Err(unclear) => return left(unclear.into()),
    };
    if let Some(doubt) = shape::doubt(function, &decoded, &flow) {
        return left(doubt.into());
    }
    let padding = padding(image, entered, functions, index, &flow);
    let live = Liveness::new(&flow);
    let work: Vec<BlockWork> = (0..flow.blocks.len()).map(|b| block_work(flow.instructions(b))).collect();
    let mut plans = Vec::new();
    let mut left_alone = Vec::new();
    let make = |r: Result<Region, Refusal>| r.and_then(|r| region::plan(&flow, &live, r, &work));
    match make(Region::function(&flow, &padding, armed.is_some())) {
        Ok(plan) => plans.push(plan),
        Err(why) => {
            left_alone.push(stays(None, why));
            // Outer loops first; loops inside a moved loop move with it.
            let mut covered = vec![false; flow.loops.len()];
            for l in 0..flow.loops.len() {
                if flow.loops[l].parent.is_some_and(|p| covered[p]) {
                    covered[l] = true;
                    continue;
                }
                let at_entry = armed.is_some() && flow.loops[l].body.contains(&flow.entry);
                let region = if at_entry { Err(Refusal::NoRoom) } else { Region::of_loop(&flow, l, &[]) };
                match make(region) {
                    Ok(plan) => {
                        covered[l] = true;
                        plans.push(plan);
                    }
                    Err(why) => {
                        let header = flow.blocks[flow.loops[l].header].start;
                        left_alone.push(stays(Some(header), why));
                    }
                }
            }
        }
    }
    if plans.is_empty() {
        return (None, left_alone);
    }
    let address = function.address;
    (Some(FunctionPlan { index, address, flow, live, work, plans }), left_alone)
}

/// Bytes that only fill space: after the function's ranges up to the next function, and between its blocks.
fn padding(
    image: &Image,
    entered: &Entered,
    functions: &[FunctionInfo],
    index: usize,
    flow: &Flow,
) -> Vec<(u64, u64)> {
    /// Longer gaps are not padding of this function.
    const LONGEST: u64 = 64;
    let function = &functions[index];
    let mut found = Vec::new();
    let next_start = |end: u64| {
        let k = functions.partition_point(|f| f.address < end);
        functions.get(k).map_or(end, |f| f.address).min(end + LONGEST)
    };
    let starts: HashSet<u64> = flow.blocks.iter().map(|b| b.start).collect();
    for (start, end) in function.spans() {
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
        // Control may enter among `nop`s: a place for a patch, an aligned entry.
        let entered = |g: &(u64, u64)| {
            !within(&entered.jumped, g.0, g.1).is_empty()
                || !within(image.code_symbols(), g.0, g.1).is_empty()
        };
        let free = |g: &(u64, u64)| g.0 < g.1 && !entered(g) && is_filling(image, g.0, g.1, &starts);
        found.extend(gaps.into_iter().filter(free));
    }
    found.sort_unstable();
    found
}

/// Whether the bytes of `[start, end)` are `nop`s and traps, with none of `starts` after the first.
pub fn is_filling(image: &Image, start: u64, end: u64, starts: &HashSet<u64>) -> bool {
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
