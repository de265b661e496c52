//! A module in a process: its code cache written, its entries turned to it.

use super::areas::{Layout, MOST_COUNTERS};
use super::process::{Mapping, gap_near};
use super::stubs::{self, Process};
use super::tracee::Memory;
use crate::emit::body::{self, Jump, Setting, ThreadCheck};
use crate::emit::encode;
use crate::facts::LeftAlone;
use crate::module::{FunctionPlan, ModulePlan};
use crate::region::Refusal;
use loopwright_binary::image::Image;
use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A module that was read: file and plan, shared by all processes that map it.
#[derive(Debug)]
pub struct Module {
    /// Path as mapped.
    pub path: String,
    /// The file.
    pub image: Image,
    /// What to move.
    pub plan: ModulePlan,
}

/// Where each region's counters are; by function and plan.
pub type Layouts = Vec<Vec<Option<Layout>>>;

/// A module written into a process image.
#[derive(Debug)]
pub struct Instance {
    /// The module.
    pub module: Arc<Module>,
    /// Number of the program image.
    pub image: u32,
    /// Run-time address minus ELF address.
    pub bias: u64,
    /// First address of the mapping, by which it is found again.
    pub base: u64,
    /// The code cache.
    pub cache: (u64, u64),
    /// Counters.
    pub layouts: Layouts,
    /// Bytes to be written over the original code: run-time address and bytes.
    pub patches: Vec<(u64, Vec<u8>)>,
    /// What could not be written after all.
    pub left_alone: Vec<LeftAlone>,
}

/// How memory is mapped in the target.
pub trait Mapper {
    /// Maps private anonymous memory at exactly `at`; `EEXIST` when something is there.
    fn map(&self, at: u64, length: u64, protection: i32) -> io::Result<u64>;
}

/// Counter indices that are taken in a program image.
#[derive(Debug, Default)]
pub struct Allocation {
    counters: AtomicU32,
    histograms: AtomicU32,
}

impl Allocation {
    fn take(&self, counters: u32, histograms: u32) -> Option<Layout> {
        let counters_at = self.counters.fetch_add(counters, Ordering::Relaxed);
        let histograms_at = self.histograms.fetch_add(histograms, Ordering::Relaxed);
        (counters_at.checked_add(counters)? <= MOST_COUNTERS)
            .then_some(Layout { counters: counters_at, histograms: histograms_at })
    }
}

/// Code that many times as long as the original makes room for counters and stubs.
const GROWTH: u64 = 10;
/// Least bytes of cache for a worker.
const LEAST: u64 = 1 << 16;

/// Maps a stretch within reach of a module.
pub fn map_near(
    mapper: &dyn Mapper,
    maps: &[Mapping],
    module: (u64, u64),
    length: u64,
    protection: i32,
) -> Result<u64, String> {
    let mut reserved = Vec::new();
    for _ in 0..64 {
        let Some(at) = gap_near(maps, module.0, module.1, length, &reserved) else {
            return Err(format!("no {} MiB of free addresses within 2 GiB of the module", length >> 20));
        };
        match mapper.map(at, length, protection) {
            Ok(at) => return Ok(at),
            // Somebody was faster, or the list of mappings is old.
            Err(e) if e.raw_os_error() == Some(libc::EEXIST) => reserved.push((at, at + length)),
            Err(e) => return Err(format!("the code cache cannot be mapped ({e})")),
        }
    }
    Err("no place for the code cache".to_owned())
}

/// Where a module is in a process, and how to get there.
pub struct Place<'a> {
    /// Run-time address minus ELF address.
    pub bias: u64,
    /// Lowest and highest address of its mappings.
    pub span: (u64, u64),
    /// All mappings of the process.
    pub maps: &'a [Mapping],
    /// Maps memory in it.
    pub mapper: &'a dyn Mapper,
    /// Its memory.
    pub memory: &'a Memory,
}

