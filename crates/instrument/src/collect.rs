//! From counters to facts: solves each region's equations for each thread and sums up.

use crate::code::flow::{EdgeKind, End, Flow};
use crate::contradiction::Contradiction;
use crate::facts::{
    BlockCount, CountedThread, Counts, FunctionCounts, LeftAlone, LoopCounts, ModuleCounts, ThreadLoop,
    ThreadWork, TripHistogram,
};
use crate::module::FunctionPlan;
use crate::reason::Reason;
use crate::region::counters::{self, Source, What};
use crate::region::trips::{LoopPlan, Technique};
use crate::region::{Plan, Region};
use crate::runtime::areas::{BUCKETS, EXACT_BUCKETS, Layout, bucket_range};
use crate::runtime::instance::Instance;
use crate::runtime::shared_memory::{Area, Shared};
use crate::warning::Warning;
use loopwright_binary::work::Work;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Reads all areas of all instances into `counts`; `programs` names the program of each image.
pub fn collect(shared: &Shared, instances: &[Instance], programs: &[String], counts: &mut Counts) {
    let areas = shared.areas();
    let mut threads: HashMap<(u32, u32), u32> = HashMap::new();
    let mut modules: BTreeMap<String, Gathered> = BTreeMap::new();
    for instance in instances {
        let gathered = modules.entry(instance.module.path.clone()).or_default();
        gathered.take_module(instance);
        for area in areas.iter().filter(|a| !a.is_unowned()) {
            let (process, thread, image) = area.identity();
            if image != instance.image {
                continue;
            }
            let next = threads.len() as u32;
            let index = *threads.entry((process, thread)).or_insert_with(|| {
                let program = programs.get(image as usize).cloned().unwrap_or_default();
                counts.threads.push(CountedThread { process, thread, program });
                next
            });
            for w in instance.functions.values() {
                let f = &w.plan;
                for (plan, layout) in f.plans.iter().zip(&w.layouts) {
                    let Some(layout) = layout else { continue };
                    let reader = Reader { area, layout };
                    if reader.is_untouched(plan) {
                        continue;
                    }
                    let function = instance.module.image.function(f.index);
                    let name = function.map_or("", |function| function.name.as_str());
                    let entry = gathered.functions.entry(f.address).or_insert_with(|| Function {
                        facts: FunctionCounts {
                            address: f.address,
                            name: name.to_owned(),
                            complete: f.is_whole() && !instance.is_given_back(f.index),
                            ..FunctionCounts::default()
                        },
                        ..Function::default()
                    });
                    entry.add(f, plan, &reader, index);
                }
            }
        }
    }
    let mut contradicting = 0;
    for gathered in modules.into_values() {
        for function in gathered.functions.values().filter(|f| f.lacks_some() && !f.lacks_much()) {
            counts.warnings.push(Warning::EntryNotEnded { function: function.facts.name.clone() });
        }
        let (facts, wrong) = gathered.finish();
        contradicting += wrong;
        counts.modules.push(facts);
    }
    if contradicting > 0 {
        counts.warnings.push(Warning::Contradicting { functions: contradicting });
    }
}

/// The facts of one module over all processes.
#[derive(Default)]
struct Gathered {
    facts: ModuleCounts,
    /// Entries that are already among the facts: several processes have the same.
    left_alone: HashSet<LeftAlone>,
    functions: BTreeMap<u64, Function>,
}

impl Gathered {
    fn take_module(&mut self, instance: &Instance) {
        self.facts.path = instance.module.path.clone();
        self.facts.build_id = instance.module.image.facts().build_id.clone();
        for left in &instance.left_alone {
            if self.left_alone.insert(left.clone()) {
                self.facts.left_alone.push(left.clone());
            }
        }
        self.facts.in_part |= instance.module.in_part;
        self.facts.instrumented = self.facts.instrumented.max(instance.functions.len() as u32);
    }

    /// The facts, and the number of functions with contradictory counts.
    fn finish(mut self) -> (ModuleCounts, usize) {
        let (wrong, right) =
            self.functions.into_iter().partition::<BTreeMap<_, _>, _>(|(_, f)| f.contradicts);
        let (running, right) = right.into_iter().partition::<BTreeMap<_, _>, _>(|(_, f)| f.lacks_much());
        self.functions = right;
        let contradicting = wrong.len();
        for function in running.into_values() {
            self.facts.left_alone.push(LeftAlone {
                address: function.facts.address,
                function: function.facts.name,
                header: None,
                reason: Reason::StillRunning,
            });
        }
        for function in wrong.into_values() {
            self.facts.left_alone.push(LeftAlone {
                address: function.facts.address,
                function: function.facts.name,
                header: None,
                reason: Reason::Impossible(Contradiction::Flow),
            });
        }
        self.facts.functions = self.functions.into_values().map(Function::finish).collect();
        (self.facts, contradicting)
    }
}

