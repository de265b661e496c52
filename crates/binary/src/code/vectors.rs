//! Whether a loop's arithmetic is packed across iterations, and how wide.
//!
//! The rule (docs of the JSON contract): most of the arithmetic that the loop executes is packed,
//! floating-point if it has any, else integer. "Executes" means the blocks that run in every iteration;
//! conditional blocks count only where the others hold no arithmetic, also in outer loops. Not counted at
//! all: sums across the lanes of one register (the end of a reduction), address arithmetic and loop control
//! (tests of floating-point numbers count only where there is nothing else). Floating-point work is counted
//! by instructions, so that in-order sums, which multiply packed and add one by one, are not called
//! vectorised. Where a loop only converts, the conversions decide; where it only flips signs or masks, that
//! logic; where it only moves data, packed loads and stores that cover a contiguous stretch do.

use super::body::Body;
use super::lanes::{Lanes, register_bits};
use super::operation::{Class, isa_of};
use super::step::{CARRY, Slot, Step};
use crate::facts::{ElementType, Isa, VectorUse};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::collections::BTreeMap;

/// The kinds of arithmetic, in the order in which they decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Float,
    Integer,
    Convert,
    FloatLogic,
}

/// A step that is counted.
#[derive(Clone, Copy, Debug)]
struct Counted {
    step: usize,
    kind: Kind,
    packed: bool,
}

/// The verdict on one loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Most of the arithmetic is packed.
    pub vectorized: bool,
    /// Details when any is.
    pub vector: Option<VectorUse>,
    /// Element types of all own arithmetic, dominant first.
    pub types: Vec<ElementType>,
    /// Steps whose arithmetic is packed across iterations.
    pub packed_steps: Vec<usize>,
}

/// A vector variant of a function: each call computes as many results as its vectors have lanes. (What a scalar
/// function does is not the calling loop's arithmetic.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorCallee {
    /// Width of its vectors.
    pub bits: u32,
}

impl VectorCallee {
    /// Reads the name: vector variants are mangled as `_ZGV<isa><mask><lanes><parameters>_<name>` (x86
    /// "Vector Function ABI"), Intel's are called `__svml_<name><lanes>`.
    pub fn of(name: &str) -> Option<Self> {
        if let Some(rest) = name.strip_prefix("_ZGV") {
            let bits = match rest.bytes().next()? {
                b'b' => 128,
                b'c' | b'd' => 256,
                b'e' => 512,
                _ => return None,
            };
            return Some(Self { bits });
        }
        if let Some(rest) = name.strip_prefix("__svml_") {
            let lanes: u32 = rest
                .chars()
                .rev()
                .take_while(char::is_ascii_digit)
                .collect::<String>()
                .chars()
                .rev()
                .collect::<String>()
                .parse()
                .ok()?;
            let element =
                if rest.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with('f') { 32 } else { 64 };
            return Some(Self { bits: lanes.saturating_mul(element).min(512) });
        }
        None
    }
}

