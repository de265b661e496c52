//! A module in a process: armed at first, then redirected to its copy function by function as they are called.
//!
//! Arming writes a jump at each function's entry to a stub, which jumps through a slot. At first the slot
//! leads to a request; the tool then plans the function, writes its copy and the jumps into it, and sets the
//! slot. No thread is inside the function at that moment, because it was never called before.
//!
//! ```text
//! cache:  | claim, lazy routine | entry stubs | originals' first instructions | copies ...      |
//! slots:  two words per function: target; the original's first instructions
//! ```

mod given_back;

use super::areas::{Layout, MOST_COUNTERS, is_needed, pieces};
use super::cache::{Cache, Mapper, map_near};
use super::head;
use super::patch::{near_jump, patches, write_patches};
use super::process::Mapping;
use super::stubs::{self, LAZY, Process, STUB};
use super::tracee::Memory;
use crate::code::flow::End;
use crate::emit::body::{self, Hook, Setting, ThreadCheck, Tracing};
use crate::emit::encode;
use crate::facts::LeftAlone;
use crate::hooks::table::Hooked;
use crate::hooks::{Hooks, Library, blob, routine};
use crate::injected::NotInjected;
use crate::injection::plan::Versioned;
use crate::injection::{self, Chosen};
use crate::module::{FunctionPlan, Module, Planned, Readiness, in_parallel};
use crate::obstacle::Obstacle;
use crate::options::{LoopChoice, same_file};
use crate::reason::{Reason, Refusal};
use crate::tracing::plan::TracePlan;
use crate::tracing::registry::{Registered, Registry};
use iced_x86::{Code, Register};
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::sync::Arc;

/// A module written into a process image. Forks of the process have it, too, each in its own state.
#[derive(Debug)]
pub struct Instance {
    pub module: Arc<Module>,
    /// Number of the program image.
    pub image: u32,
    /// First address of the mapping, which identifies the instance.
    pub base: u64,
    /// End of the mapping (exclusive).
    pub end: u64,
    /// The code cache.
    pub cache: Cache,
    /// Functions that have a copy, by index.
    pub functions: HashMap<usize, Written>,
    /// Functions and loops that could not be copied.
    pub left_alone: Vec<LeftAlone>,
    bias: u64,
    check: ThreadCheck,
    counting: bool,
    /// Chosen loops are traced.
    tracing: Option<Arc<Registry>>,
    /// Chosen loops have versions with injected operations.
    injection: Option<Arc<Chosen>>,
    /// Functions that are hooked, and the routines for it.
    hooks: Option<(Hooked, Routines)>,
    /// Address of the memory that is neither counters nor code: the trace, or what operations walk through.
    pool: u64,
    /// Chosen loops without versions, by index, and why.
    pub refused: Vec<(usize, NotInjected)>,
    slots: u64,
    /// Jumps at the entries: run-time address and bytes.
    armed: Vec<(u64, Vec<u8>)>,
    /// Functions redirected when the module was written.
    at_once: Vec<usize>,
    /// Calls of each function from copied code: caller and address of the call.
    callers: HashMap<usize, Vec<(usize, u64)>>,
    /// Functions that run their own code, because a process wrote to it or was about to, by index.
    given_back: BTreeSet<usize>,
}

/// A function's copy.
#[derive(Debug)]
pub struct Written {
    /// Its plan, which is needed to interpret the counters.
    pub plan: FunctionPlan,
    /// The counters of each of its regions.
    pub layouts: Vec<Option<Layout>>,
    /// The loops of each of its regions that have versions.
    pub units: Vec<Vec<Versioned>>,
    at: u64,
    bytes: Vec<u8>,
    patches: Vec<(u64, Vec<u8>)>,
    /// The target of the entry's slot.
    entry: u64,
    /// Direct calls in the copied code: address of the call (which executes in place) and function called.
    calls: Vec<(u64, usize)>,
}

/// Counter indices that are in use in a program image.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allocation {
    counters: u32,
    histograms: u32,
}

impl Allocation {
    /// What an image begins with: the hooks' tables are the first counters.
    pub fn new(hooks: Option<Hooks>) -> Self {
        Self { counters: hooks.map_or(0, Hooks::counters), histograms: 0 }
    }