#[derive(Default)]
struct Function {
    facts: FunctionCounts,
    /// The flow into one of its blocks differs from the flow out of it.
    contradicts: bool,
    blocks: BTreeMap<u64, BlockCount>,
    /// Loops by header; the key keeps outer before inner.
    loops: BTreeMap<usize, LoopCounts>,
    /// Entries of loops that count in a register: those that have not ended, and all.
    open: BTreeMap<usize, (u64, u64)>,
}

/// Least number of counted entries per missing one for which counts are shown: an entry of average length is
/// then less than 0.1 % of the loop's work.
const ENOUGH_ENTRIES: u64 = 1000;

impl Function {
    /// An entry of a loop that counts in a register has not ended.
    fn lacks_some(&self) -> bool {
        self.open.values().any(|(open, _)| *open > 0)
    }

    /// A loop's iterations are in a register until it ends. Where one of few entries did not end, the counts
    /// may lack any part of them.
    fn lacks_much(&self) -> bool {
        self.open.values().any(|(open, entries)| open.saturating_mul(ENOUGH_ENTRIES) > *entries)
    }

    fn finish(mut self) -> FunctionCounts {
        self.facts.blocks = self.blocks.into_values().collect();
        self.facts.loops = self.loops.into_values().collect();
        self.facts
    }

    fn add(&mut self, f: &FunctionPlan, plan: &Plan, reader: &Reader, thread: u32) {
        let solved = Solved::new(&f.flow, plan, reader);
        self.contradicts |= solved.contradicts(reader);
        let mut own: Vec<Work> = vec![Work::default(); f.flow.blocks.len()];
        let mut work = Work::default();
        for &b in &plan.region.blocks {
            let executions = solved.blocks[b].unwrap_or(0);
            let block = &f.flow.blocks[b];
            if executions > 0 {
                let count = self.blocks.entry(block.start).or_insert(BlockCount {
                    start: block.start,
                    end: block.end_address,
                    executions: 0,
                });
                count.executions += executions;
                own[b].add_times(&f.work[b].fixed, executions);
            }
            for v in plan.variable.iter().filter(|v| v.block == b) {
                let Some(units) = f.work[b].variable.get(v.index) else { continue };
                own[b].add_times(&units.each, reader.counter(v.slot));
                own[b].add_times(&units.most, solved.in_place[b].unwrap_or(0));
            }
            work.add_times(&own[b], 1);
        }
        let calls = plan.region.whole.then_some(solved.arrivals).flatten();
        add_calls(&mut self.facts.calls, calls);
        self.facts.work.add_times(&work, 1);
        match self.facts.threads.iter_mut().find(|t| t.thread == thread) {
            Some(t) => {
                add_calls(&mut t.calls, calls);
                t.work.add_times(&work, 1);
            }
            None => self.facts.threads.push(ThreadWork { thread, calls, work }),
        }
        for l in &plan.loops {
            if l.technique != Technique::Memory && l.distinct {
                let (open, entries) = self.open.entry(l.index).or_default();
                *open = open.saturating_add(reader.unfinished(l).unwrap_or(0));
                *entries = entries.saturating_add(reader.counter(l.entries));
            }
            self.add_loop(&f.flow, l, &solved, reader, &own, thread);
        }
    }

