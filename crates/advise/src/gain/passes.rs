//! The time of a loop in vectors, pass by pass, from what was counted, traced and measured.
//!
//! A vector pass takes as long as the slowest of its parts: load and store ports, floating-point units, the divider, the
//! instructions that the core starts, the chain of a sum (its latency by the number of accumulators), or what the level of memory
//! delivers that serves the loop. An operand that is not consecutive is collected element by element. An entry adds the set-up
//! of the vector loop, the sum of its lanes and what is left over, which runs at half the width first and then in single
//! iterations. Now, the loop takes what was measured. Time that the model of the present loop does not explain may stay:
//! all of it at the careful end, none at the other.

use super::{element, interleaved, is_consecutive};
use crate::counted::distribution;
use crate::facts::Facts;
use crate::traced::to_arrays;
use crate::traffic::{nanoseconds_per_iteration, traffic};
use loopwright_analysis::model::{LoopFacts, MachineFacts, StridePattern};
use loopwright_binary::facts::ChainKind;
use loopwright_costs::Gain;
use loopwright_costs::estimates::{
    BEST_EFFICIENCY, COLLECTED, COUNTED_ERROR, LEVEL_IN_TIME, NEAR_STRIDE, PASS_EFFICIENCY, POOR_EFFICIENCY,
    TEST_INSTRUCTIONS, TYPICAL_ADDITION, UNCOUNTED_ERROR, USUAL_GHZ, VECTOR_ENTRY, WAITED_TOGETHER,
};
use loopwright_patterns::facts::AccessKind;
use loopwright_vocabulary::MemoryLevel;

/// What one source iteration does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Body {
    instructions: f64,
    arithmetic: f64,
    products: f64,
    divisions: f64,
    roots: f64,
    integer_divisions: f64,
    calls: f64,
    loads: Operands,
    stores: Operands,
}

/// Elements of a source iteration by how vectors reach them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Operands {
    consecutive: f64,
    /// Members of structures that are all used: consecutive vectors and shuffles.
    interleaved: f64,
    /// Strides of a few elements: whole vectors are loaded and shuffled.
    near: f64,
    /// One at a time.
    collected: f64,
    /// The code does not show how they move, and no trace does.
    unknown: f64,
}

/// The vectors that a compiler makes of the loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// Width of a register.
    pub bits: u32,
    /// Elements are consecutive in memory, whatever they are now.
    pub consecutive: bool,
    /// All passes are full, as in entries without end.
    pub endless: bool,
    /// The sum of the loop is kept in this number of vectors; `None` where it has none, or keeps its order.
    pub accumulators: Option<f64>,
    /// The lanes are iterations of a loop around: chains and misses of several iterations overlap.
    pub across: bool,
}

/// How the ends of the range are taken.
#[derive(Clone, Copy, PartialEq)]
enum View {
    Careful,
    Likely,
    Hopeful,
}

/// A loop that takes this many times what its instructions do waits for something that the model does not know.
const WAITS: f64 = 2.0;

/// The gain of a loop in vectors.
pub fn gain(facts: &Facts, of: &LoopFacts, machine: &MachineFacts, target: Target) -> Gain {
    let passes = Passes::of(facts, of, machine, target);
    let [low, likely, high] = [View::Careful, View::Likely, View::Hopeful].map(|view| passes.gain(view));
    let error = if passes.counted { COUNTED_ERROR } else { UNCOUNTED_ERROR };
    Gain::around((low / error).min(likely), likely, high.max(likely * error).min(passes.most()).max(likely))
}

struct Passes<'a> {
    body: Body,
    machine: &'a MachineFacts,
    target: Target,
    fit: f64,
    /// The divisions are those of f32.
    single: bool,
    /// Cycles of a source iteration, as measured where it was, and as the model of the present loop has it.
    now: f64,
    explained: f64,
    /// The part of the chain's latency that other entries do not hide.
    chain: f64,
    /// Cycles of a source iteration that memory needs.
    memory: Delivered,
    trips: Vec<(f64, f64)>,
    counted: bool,
}