    fn take(&mut self, counters: u32, histograms: u32) -> Option<Layout> {
        let layout = Layout { counters: self.counters, histograms: self.histograms };
        if self.counters.checked_add(counters)? > MOST_COUNTERS {
            return None;
        }
        self.counters += counters;
        self.histograms = self.histograms.saturating_add(histograms);
        Some(layout)
    }

    /// The pieces of a group that hold them: indices in the list of all.
    pub fn pieces(&self) -> Vec<usize> {
        let needed = |p: &super::areas::Piece| is_needed(p, self.counters, self.histograms);
        pieces().iter().enumerate().filter(|(_, p)| needed(p)).map(|(k, _)| k).collect()
    }
}

/// Bytes for the routines.
const ROUTINES: u64 = 4096;
/// Bytes for the first instructions of an original.
const HEAD: u64 = 64;

/// What the copies are for.
#[derive(Clone, Debug, Default)]
pub struct Purpose {
    /// Emit counters.
    pub counting: bool,
    /// Trace chosen loops.
    pub tracing: Option<Arc<Registry>>,
    /// Inject operations into chosen loops.
    pub injection: Option<Arc<Chosen>>,
    /// Hook the functions of a family.
    pub hooks: Option<Hooks>,
}

/// The place of a module in a process, and the access to it.
pub struct Place<'a> {
    /// Run-time address minus ELF address.
    pub bias: u64,
    /// Lowest and highest address of its mappings.
    pub span: (u64, u64),
    /// All mappings of the process.
    pub maps: &'a [Mapping],
    /// Maps memory in the process.
    pub mapper: &'a dyn Mapper,
    /// Memory of the process.
    pub memory: &'a Memory,
    /// Where the pool of shared memory is mapped.
    pub pool: u64,
    /// Functions of the module that are hooked.
    pub hooked: Option<&'a Hooked>,
    /// Address of Open MPI's world, where the process has one.
    pub world: Option<u64>,
    /// Address of the memory that the hooks of all threads share; 0 where they need none.
    pub shared: u64,
}