    fn add_loop(
        &mut self,
        flow: &Flow,
        plan: &LoopPlan,
        solved: &Solved,
        reader: &Reader,
        own: &[Work],
        thread: u32,
    ) {
        let l = &flow.loops[plan.index];
        let (mut inner, mut total) = (Work::default(), Work::default());
        for &b in &l.body {
            total.add_times(&own[b], 1);
            if flow.loop_of[b] == Some(plan.index) {
                inner.add_times(&own[b], 1);
            }
        }
        let iterations = solved.iterations(flow, plan).unwrap_or(0);
        let entries = plan.distinct.then(|| reader.counter(plan.entries));
        if iterations == 0 && entries.unwrap_or(0) == 0 && total == Work::default() {
            return;
        }
        let trips = plan.distinct.then(|| reader.trips(plan, entries.unwrap_or(0), iterations)).flatten();
        let fresh = !self.loops.contains_key(&plan.index);
        let sum = self.loops.entry(plan.index).or_insert_with(|| LoopCounts {
            header: flow.blocks[l.header].start,
            entries: Some(0),
            ..LoopCounts::default()
        });
        sum.entries = sum.entries.zip(entries).map(|(a, b)| a + b);
        sum.iterations += iterations;
        sum.work.add_times(&inner, 1);
        sum.total_work.add_times(&total, 1);
        sum.trips = match (sum.trips.take(), trips) {
            (None, trips) if fresh => trips,
            (Some(mut a), Some(b)) => {
                a.merge(&b);
                Some(a)
            }
            (a, b) => a.or(b).map(|t| TripHistogram { approximate: true, ..t }),
        };
        match sum.threads.iter_mut().find(|t| t.thread == thread) {
            Some(t) => {
                t.entries = t.entries.zip(entries).map(|(a, b)| a + b);
                t.iterations += iterations;
                t.work.add_times(&inner, 1);
            }
            None => sum.threads.push(ThreadLoop { thread, entries, iterations, work: inner }),
        }
    }
}

fn add_calls(to: &mut Option<u64>, calls: Option<u64>) {
    if let Some(calls) = calls {
        *to = Some(to.unwrap_or(0) + calls);
    }
}

/// A thread's counters of one region.
struct Reader<'a> {
    area: &'a Area,
    layout: &'a Layout,
}

impl Reader<'_> {
    fn counter(&self, slot: u32) -> u64 {
        self.area.counter(self.layout.counter(slot))
    }

    fn is_untouched(&self, plan: &Plan) -> bool {
        (0..plan.slots).all(|s| self.counter(s) == 0)
    }

    fn buckets(&self, plan: &LoopPlan) -> Option<Vec<(u64, u64)>> {
        let at = self.layout.histogram(plan.histogram)?;
        let counted = (0..BUCKETS).map(|k| (k as u64, self.area.counter(at + 8 * k)));
        Some(counted.filter(|b| b.1 > 0).collect())
    }

    /// Entries that began and did not end: the thread was stopped in the loop, or left it in a way that is
    /// not counted (`longjmp` from a signal handler).
    fn unfinished(&self, plan: &LoopPlan) -> Option<u64> {
        let ended: u64 = self.buckets(plan)?.iter().map(|b| b.1).sum();
        Some(self.counter(plan.entries).wrapping_sub(ended))
    }

    /// Executions of the block that an induction register counts.
    fn induction(&self, plan: &LoopPlan, step: i64, narrow: bool) -> Option<i128> {
        let sum = self.counter(plan.sum);
        if narrow {
            return Some(i128::from(sum / step.unsigned_abs()));
        }
        let sum = match self.unfinished(plan) {
            None | Some(0) => sum,
            // The negated register at entry was added, its value at exit is missing.
            Some(1) => sum.wrapping_add(self.counter(plan.start)),
            Some(_) => return None,
        };
        Some(i128::from(sum as i64 / step))
    }

    fn trips(&self, plan: &LoopPlan, entries: u64, iterations: u64) -> Option<TripHistogram> {
        let counted = self.buckets(plan)?;
        let (first, last) = (counted.first()?.0, counted.last()?.0);
        let exact = EXACT_BUCKETS as u64;
        let min = if first < exact { first } else { !self.counter(plan.fewest) };
        let max = if last < exact { last } else { self.counter(plan.most) };
        let mut buckets = Vec::new();
        let (mut lowest, mut highest) = (0u128, 0u128);
        for (k, n) in counted {
            let (low, high) = bucket_range(k);
            buckets.push((low, high, n));
            lowest += u128::from(low.max(min)) * u128::from(n);
            highest += u128::from(high.min(max)) * u128::from(n);
        }
        let ended: u64 = buckets.iter().map(|b| b.2).sum();
        let fits = (lowest..=highest).contains(&u128::from(iterations));
        Some(TripHistogram { min, max, buckets, approximate: ended != entries || !fits })
    }
}

/// Executions of a region's blocks by one thread.
struct Solved<'a> {
    plan: &'a Plan,
    values: Vec<Option<i128>>,
    /// Executions of copy and original together.
    blocks: Vec<Option<u64>>,
    /// Executions in the original place only.
    in_place: Vec<Option<u64>>,
    /// Entries of the region.
    arrivals: Option<u64>,
}