impl<'a> Passes<'a> {
    fn of(facts: &Facts, of: &LoopFacts, machine: &'a MachineFacts, target: Target) -> Self {
        let factor = source_factor(facts, of);
        let body = body(facts, of, target.consecutive, factor);
        let ghz = machine.clock_ghz().unwrap_or(USUAL_GHZ);
        let measured = nanoseconds(facts, of, factor).map(|ns| ns * ghz);
        let latency =
            of.chains.iter().filter(|c| c.kind != ChainKind::Induction).map(|c| c.latency_cycles).max();
        // Where the core is not known, latencies are those of a typical one, with additions of four cycles.
        let scale = if machine.core.is_some() { 1.0 } else { machine.core().add.latency / TYPICAL_ADDITION };
        let latency = f64::from(latency.unwrap_or(0)) / factor * scale;
        let explained = scalar_cycles(of, machine, factor).max(latency);
        let now = measured.unwrap_or(explained).max(f64::MIN_POSITIVE);
        let chain = if latency > 0.0 { (now / latency).min(1.0) } else { 1.0 };
        let memory = memory(facts, of, machine, &body, (now, measured.is_some()), target.consecutive);
        let fit = f64::from((target.bits / element(of).bits().max(1)).max(1));
        let trips = if target.endless { Vec::new() } else { entries(of, factor) };
        Self {
            body,
            machine,
            target,
            fit,
            single: of.iteration().single,
            now,
            explained,
            chain,
            memory,
            trips,
            counted: measured.is_some(),
        }
    }

    /// Cycles of a pass of `fit` source iterations with registers of `bits`.
    fn pass(&self, view: View, bits: u32, fit: f64) -> f64 {
        let (core, body) = (self.machine.core(), &self.body);
        let single = |o: &Operands| {
            fit * match view {
                View::Careful => o.collected + o.unknown,
                View::Likely => o.collected + o.unknown / 2.0,
                View::Hopeful => o.collected,
            }
        };
        let packed = |o: &Operands| {
            o.consecutive + o.interleaved + if view == View::Hopeful { o.unknown } else { 0.0 }
        };
        let each = core.gather.max(1.0) * COLLECTED;
        let (loaded, stored) = (single(&body.loads), single(&body.stores));
        let near = |o: &Operands| fit * o.near * NEAR_STRIDE;
        let loads = packed(&body.loads) / core.loads.at(bits) + loaded * each + near(&body.loads);
        let stores = packed(&body.stores) / core.stores.at(bits) + stored * each + near(&body.stores);
        let wide = core.fma.per_cycle.at(bits) / core.fma.per_cycle.at(0);
        let units =
            (body.products / core.fma.per_cycle.at(bits)).max(body.arithmetic / (core.separate * wide));
        let single_precision = self.single;
        let divider = body.divisions * core.divide(single_precision).cycles.at(bits)
            + body.roots * core.root(single_precision).cycles.at(bits)
            + body.integer_divisions * fit * core.integer_division;
        // Members of structures that are all used take two shuffles each, which one unit of full width does.
        let shuffles = 2.0 * (body.loads.interleaved + body.stores.interleaved);
        let issue = core.issue(body.instructions + (loaded + stored) * 2.0 + shuffles);
        let calls = body.calls * (fit / (fit * POOR_EFFICIENCY).max(1.0)) * core.call;
        let efficiency = if view == View::Hopeful { BEST_EFFICIENCY } else { PASS_EFFICIENCY };
        let together = near(&body.loads) + near(&body.stores);
        let ports = loads.max(stores).max(together).max(units).max(issue).max(shuffles) / efficiency;
        let ports = ports.max(divider / BEST_EFFICIENCY);
        let chain = self.target.accumulators.map_or(0.0, |n| core.add.latency / n * self.chain);
        (ports + calls).max(chain).max(fit * self.memory(view))
    }

    fn memory(&self, view: View) -> f64 {
        match view {
            View::Hopeful => self.memory.least,
            View::Likely => self.memory.likely,
            View::Careful => self.memory.most,
        }
    }