/// Judges a loop. `foreign` marks steps that belong to an inner loop's source (its unrolled remainder, for
/// example); `innermost` loops may fall back to conditional blocks; `callees` are the known called functions
/// by step.
pub fn judge(
    body: &Body,
    lanes: &[Lanes],
    innermost: bool,
    foreign: &dyn Fn(usize) -> bool,
    callees: &HashMap<usize, VectorCallee>,
) -> Verdict {
    let data = data_arithmetic(body);
    let called = |s: usize| callees.get(&s).map(|_| Counted { step: s, kind: Kind::Float, packed: true });
    let counted = |s: usize| called(s).or_else(|| count(body, lanes, &data, s));
    let all: Vec<Counted> = (0..body.steps.len()).filter(|&s| !foreign(s)).filter_map(counted).collect();
    let always: HashSet<usize> =
        body.blocks.iter().filter(|b| b.always).flat_map(|b| b.steps.0..b.steps.1).collect();
    let chosen = |hot: bool, control: bool| -> Vec<Counted> {
        let wanted = |c: &&Counted| {
            (!hot || always.contains(&c.step)) && (control || !decides_way(&body.steps[c.step]))
        };
        all.iter().filter(wanted).copied().collect()
    };
    let choices =
        [(true, false), (false, false), (true, true)].into_iter().map(|(hot, control)| chosen(hot, control));
    let deciding = choices.into_iter().find(|chosen| !chosen.is_empty()).unwrap_or_default();
    let kind = deciding.iter().map(|c| c.kind).min();
    let of_kind: Vec<&Counted> = deciding.iter().filter(|c| Some(c.kind) == kind).collect();
    let packed = of_kind.iter().filter(|c| c.packed).count();
    let (vectorized, share) = match kind {
        None if innermost => {
            let moves = moves_packed(body, lanes);
            (moves, f64::from(u8::from(moves)))
        }
        None => (false, 0.0),
        // Integer work is counted by elements: addresses that are stored or gathered element by element
        // are computed with scalar instructions beside few packed ones.
        Some(Kind::Integer) => {
            let lanes_of = |c: &&&Counted| {
                let step = &body.steps[c.step];
                let element = step.operation.element.map_or(32, ElementType::bits);
                (live_bits(step, &lanes[c.step]) / element).max(1) as usize
            };
            let elements: usize = of_kind.iter().filter(|c| c.packed).map(|c| lanes_of(&c)).sum();
            (elements > of_kind.len() - packed, packed as f64 / of_kind.len() as f64)
        }
        Some(_) => (2 * packed > of_kind.len(), packed as f64 / of_kind.len() as f64),
    };
    let packed_steps: Vec<usize> = if kind.is_none() && vectorized {
        (0..body.steps.len()).filter(|&s| moves_vector(&body.steps[s], &lanes[s])).collect()
    } else if packed > 0 {
        of_kind.iter().filter(|c| c.packed).map(|c| c.step).collect()
    } else {
        all.iter().filter(|c| c.packed).map(|c| c.step).collect()
    };
    let types = ranked(all.iter().filter_map(|c| body.steps[c.step].operation.element));
    let vector = describe(body, lanes, &packed_steps, share, callees);
    Verdict { vectorized, vector, types, packed_steps }
}

/// A comparison of two numbers that sets flags for a branch; it counts only in a search whose test is the
/// only arithmetic.
fn decides_way(step: &Step) -> bool {
    step.operation.class == Class::Compare
        && step.operation.is_float()
        && step.writes.iter().all(|&w| w == CARRY)
}

/// Element types, most frequent first.
fn ranked(types: impl Iterator<Item = ElementType>) -> Vec<ElementType> {
    let mut counts: BTreeMap<ElementType, usize> = BTreeMap::new();
    types.for_each(|t| *counts.entry(t).or_default() += 1);
    let mut ranked: Vec<_> = counts.into_iter().collect();
    ranked.sort_by_key(|&(t, n)| (std::cmp::Reverse(n), t));
    ranked.into_iter().map(|(t, _)| t).collect()
}

fn count(body: &Body, lanes: &[Lanes], data: &HashSet<usize>, at: usize) -> Option<Counted> {
    let step = &body.steps[at];
    let operation = &step.operation;
    if !operation.is_arithmetic() || lanes[at].horizontal {
        return None;
    }
    let live = live_bits(step, &lanes[at]);
    // Logic works on bits: `xorps` negates a double as well.
    let element = match operation.class {
        Class::Logic => 64,
        _ => operation.element.map_or(64, ElementType::bits),
    };
    let packed = operation.vector && operation.packed && live > element;
    let kind = match operation.class {
        Class::Convert => Kind::Convert,
        Class::Logic if operation.is_float() => Kind::FloatLogic,
        _ if operation.is_float() => Kind::Float,
        _ if operation.vector => {
            // Zeroing a register is not arithmetic; scalar integers in vector registers are rare.
            if step.reads.is_empty() && step.memory.is_none() {
                return None;
            }
            Kind::Integer
        }
        _ if data.contains(&at) => Kind::Integer,
        _ => return None,
    };
    if kind == Kind::FloatLogic && step.reads.is_empty() && step.memory.is_none() {
        return None;
    }
    Some(Counted { step: at, kind, packed })
}

fn live_bits(step: &Step, lanes: &Lanes) -> u32 {
    if lanes.bits == 0 { register_bits(&step.instruction) } else { lanes.bits }
}