impl Instance {
    /// Prepares a module in a process: stubs, and copies of the functions that cannot wait. [`Instance::turn`] arms it.
    pub fn new(
        number: u32,
        module: &Arc<Module>,
        process: &Process,
        allocation: &mut Allocation,
        place: &Place,
        purpose: &Purpose,
    ) -> Result<Self, Obstacle> {
        let Place { bias, span, maps, mapper, memory, .. } = *place;
        let functions = module.image.unnamed_functions();
        let count = functions.len() as u64;
        let stubs_at = ROUTINES;
        let heads_at = stubs_at + count * STUB;
        let handler_at = (heads_at + count * HEAD).next_multiple_of(4096);
        let hooking = hooking(place, purpose, module)?;
        let handler = hooking.as_ref().map_or(0, |(.., blob)| blob.code.len() as u64);
        let first = (handler_at + handler).next_multiple_of(4096);
        let mut reserved = Vec::new();
        let blocks = Cache::new(mapper, maps, span, first, &mut reserved)?;
        let cache = blocks.start();
        let process_at = (count * 16).next_multiple_of(4096);
        let slot_bytes = process_at + hooking.as_ref().map_or(0, |_| 4096);
        let writable = libc::PROT_READ | libc::PROT_WRITE;
        let slots = map_near(mapper, maps, (span, span), slot_bytes, writable, &mut reserved)?;
        let failed = |e: io::Error| Obstacle::CacheUnwritten(e.to_string());

        let mut routines = stubs::claim(cache, process)?;
        routines.resize(LAZY as usize, 0xcc);
        let stubs = cache + stubs_at;
        let lazy = cache + LAZY;
        routines.extend(stubs::lazy(lazy, process, number, stubs, slots)?);
        if purpose.tracing.is_some() {
            if routines.len() as u64 > stubs::ROOM {
                return Err(Obstacle::RoutinesTooLong);
            }
            routines.resize(stubs::ROOM as usize, 0xcc);
            routines.extend(stubs::room(cache + stubs::ROOM, process)?);
        }
        let mut hooks = None;
        if let Some((hooked, known, blob)) = &hooking {
            let handler = cache + handler_at;
            memory.write(handler, &blob.code).map_err(failed)?;
            memory.write(slots + process_at, known).map_err(failed)?;
            routines.resize(stubs::ROOM as usize, 0xcc);
            let enter = cache + routines.len() as u64;
            routines.extend(routine::enter(enter, handler + blob.enter, slots + process_at)?);
            let exit = cache + routines.len() as u64;
            routines.extend(routine::exit(exit, handler + blob.exit, slots + process_at)?);
            hooks = Some(((*hooked).clone(), Routines { enter, exit }));
        }
        if routines.len() as u64 > ROUTINES {
            return Err(Obstacle::RoutinesTooLong);
        }
        memory.write(cache, &routines).map_err(failed)?;

        let armed: Vec<usize> = (0..functions.len())
            .filter(|&k| matches!(module.readiness.get(k), Some(Readiness::Armed(_))))
            .collect();
        let parts = in_parallel(&armed, |&k| {
            let at = |from: u64| cache + from;
            let (entry, bytes) = (functions[k].address, armed_bytes(module, k));
            let head = at(heads_at + k as u64 * HEAD);
            let code = module.image.code(entry, entry + u64::from(bytes))?;
            let head_bytes = head::relocated(code, entry, head.wrapping_sub(bias))?;
            if head_bytes.len() as u64 > HEAD {
                return None;
            }
            let stub_at = stubs + k as u64 * STUB;
            let stub = stubs::entry(stub_at, slots + k as u64 * 16, lazy)?;
            Some((k, head, head_bytes, stub_at, stub))
        });
        let mut area = vec![0xcc; (handler_at - stubs_at) as usize];
        let mut table = vec![0; process_at as usize];
        let mut jumps = Vec::new();
        let mut at_once = module.at_once();
        for (part, &k) in parts.into_iter().zip(&armed) {
            let Some((k, head, head_bytes, stub_at, stub)) = part else {
                at_once.push(k);
                continue;
            };
            let put = |area: &mut Vec<u8>, at: u64, bytes: &[u8]| {
                let offset = (at - stubs) as usize;
                area[offset..offset + bytes.len()].copy_from_slice(bytes);
            };
            put(&mut area, head, &head_bytes);
            put(&mut area, stub_at, &stub);
            table[k * 16..k * 16 + 8].copy_from_slice(&(stub_at + stubs::WAITING).to_le_bytes());
            table[k * 16 + 8..k * 16 + 16].copy_from_slice(&head.to_le_bytes());
            let from = functions[k].address.wrapping_add(bias);
            if let Some(jump) = near_jump(from, stub_at) {
                jumps.push((from, jump));
            }
        }
        memory.write(stubs, &area).map_err(failed)?;
        memory.write(slots, &table).map_err(failed)?;
        let mut this = Self {
            module: Arc::clone(module),
            image: process.image,
            base: span.0,
            end: span.1,
            given_back: BTreeSet::new(),
            cache: blocks,
            functions: HashMap::new(),
            left_alone: module.left_alone.clone(),
            bias,
            check: process.check,
            counting: purpose.counting,
            tracing: purpose.tracing.clone(),
            injection: purpose.injection.clone(),
            hooks,
            pool: place.pool,
            refused: Vec::new(),
            slots,
            armed: jumps,
            at_once,
            callers: HashMap::new(),
        };
        this.write_at_once(allocation, mapper, maps);
        Ok(this)
    }

    /// A function's plan. One that is to be hooked has none, unless each of its ends can be.
    fn plan(&self, module: &Module, index: usize) -> Planned {
        let (plan, mut left_alone) = module.plan(index);
        let needs_end = |at: u64| self.hooks.as_ref().is_some_and(|(hooked, _)| hooked.needs_end(at));
        let wanted = |plan: &FunctionPlan| !needs_end(plan.address) || ends_are_seen(plan);
        if let Some(unseen) = plan.as_ref().filter(|plan| !wanted(plan)) {
            left_alone.retain(|left| left.header.is_none());
            if left_alone.is_empty() {
                left_alone.push(LeftAlone {
                    address: unseen.address,
                    function: module.image.function(index).map_or_else(String::new, |f| f.name.clone()),
                    header: None,
                    reason: Reason::Refused(Refusal::EndsElsewhere),
                });
            }
            return (None, left_alone);
        }
        (plan, left_alone)
    }