    /// Cycles of an entry of `trips` source iterations.
    fn entry(&self, view: View, trips: f64) -> f64 {
        let each = self.pass(view, self.target.bits, self.fit);
        // Several accumulators do several vectors in a pass of the machine; what is left over by them is not halved again.
        let several = self.target.accumulators.unwrap_or(1.0);
        let full = (trips / (self.fit * several)).floor() * several;
        let left = trips - full * self.fit;
        let half = (self.fit / 2.0).max(1.0);
        let halves = if half > 1.0 && several <= 1.0 { (left / half).floor() } else { 0.0 };
        let narrow = if halves > 0.0 { self.pass(view, self.target.bits / 2, half) } else { 0.0 };
        full * each
            + halves * narrow
            + (left - halves * half) * self.now.min(self.explained)
            + self.around(view)
    }

    /// Cycles that an entry takes beside its passes: more where loads may meet the stores of the entry before.
    fn around(&self, view: View) -> f64 {
        let stores = self.body.stores != Operands::default();
        match view {
            View::Hopeful => VECTOR_ENTRY.0,
            _ if !stores => VECTOR_ENTRY.0,
            View::Likely => (VECTOR_ENTRY.0 * VECTOR_ENTRY.1).sqrt(),
            View::Careful => VECTOR_ENTRY.1,
        }
    }

    fn gain(&self, view: View) -> f64 {
        let unexplained = (self.now - self.explained.max(self.memory(view))).max(0.0);
        // A loop that takes much longer than its instructions waits for what vectors do not shorten.
        let waits = self.now > WAITS * self.explained.max(self.memory(view));
        let stays = unexplained
            * match view {
                View::Careful if self.target.across => WAITED_TOGETHER.0,
                View::Likely if self.target.across => WAITED_TOGETHER.1,
                View::Hopeful if self.target.across => 0.0,
                View::Careful => 1.0,
                View::Likely if waits => 0.8,
                View::Hopeful if waits => 0.5,
                View::Likely => 0.5,
                View::Hopeful => 0.0,
            };
        // Without a measured time, the present loop waits for memory as long as the other.
        let now = if self.counted { self.now } else { self.now.max(self.memory(view)) };
        let (now, then) = if self.trips.is_empty() {
            (now, self.pass(view, self.target.bits, self.fit) / self.fit + stays)
        } else {
            let sum =
                |of: &dyn Fn(f64) -> f64| self.trips.iter().map(|(n, weight)| weight * of(*n)).sum::<f64>();
            (sum(&|n| n * now), sum(&|n| self.entry(view, n) + n * stays))
        };
        now / then.max(f64::MIN_POSITIVE)
    }

    /// No more than the lanes, by the accumulators that a broken chain may have, and what loop control takes now.
    fn most(&self) -> f64 {
        1.1 * self.fit * self.target.accumulators.unwrap_or(1.0)
    }
}

/// Source iterations in a machine iteration.
fn source_factor(facts: &Facts, of: &LoopFacts) -> f64 {
    let counted = of.trip_count.as_ref().and_then(|t| t.source_factor).map(f64::from);
    let packed =
        || of.vector.as_ref().map_or(1.0, |v| f64::from(v.length.max(1)) * f64::from(v.unroll.max(1)));
    counted.unwrap_or_else(|| packed().max(terms(facts, of))).max(1.0)
}

/// Source iterations that the additions to one register show, where no moving operand has a shorter stride than as many elements.
fn terms(facts: &Facts, of: &LoopFacts) -> f64 {
    let terms = facts.additions_in_order(of);
    let mut moving = of.strides.iter().filter(|s| s.bytes != 0);
    let fit = moving.all(|s| s.bytes.unsigned_abs() >= u64::from(terms) * u64::from(s.size));
    if fit { f64::from(terms) } else { 1.0 }
}

/// Cycles of a source iteration of the present loop without its chain.
fn scalar_cycles(of: &LoopFacts, machine: &MachineFacts, factor: f64) -> f64 {
    let bits = of.vector.as_ref().map_or(0, |v| v.bits);
    of.iteration().cycles(machine.core(), bits) / factor
}