/// Writes a module's copy into a process, up to but not including the jumps to it.
pub fn write(
    module: &Arc<Module>,
    process: &Process,
    allocation: &Allocation,
    place: &Place,
    counting: bool,
) -> Result<Instance, String> {
    let Place { bias, span, maps, mapper, memory } = *place;
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get()) as u64;
    let share = (module.plan.code_bytes * GROWTH / workers + LEAST).next_multiple_of(4096);
    let length = (share * workers + 4096).next_multiple_of(1 << 16);
    let executable = libc::PROT_READ | libc::PROT_EXEC;
    let cache = map_near(mapper, maps, span, length, executable)?;
    let claim = stubs::claim(cache, process).map_err(|e| e.to_string())?;
    let first = cache + 4096;
    let whole: HashSet<u64> =
        module.plan.functions.iter().filter(|f| f.is_whole()).map(|f| f.address).collect();
    let checked = |a: u64| whole.contains(&a);
    let setting = |layout| Setting {
        layout,
        claim: cache.wrapping_sub(bias),
        check: process.check,
        checked_callee: &checked,
        entry_checked: false,
        counting,
    };
    // Each worker has a share of the functions by size and a share of the cache.
    let parts = split(&module.plan.functions, workers as usize);
    let work = |k: usize, functions: &[FunctionPlan]| -> Emitted {
        let start = first + share * k as u64;
        emit_all(functions, start, start + share, bias, allocation, &setting)
    };
    let results: Vec<Emitted> = std::thread::scope(|scope| {
        let running: Vec<_> = parts
            .iter()
            .enumerate()
            .map(|(k, part)| {
                scope.spawn({
                    let work = &work;
                    move || work(k, part)
                })
            })
            .collect();
        running.into_iter().filter_map(|r| r.join().ok()).collect()
    });
    let failed = |e: io::Error| format!("its code cache cannot be written ({e})");
    memory.write(cache, &claim).map_err(failed)?;
    let mut instance = Instance {
        module: Arc::clone(module),
        image: process.image,
        bias,
        base: span.0,
        cache: (cache, cache + length),
        layouts: Vec::new(),
        patches: Vec::new(),
        left_alone: Vec::new(),
    };
    for (k, part) in results.into_iter().enumerate() {
        memory.write(first + share * k as u64, &part.bytes).map_err(failed)?;
        instance.layouts.extend(part.layouts);
        instance.patches.extend(part.patches);
        instance.left_alone.extend(part.left_alone);
    }
    Ok(instance)
}

/// Consecutive parts of about the same amount of code.
fn split(functions: &[FunctionPlan], parts: usize) -> Vec<&[FunctionPlan]> {
    let size = |f: &FunctionPlan| f.flow.code.len() + 1;
    let total: usize = functions.iter().map(size).sum();
    let mut out = Vec::new();
    let (mut first, mut sum) = (0, 0);
    for (k, f) in functions.iter().enumerate() {
        sum += size(f);
        if sum * parts >= total * (out.len() + 1) {
            out.push(&functions[first..=k]);
            first = k + 1;
        }
    }
    if first < functions.len() {
        out.push(&functions[first..]);
    }
    out
}

#[derive(Default)]
struct Emitted {
    bytes: Vec<u8>,
    layouts: Layouts,
    patches: Vec<(u64, Vec<u8>)>,
    left_alone: Vec<LeftAlone>,
}