    /// Plans and emits the functions that cannot wait, in parallel.
    fn write_at_once(&mut self, allocation: &mut Allocation, mapper: &dyn Mapper, maps: &[Mapping]) {
        let module = Arc::clone(&self.module);
        let planned = in_parallel(&self.at_once, |&k| self.plan(&module, k));
        for (k, (plan, left_alone)) in self.at_once.clone().into_iter().zip(planned) {
            self.left_alone.extend(left_alone);
            if let Some(plan) = plan {
                self.emit(k, plan, allocation, mapper, &mut || maps.to_vec());
            }
        }
    }

    /// Writes all jumps that are needed from the start.
    pub fn turn(&self, memory: &Memory) -> io::Result<()> {
        let mut patches: Vec<&(u64, Vec<u8>)> = self.armed.iter().collect();
        for k in &self.at_once {
            if let Some(w) = self.functions.get(k) {
                memory.write(w.at, &w.bytes)?;
                patches.extend(&w.patches);
            }
        }
        write_patches(memory, patches)
    }

    /// Writes the jumps again after the module was unmapped and mapped at the same place. Slots and copies
    /// were not unmapped; only the module's own bytes are fresh.
    pub fn turn_again(&self, memory: &Memory) -> io::Result<()> {
        // The functions that another process of the image called first are not written in this one.
        let here = |k: &usize| {
            let called = || memory.word(self.slot(*k)).is_ok_and(|to| to != self.waiting(*k));
            !self.is_given_back(*k) && (self.at_once.contains(k) || called())
        };
        let written = self.functions.iter().filter(|(k, _)| here(k)).flat_map(|(_, w)| &w.patches);
        let at_entries: Vec<u64> = self.armed.iter().map(|a| a.0).collect();
        let inner = written.filter(|p| at_entries.binary_search(&p.0).is_err());
        let entries = self.armed.iter().filter(|a| !self.is_given_back_at(a.0));
        write_patches(memory, entries.chain(inner).collect())
    }

    /// Address of a function's slot.
    fn slot(&self, index: usize) -> u64 {
        self.slots + index as u64 * 16
    }

    /// The slot's value before the first call.
    fn waiting(&self, index: usize) -> u64 {
        self.cache.start() + ROUTINES + index as u64 * STUB + stubs::WAITING
    }

    /// Whether this process's memory has the jumps.
    pub fn is_turned(&self, memory: &Memory) -> bool {
        let first = self.armed.iter().find(|a| !self.is_given_back_at(a.0));
        first.is_none_or(|(at, bytes)| memory.read(*at, bytes.len()).is_ok_and(|b| b == *bytes))
    }

    /// Whether a function still waits for its first call in a process: another thread may have called it meanwhile.
    pub fn waits(&self, index: usize, memory: &Memory) -> io::Result<bool> {
        Ok(memory.word(self.slot(index))? == self.waiting(index))
    }

    /// Plans a function and emits its copy, unless another process of the image has called it before. Returns
    /// the block that holds the copy, or `None` when the function is not instrumented.
    pub fn prepare(
        &mut self,
        index: usize,
        allocation: &mut Allocation,
        mapper: &dyn Mapper,
        maps: &mut dyn FnMut() -> Vec<Mapping>,
    ) -> Option<(u64, u64)> {
        if !self.functions.contains_key(&index) {
            let (plan, left_alone) = self.plan(&self.module, index);
            self.left_alone.extend(left_alone);
            self.emit(index, plan?, allocation, mapper, maps);
        }
        self.functions.get(&index).and_then(|w| self.cache.block_of(w.at))
    }

    /// Lets a function run its original code in a process.
    pub fn leave(&self, index: usize, memory: &Memory) -> io::Result<()> {
        let slot = self.slot(index);
        memory.write(slot, &memory.word(slot + 8)?.to_le_bytes())
    }