fn body(facts: &Facts, of: &LoopFacts, consecutive: bool, factor: f64) -> Body {
    let mix = &of.instruction_mix;
    let bytes = f64::from(element(of).bits() / 8).max(1.0);
    let floating = f64::from(mix.fp_scalar + mix.fp_vector).max(1.0);
    let flop = f64::from(of.flop_per_iteration.values().sum::<u32>()) / factor;
    // A fused multiply-add counts two.
    let arithmetic = flop / (1.0 + (f64::from(mix.fma) / floating).min(1.0));
    let products = arithmetic * (f64::from(mix.fma + mix.fp_multiply) / floating).min(1.0);
    let lanes =
        if mix.fp_vector > 0 { of.vector.as_ref().map_or(1.0, |v| f64::from(v.length.max(1))) } else { 1.0 };
    let iteration = of.iteration();
    let (mut loads, mut stores) = operands(facts, of, bytes, factor);
    if consecutive {
        for o in [&mut loads, &mut stores] {
            *o = Operands {
                consecutive: o.consecutive + o.interleaved + o.near + o.collected + o.unknown,
                ..Operands::default()
            };
        }
    }
    let all = |o: &Operands| o.consecutive + o.interleaved + o.near;
    // A branch to a call that no iteration makes (errno of a root) vanishes with the flag that vectors need.
    let never_called = of.work.as_ref().is_some_and(|work| work.mix.call == 0);
    // As many instructions as a scalar iteration has, without the copies of unrolling; what is collected is added to them.
    let useful = if flop > 0.0 { arithmetic } else { f64::from(mix.integer + mix.int_vector) / factor };
    let needed = useful + all(&loads) + all(&stores) + f64::from(mix.conversion) / factor + TEST_INSTRUCTIONS;
    Body {
        instructions: (f64::from(of.instructions) * if of.vectorized { lanes } else { 1.0 } / factor)
            .min(needed)
            .max(1.0),
        arithmetic,
        products,
        divisions: iteration.divisions * lanes / factor,
        roots: iteration.roots * lanes / factor,
        integer_divisions: iteration.integer_divisions / factor,
        calls: if never_called { 0.0 } else { iteration.calls / factor },
        loads,
        stores,
    }
}

/// Loaded and stored elements of a source iteration: as traced, else as the code shows.
fn operands(facts: &Facts, of: &LoopFacts, bytes: f64, factor: f64) -> (Operands, Operands) {
    let (mut loads, mut stores) = (Operands::default(), Operands::default());
    let traced = facts.traced(of).filter(|t| t.id == of.id);
    let iterations = traced.and_then(|t| t.memory.as_ref()).map_or(0, |m| m.traced_iterations);
    if let Some(traced) = traced.filter(|_| iterations > 0) {
        for access in to_arrays(traced).filter(|a| a.pattern != StridePattern::Uniform) {
            let operands = if access.kind == AccessKind::Load { &mut loads } else { &mut stores };
            let size = f64::from(access.element_bytes.max(1));
            let each = (f64::from(access.operand_bytes) / size).max(1.0).max(f64::from(access.lanes));
            let elements = access.executions as f64 * each / iterations as f64 / factor;
            match access.pattern {
                StridePattern::Unit => operands.consecutive += elements * (size / bytes).max(0.25),
                _ if access.stride_elements.is_some_and(is_near) => operands.near += elements,
                _ => operands.collected += elements,
            }
        }
        return (loads, stores);
    }
    for (operands, store, all) in [
        (&mut loads, false, of.bytes_loaded_per_iteration),
        (&mut stores, true, of.bytes_stored_per_iteration),
    ] {
        let mut known = 0.0;
        for s in of.strides.iter().filter(|s| s.store == store) {
            let elements = f64::from(s.size) / bytes / factor;
            known += elements;
            if s.bytes == 0 {
                continue;
            }
            if is_consecutive(of, s) {
                operands.consecutive += elements;
            } else if interleaved(of, s) {
                operands.interleaved += elements;
            } else if is_near(s.bytes / i64::from(s.size.max(1))) {
                operands.near += elements;
            } else {
                operands.collected += elements;
            }
        }
        operands.unknown = (f64::from(all) / bytes / factor - known).max(0.0);
    }
    (loads, stores)
}