fn emit_all<'s>(
    functions: &[FunctionPlan],
    start: u64,
    end: u64,
    bias: u64,
    allocation: &Allocation,
    setting: &(impl Fn(Layout) -> Setting<'s> + Sync),
) -> Emitted {
    let mut out = Emitted::default();
    for f in functions {
        let mut layouts = Vec::new();
        for plan in &f.plans {
            let placed = allocation.take(plan.slots, plan.histograms).ok_or(Refusal::AreaFull);
            let emitted = placed.and_then(|layout| {
                let setting = Setting { entry_checked: f.private && plan.region.whole, ..setting(layout) };
                let copy = body::write(&f.flow, &f.live, plan, &setting);
                let at = start + out.bytes.len() as u64;
                // All addresses are those of the file: distances are the same.
                let encoded = encode::encode(&copy.writer, at.wrapping_sub(bias)).map_err(Refusal::Encode)?;
                if at + encoded.bytes.len() as u64 > end {
                    return Err(Refusal::CacheFull);
                }
                let patches = patches(&copy.jumps, &encoded, bias)?;
                Ok((layout, encoded.bytes, patches))
            });
            match emitted {
                Ok((layout, bytes, patches)) => {
                    out.bytes.extend(bytes);
                    out.bytes.resize(out.bytes.len().next_multiple_of(16), 0xcc);
                    out.patches.extend(patches);
                    layouts.push(Some(layout));
                }
                Err(why) => {
                    let header = f.flow.blocks[plan.region.entry].start;
                    out.left_alone.push(LeftAlone {
                        address: f.address,
                        function: String::new(),
                        header: (!plan.region.whole).then_some(header),
                        reason: why.to_string(),
                    });
                    layouts.push(None);
                }
            }
        }
        out.layouts.push(layouts);
    }
    out
}

/// The bytes of the jumps.
fn patches(jumps: &[Jump], encoded: &encode::Encoded, bias: u64) -> Result<Vec<(u64, Vec<u8>)>, Refusal> {
    let unreachable = || Refusal::Encode("a jump to it does not reach".to_owned());
    let mut out = Vec::new();
    for jump in jumps {
        let to = encoded.address(jump.to).ok_or_else(unreachable)?;
        let near_at = jump.springboard.unwrap_or(jump.at);
        let distance = to.wrapping_sub(near_at + 5) as i64;
        let distance = i32::try_from(distance).map_err(|_| unreachable())?;
        let mut near = vec![0xe9];
        near.extend(distance.to_le_bytes());
        out.push((near_at.wrapping_add(bias), near));
        if let Some(springboard) = jump.springboard {
            let distance = springboard.wrapping_sub(jump.at + 2) as i64;
            let distance = i8::try_from(distance).map_err(|_| unreachable())?;
            out.push((jump.at.wrapping_add(bias), vec![0xeb, distance as u8]));
        }
    }
    Ok(out)
}

impl Instance {
    /// Turns the entries to the copy: writes the jumps, a run of pages at a time.
    pub fn turn(&self, memory: &Memory) -> io::Result<()> {
        const PAGE: u64 = 4096;
        let mut patches: Vec<&(u64, Vec<u8>)> = self.patches.iter().collect();
        patches.sort_unstable_by_key(|p| p.0);
        let mut rest = patches.as_slice();
        while let Some(first) = rest.first() {
            let start = first.0 & !(PAGE - 1);
            let mut end = start;
            let mut count = 0;
            for p in rest {
                if p.0 >= end + PAGE && count > 0 {
                    break;
                }
                end = end.max((p.0 + p.1.len() as u64).next_multiple_of(PAGE));
                count += 1;
            }
            let mut bytes = memory.read(start, (end - start) as usize)?;
            for (at, patch) in &rest[..count] {
                let offset = (at - start) as usize;
                bytes[offset..offset + patch.len()].copy_from_slice(patch);
            }
            memory.write(start, &bytes)?;
            rest = &rest[count..];
        }
        Ok(())
    }

    /// Whether the jumps stand in this process's memory (they do not after the module was unmapped and
    /// mapped again).
    pub fn is_turned(&self, memory: &Memory) -> bool {
        self.patches
            .first()
            .is_none_or(|(at, bytes)| memory.read(*at, bytes.len()).is_ok_and(|b| b == *bytes))
    }
}

/// How threads of a program are recognised: by the thread control block where a loader has set it up.
pub fn thread_check(dynamic: bool) -> ThreadCheck {
    if dynamic { ThreadCheck::SelfPointer } else { ThreadCheck::FsBase }
}