/// Scalar integer arithmetic whose results are data: stored, put into vectors or accumulated. The rest forms
/// addresses and controls the loop.
pub fn data_arithmetic(body: &Body) -> HashSet<usize> {
    let scalar =
        |s: &Step| !s.operation.vector && s.operation.is_arithmetic() && s.operation.class != Class::Compare;
    let mut slots: HashSet<Slot> = HashSet::default();
    for s in &body.steps {
        let stores = s.memory.is_some_and(|m| m.store && m.slot.is_none());
        let sink = stores || s.operation.vector;
        let accumulates = scalar(s) && s.reads.iter().any(|r| s.writes.contains(r)) && {
            let varying = s.reads.iter().any(|r| !s.writes.contains(r) && body.changes(*r));
            varying || s.memory.is_some_and(|m| m.load && m.slot.is_none())
        };
        if sink || accumulates {
            slots.extend(s.reads.iter().filter(|&&r| r < 16));
        }
    }
    loop {
        let before = slots.len();
        for s in body.steps.iter().filter(|s| !s.operation.vector) {
            if s.writes.iter().any(|w| slots.contains(w)) {
                slots.extend(s.reads.iter().filter(|&&r| r < 16));
            }
        }
        if slots.len() == before {
            break;
        }
    }
    let constant_increment = |s: &Step| {
        s.operation.class == Class::Add && s.reads.iter().all(|r| s.writes.contains(r)) && s.memory.is_none()
    };
    let keeps = |s: &Step| {
        scalar(s)
            && !constant_increment(s)
            && (s.writes.iter().any(|w| slots.contains(w))
                || s.memory.is_some_and(|m| m.store && m.slot.is_none()))
    };
    (0..body.steps.len()).filter(|&k| keeps(&body.steps[k])).collect()
}

fn moves_vector(step: &Step, lanes: &Lanes) -> bool {
    let wide = step.operation.class == Class::Move && step.operation.packed;
    let stores = step.memory.is_some_and(|m| m.store && m.size >= 16);
    // A scatter stores a vector, lane by lane; so does the store of what `vcompress` packs.
    let lane_by_lane = matches!(step.operation.class, Class::Scatter | Class::Compress);
    stores && (lane_by_lane || wide && lanes.bits != 32 && lanes.bits != 64)
}

/// A loop without arithmetic is packed when its stores are.
fn moves_packed(body: &Body, lanes: &[Lanes]) -> bool {
    let (mut wide, mut narrow) = (0, 0);
    for (s, l) in body.steps.iter().zip(lanes) {
        let Some(m) = s.memory.filter(|m| m.store && m.slot.is_none() && !m.on_stack()) else { continue };
        if moves_vector(s, l) {
            wide += m.size;
        } else {
            narrow += m.size;
        }
    }
    wide > narrow
}

fn describe(
    body: &Body,
    lanes: &[Lanes],
    packed: &[usize],
    share: f64,
    callees: &HashMap<usize, VectorCallee>,
) -> Option<VectorUse> {
    let isa = packed.iter().map(|&s| isa_of(&body.steps[s].instruction)).max()?;
    let width = |s: usize| match callees.get(&s) {
        Some(callee) => callee.bits,
        _ => live_bits(&body.steps[s], &lanes[s]),
    };
    let bits = packed.iter().map(|&s| width(s)).max()?;
    // A vector call is as wide as its ABI; the caller's moves show at least SSE2.
    let isa = match bits {
        _ if isa > Isa::X87 => isa,
        256 => Isa::AVX2,
        512 => Isa::AVX512F,
        _ => Isa::SSE2,
    };
    let mut types = ranked(packed.iter().filter_map(|&s| body.steps[s].operation.element));
    if types.is_empty() {
        // Logic and moves do not name their elements: the loop's other instructions may.
        types = ranked(body.steps.iter().filter_map(|s| s.operation.element.filter(|_| s.operation.vector)));
    }
    let element = types.first().map_or(8, |t| t.bits());
    let isa = if bits > 256 { isa.max(Isa::AVX512F) } else { isa };
    Some(VectorUse { isa, bits, length: (bits / element).max(1), unroll: 1, types, packed_share: share })
}