    /// Redirects a function that is about to run for the first time in a process to its copy. Its block and
    /// its counters are mapped there.
    pub fn first_call(&self, index: usize, memory: &Memory, alone: bool) -> io::Result<()> {
        let Some(w) = self.functions.get(&index) else { return self.leave(index, memory) };
        let slot = self.slot(index);
        memory.write(w.at, &w.bytes)?;
        let entry_at = w.plan.address.wrapping_add(self.bias);
        let whole = w.entry != 0;
        write_patches(memory, w.patches.iter().filter(|p| p.0 != entry_at).collect())?;
        let to = if whole { w.entry } else { memory.word(slot + 8)? };
        memory.write(slot, &to.to_le_bytes())?;
        // With one thread, which waits for us, the jump can lead to the copy directly, without the slot.
        if alone
            && whole
            && let Some((at, jump)) = w.patches.iter().find(|p| p.0 == entry_at)
        {
            memory.write(*at, jump)?;
        }
        self.shorten_calls(index, memory, alone)
    }

    /// Redirects calls in place to the copy of the called function, instead of to its original entry and the
    /// jump there: those of the function that is being redirected, in which no thread is, and with one thread
    /// also the calls of it. The return address stays the original one.
    fn shorten_calls(&self, index: usize, memory: &Memory, alone: bool) -> io::Result<()> {
        /// Most call sites that are rewritten.
        const MOST: usize = 64;
        let Some(written) = self.functions.get(&index) else { return Ok(()) };
        let turned = |k: usize| {
            let w = self.functions.get(&k).filter(|w| w.entry != 0 && !self.is_given_back(k))?;
            // Another process of the image may have called it, but not this one yet.
            let here = self.at_once.contains(&k) || memory.word(self.slot(k)).ok()? == w.entry;
            here.then_some(w.entry)
        };
        let mut sites: Vec<(u64, u64)> = Vec::new();
        for &(site, callee) in written.calls.iter().take(MOST) {
            sites.extend(turned(callee).map(|entry| (site, entry)));
        }
        if alone && written.entry != 0 {
            let callers = self.callers.get(&index).into_iter().flatten().take(MOST);
            let here = callers.filter(|(caller, _)| *caller != index && turned(*caller).is_some());
            sites.extend(here.map(|&(_, site)| (site, written.entry)));
        }
        for (site, entry) in sites {
            if let Some(call) = given_back::shortened(site, entry) {
                memory.write(site + 1, &call[1..])?;
            }
        }
        Ok(())
    }

    /// Direct calls in the regions of a plan.
    fn calls(&self, plan: &FunctionPlan) -> Vec<(u64, usize)> {
        let functions = self.module.image.unnamed_functions();
        let mut found = Vec::new();
        for region in plan.plans.iter().map(|p| &p.region) {
            for &b in &region.blocks {
                let call = plan.flow.last(b);
                /// `call rel32`, without prefixes.
                const LENGTH: usize = 5;
                let plain = call.code() == Code::Call_rel32_64 && call.len() == LENGTH;
                if plain && !region.native[b] {
                    let target = call.near_branch_target();
                    let callee = functions.binary_search_by_key(&target, |f| f.address);
                    found.extend(callee.ok().map(|k| (call.ip().wrapping_add(self.bias), k)));
                }
            }
        }
        found
    }

    /// Emits a function's regions at the end of the cache, which grows when needed.
    fn emit(
        &mut self,
        index: usize,
        plan: FunctionPlan,
        allocation: &mut Allocation,
        mapper: &dyn Mapper,
        maps: &mut dyn FnMut() -> Vec<Mapping>,
    ) {
        let before = (*allocation, self.left_alone.len());
        let Err((plan, length)) = self.emit_here(index, plan, allocation, false) else { return };
        *allocation = before.0;
        self.left_alone.truncate(before.1);
        // Where it cannot grow, functions that do not fit are not instrumented.
        let _ = self.cache.grow(mapper, &maps(), length);
        let _ = self.emit_here(index, *plan, allocation, true);
    }