/// A stride of so few elements is loaded as whole vectors.
fn is_near(elements: i64) -> bool {
    (2..=4).contains(&elements.unsigned_abs())
}

/// Measured time of a source iteration: that of all pieces where the iterations of all are known, else of this one.
fn nanoseconds(facts: &Facts, of: &LoopFacts, factor: f64) -> Option<f64> {
    let own = nanoseconds_per_iteration(facts, of)? / factor;
    let trips = of.trip_count.as_ref().filter(|t| t.group_complete && of.innermost && of.calls.is_empty());
    let Some(all) = trips.and_then(|t| t.group_iterations).filter(|n| *n > 0) else { return Some(own) };
    let seconds: f64 = facts.group(of).map(|l| l.self_seconds).sum();
    Some(seconds * 1e9 / all as f64).filter(|ns| *ns > 0.0 && ns.is_finite()).or(Some(own))
}

/// Levels of memory, the slowest first.
const LEVELS: [MemoryLevel; 4] = [MemoryLevel::Dram, MemoryLevel::L3, MemoryLevel::L2, MemoryLevel::L1];
/// A loop this much faster than a level delivers has its data nearer: bandwidths and times vary by a few percent.
const FASTER_THAN_LEVEL: f64 = 0.9;

/// Cycles of a source iteration that memory needs.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Delivered {
    least: f64,
    likely: f64,
    most: f64,
}

/// From the simulated traffic; else from nothing over what L2 takes to what the slowest level takes that can have served the
/// loop.
fn memory(
    facts: &Facts,
    of: &LoopFacts,
    machine: &MachineFacts,
    body: &Body,
    (now, counted): (f64, bool),
    consecutive: bool,
) -> Delivered {
    if let Some((traced, memory)) = facts.traced(of).and_then(|t| Some((t, t.memory.as_ref()?))) {
        let traffic = traffic(facts, traced);
        if traffic.timed || traffic.deliveries.is_empty() {
            let (least, most) = traffic.share();
            // Consecutive elements fetch no more of a line than is used.
            let used = memory.utilisation.filter(|used| consecutive && *used > 0.0).unwrap_or(1.0).min(1.0);
            let part = |part: f64| (least + (most - least) * part) * now * used;
            return Delivered {
                least: part(LEVEL_IN_TIME / 2.0),
                likely: part(LEVEL_IN_TIME),
                most: part(2.0 * LEVEL_IN_TIME),
            };
        }
    }
    let ghz = machine.clock_ghz().unwrap_or(USUAL_GHZ);
    let sum = |o: &Operands| o.consecutive + o.interleaved + o.near + o.collected + o.unknown;
    let bytes = (sum(&body.loads) + sum(&body.stores)) * f64::from(element(of).bits() / 8);
    let needed = |level: MemoryLevel| machine.bandwidth(level).map(|gbytes| bytes / gbytes * ghz);
    let slowest =
        LEVELS.into_iter().filter_map(needed).find(|cycles| !counted || now >= FASTER_THAN_LEVEL * cycles);
    let most = slowest.unwrap_or(0.0);
    Delivered { least: 0.0, likely: needed(MemoryLevel::L2).unwrap_or(0.0).min(most), most }
}

/// Source iterations per entry with the number of entries.
fn entries(of: &LoopFacts, factor: f64) -> Vec<(f64, f64)> {
    let Some(trips) = of.trip_count.as_ref() else {
        return of
            .constant_trips
            .map(|n| (n as f64 * factor, 1.0))
            .into_iter()
            .filter(|(n, _)| *n >= 1.0)
            .collect();
    };
    if factor <= 1.0 && trips.group_complete {
        let steps = distribution(trips);
        let all: Vec<(f64, f64)> = steps
            .iter()
            .filter(|(low, _, _)| *low > 0)
            .map(|&(low, high, entries)| (((low as f64 + high as f64) / 2.0).round(), entries as f64))
            .collect();
        if !all.is_empty() {
            return all;
        }
    }
    let mean = trips.source_mean.or(trips.mean.map(|mean| mean * factor));
    mean.filter(|n| *n >= 1.0).map(|n| (n, 1.0)).into_iter().collect()
}