impl<'a> Solved<'a> {
    fn new(flow: &Flow, plan: &'a Plan, reader: &Reader) -> Self {
        let by_slot: HashMap<u32, &LoopPlan> = plan.loops.iter().map(|l| (l.sum, l)).collect();
        let value = |source| match source {
            Source::Slot(slot) => Some(i128::from(reader.counter(slot))),
            Source::Induction { slot, step } => {
                let l = by_slot.get(&slot)?;
                let Technique::Induction(i) = l.technique else { return None };
                reader.induction(l, step, i.narrow)
            }
        };
        let values = counters::solve(&plan.counters, &value);
        let mut blocks = vec![None; flow.blocks.len()];
        let mut arrivals = None;
        let positive = |v: Option<i128>| v.and_then(|v| u64::try_from(v).ok());
        for (e, v) in plan.counters.flow.iter().zip(&values) {
            match e.what {
                What::Block(b) => blocks[b] = positive(*v),
                What::Arrival(b) if b == plan.region.entry => arrivals = positive(*v),
                _ => {}
            }
        }
        let mut this = Self { plan, values, blocks, in_place: vec![Some(0); flow.blocks.len()], arrivals };
        this.add_native(flow, &plan.region);
        this
    }

    /// Whether a flow is negative although nothing was interrupted: counters are then wrong. A few may be
    /// missing, where calls did not return; a loop that was stopped in the middle has not stored its count.
    fn contradicts(&self, reader: &Reader) -> bool {
        const SLACK: i128 = 1000;
        let negative = self.values.iter().flatten().any(|v| *v < -SLACK);
        negative && self.plan.loops.iter().all(|l| reader.unfinished(l).is_none_or(|n| n == 0))
    }

    /// Adds executions in the original place: the number of returns from calls to a block that has no jump to its copy.
    fn add_native(&mut self, flow: &Flow, region: &Region) {
        // A chain of such blocks is short; each round settles the next.
        let native: Vec<usize> = region.blocks.iter().copied().filter(|&b| region.native[b]).collect();
        let copies = self.blocks.clone();
        for _ in 0..native.len() {
            let mut changed = false;
            for &b in &native {
                // A trap after a call is there because the call does not return.
                if flow.instructions(b).len() == 1 && flow.blocks[b].end == End::Stop {
                    continue;
                }
                let mut sum = Some(0);
                for &p in &flow.blocks[b].predecessors {
                    for edge in flow.blocks[p].successors.iter().filter(|e| e.to == b) {
                        let more = if edge.kind == EdgeKind::CallReturn {
                            if flow.blocks[p].calls_for_good { Some(0) } else { self.blocks[p] }
                        } else if edge.kind.reenters() {
                            None
                        } else if region.native[p] {
                            // Several ways out cannot be distinguished.
                            let only = flow.blocks[p].successors.len() == 1;
                            if only { self.in_place[p] } else { self.in_place[p].filter(|n| *n == 0) }
                        } else {
                            Some(0)
                        };
                        sum = sum.zip(more).map(|(a, b)| a + b);
                    }
                }
                // Where arrivals are not counted, returns from its own call are.
                let sum = sum.or_else(|| self.returns(flow, b));
                let total = copies[b].zip(sum).map(|(a, b)| a + b);
                changed |= self.in_place[b] != sum || self.blocks[b] != total;
                self.in_place[b] = sum;
                self.blocks[b] = total;
            }
            if !changed {
                break;
            }
        }
    }

    /// Number of returns from the call at the end of a block to a place where control arrives in no other way.
    fn returns(&self, flow: &Flow, block: usize) -> Option<u64> {
        let back = flow.blocks[block].successors.iter().find(|e| e.kind == EdgeKind::CallReturn)?.to;
        if flow.blocks[back].predecessors.len() != 1 {
            return None;
        }
        let mut flows = self.plan.counters.flow.iter().zip(&self.values);
        let (_, value) = flows.find(|(e, _)| e.what == What::Arrival(back))?;
        u64::try_from((*value)?).ok()
    }

    /// Iterations of a loop: passes beyond its entry test.
    fn iterations(&self, flow: &Flow, plan: &LoopPlan) -> Option<u64> {
        let l = &flow.loops[plan.index];
        let passes = self.blocks[l.header]?;
        let Some(test) = plan.test else { return Some(passes) };
        let out = self.plan.counters.flow.iter().zip(&self.values).filter(|(e, _)| match e.what {
            What::Edge(b, target) => {
                b == test && flow.block_at(target).is_none_or(|t| l.body.binary_search(&t).is_err())
            }
            _ => false,
        });
        let mut left = 0;
        for (_, v) in out {
            left += u64::try_from((*v)?).ok()?;
        }
        passes.checked_sub(left)
    }
}