    /// Emits into the present room. When that is too small, returns the plan with the bytes that it needs;
    /// with `anyhow`, regions that do not fit are not instrumented.
    fn emit_here(
        &mut self,
        index: usize,
        plan: FunctionPlan,
        allocation: &mut Allocation,
        anyhow: bool,
    ) -> Result<(), (Box<FunctionPlan>, u64)> {
        let (at, limit) = self.cache.room();
        let mut wanted = 0;
        let mut written = Written {
            at,
            bytes: Vec::new(),
            patches: Vec::new(),
            layouts: Vec::new(),
            units: Vec::new(),
            entry: 0,
            calls: self.calls(&plan),
            plan,
        };
        let module = Arc::clone(&self.module);
        let checked = |a: u64| module.is_counted(a);
        let traced =
            self.tracing.clone().map(|registry| trace_plan(&registry, &module, self.bias, &written.plan));
        let bias = self.bias;
        let room = (self.cache.start() + stubs::ROOM).wrapping_sub(bias);
        let exhaustive = self.tracing.as_ref().is_some_and(|r| r.exhaustive);
        let tracing = traced.as_ref().map(|(plan, registered)| Tracing {
            plan,
            first: registered.first,
            shares: &registered.shares,
            room,
            exhaustive,
            wide_masks: has_wide_masks(),
        });
        let chosen = self.injection.clone().unwrap_or_default();
        let wanted_loops = chosen.of(&module.path, written.plan.address);
        let hook = self.hooks.as_ref().and_then(|(hooked, to)| {
            // The copy is encoded as if the module were at the addresses of its file.
            let own = |address: u64| address.wrapping_sub(bias);
            let word = hooked.word(written.plan.address)?;
            let exit = hooked.needs_end(written.plan.address).then(|| own(to.exit));
            Some(Hook { enter: own(to.enter), exit, word })
        });
        for plan in &written.plan.plans {
            let start = at + written.bytes.len() as u64;
            let FunctionPlan { flow, live, .. } = &written.plan;
            let (units, refused) = injection::plan::plan(flow, live, &plan.region, &chosen, &wanted_loops);
            let unit_slots = units.iter().map(Versioned::slots).sum::<u32>();
            let slots = plan.slots.saturating_add(unit_slots);
            let result =
                allocation.take(slots, plan.histograms).ok_or(Refusal::AreaFull).and_then(|layout| {
                    let setting = Setting {
                        layout,
                        claim: self.cache.start().wrapping_sub(self.bias),
                        check: self.check,
                        checked_callee: &checked,
                        counting: self.counting,
                        tracing: tracing.as_ref(),
                        units: &units,
                        unit_slots: plan.slots,
                        walks: (self.pool, chosen.walks),
                        hook,
                    };
                    let copy = body::write(&written.plan.flow, &written.plan.live, plan, &setting);
                    // All addresses are those of the file: distances are the same.
                    let encoded = encode::encode(&copy.writer, start.wrapping_sub(self.bias))
                        .map_err(Refusal::Encode)?;
                    wanted += (encoded.bytes.len() as u64).next_multiple_of(64);
                    if start + encoded.bytes.len() as u64 > limit {
                        return Err(Refusal::CacheFull);
                    }
                    let patches = patches(&copy.jumps, &encoded, self.bias)?;
                    let entry = written.plan.flow.blocks[plan.region.entry].start;
                    let entry = copy.jumps.iter().find(|j| j.at == entry).and_then(|j| encoded.address(j.to));
                    Ok((layout, encoded.bytes, patches, entry))
                });
            match result {
                Ok((layout, bytes, patches, entry)) => {
                    written.bytes.extend(bytes);
                    written.bytes.resize(written.bytes.len().next_multiple_of(16), 0xcc);
                    written.patches.extend(patches);
                    written.layouts.push(Some(layout));
                    written.units.push(units);
                    self.refused.extend(refused);
                    if plan.region.whole {
                        written.entry = entry.unwrap_or(0).wrapping_add(self.bias);
                    }
                }
                Err(why) => {
                    let header = written.plan.flow.blocks[plan.region.entry].start;
                    self.left_alone.push(LeftAlone {
                        address: written.plan.address,
                        function: module.image.function(index).map_or_else(String::new, |f| f.name.clone()),
                        header: (!plan.region.whole).then_some(header),
                        reason: Reason::Refused(why),
                    });
                    written.layouts.push(None);
                    written.units.push(Vec::new());
                }
            }
        }
        if at + wanted > limit && !anyhow {
            return Err((Box::new(written.plan), wanted));
        }
        self.cache.take(written.bytes.len() as u64);
        if written.layouts.iter().any(Option::is_some) {
            for &(site, callee) in &written.calls {
                self.callers.entry(callee).or_default().push((index, site));
            }
            self.functions.insert(index, written);
        }
        Ok(())
    }
}

/// What a module's hooks are made of: its functions, what the handler must know, and the handler.
type Hooking<'a> = (&'a Hooked, Vec<u8>, &'static blob::Blob);

fn hooking<'a>(
    place: &Place<'a>,
    purpose: &Purpose,
    module: &Module,
) -> Result<Option<Hooking<'a>>, Obstacle> {
    let Some((hooked, hooks)) = place.hooked.zip(purpose.hooks) else { return Ok(None) };
    let library = Library {
        image: &module.image,
        path: &module.path,
        bias: place.bias,
        world: place.world,
        shared: place.shared,
    };
    let process = hooks.process(&library);
    let handler = hooks.handler().ok_or(Obstacle::NoHandler)?;
    Ok(Some((hooked, process, handler)))
}

/// Addresses of the code between hooked functions and their handler.
#[derive(Clone, Copy, Debug)]
struct Routines {
    enter: u64,
    exit: u64,
}

/// Each way out of a function's copy passes a hook.
fn ends_are_seen(plan: &FunctionPlan) -> bool {
    let Some(whole) = plan.plans.iter().find(|p| p.region.whole) else { return false };
    let (flow, region) = (&plan.flow, &whole.region);
    let seen = |b: usize| region.inside[b] && !region.native[b];
    (0..flow.blocks.len()).all(|b| match flow.blocks[b].end {
        End::Return | End::Tail(_) => seen(b),
        End::IndirectTail => {
            let jump = flow.last(b);
            let on_stack = jump.memory_base() == Register::RSP || jump.memory_index() == Register::RSP;
            seen(b) && jump.code() == Code::Jmp_rm64 && !on_stack
        }
        // A branch to another function.
        End::Branch { taken, fall } => flow.block_at(taken).is_some() && flow.block_at(fall).is_some(),
        End::Jump(to) | End::Fall(to) => flow.block_at(to).is_some(),
        End::Call(_) | End::Indirect | End::Stop => true,
    })
}

/// Why a chosen loop cannot have run in a copy, as far as its module and function show it.
pub fn why_absent(instances: &[Instance], choice: &LoopChoice) -> Option<Reason> {
    let mine = || instances.iter().filter(|i| same_file(&choice.module, &i.module.path));
    let mut left = mine().flat_map(|i| &i.left_alone);
    let left =
        left.find(|l| l.address == choice.function && l.header.is_none_or(|header| header == choice.header));
    match left {
        Some(left) => Some(left.reason.clone()),
        None => mine().next().is_none().then_some(Reason::NotLoaded),
    }
}

/// Plans the records of a function and registers them.
fn trace_plan(
    registry: &Registry,
    module: &Module,
    bias: u64,
    function: &FunctionPlan,
) -> (TracePlan, Registered) {
    let chosen = registry.chosen_in(&module.path);
    let plan = TracePlan::new(&function.flow, &function.plans, &chosen);
    let registered = registry.register(module, bias, function, &plan);
    (plan, registered)
}

/// The processor has mask registers of 64 bits: the program runs on the same one.
fn has_wide_masks() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512bw");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

fn armed_bytes(module: &Module, index: usize) -> u8 {
    match module.readiness.get(index) {
        Some(Readiness::Armed(bytes)) => *bytes,
        _ => 0,
    }
}

/// How threads of a program are recognised: by the thread control block where a loader has set it up.
pub fn thread_check(dynamic: bool) -> ThreadCheck {
    if dynamic { ThreadCheck::SelfPointer } else { ThreadCheck::FsBase }
}
