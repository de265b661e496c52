//! Puts the parts together: one function in, its facts out.

use super::blocks::{BlockId, Graph};
use super::body::{self, Body};
use super::callees::{self, Callees};
use super::carried;
use super::chains::{self, Chain};
use super::decode;
use super::memo::Returns;
use super::nest::Nest;
use super::origin::{Origin, Places, Position};
use super::places::{self, Known};
use super::source::CodeSource;
use super::step::{self, Places as Written};
use super::{
    Error, affine, groups, idiom, inlined, lanes, listing, operands, other_stores, summary, trips, vectors,
};
use crate::facts::{
    CarriedChain, CarriedKind, CarriedValue, ChainKind, FunctionCode, FunctionInfo, IrreducibleRegion,
    LoopCode, LoopRole, OperandUse, Trait,
};
use crate::image::Image;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// Analyses the function with this index in the image's list.
pub fn analyze(image: &Image, function: usize) -> Result<FunctionCode, Error> {
    analyze_indexed(image, function, true)
}

/// The same without the listing and the files that it names.
pub fn analyze_unlisted(image: &Image, function: usize) -> Result<FunctionCode, Error> {
    analyze_indexed(image, function, false)
}

fn analyze_indexed(image: &Image, function: usize, listed: bool) -> Result<FunctionCode, Error> {
    let info = image.function(function).ok_or(Error::NoSuchFunction(function))?;
    let mut code = analyze_code(image, info, listed)?;
    code.location = image.definition(function);
    code.producer = image.producer_at(info.address).map(str::to_owned);
    code.unit = image.unit_at(info.address);
    Ok(code)
}

/// Analyses one function of any source of code.
pub fn analyze_function(source: &dyn CodeSource, function: &FunctionInfo) -> Result<FunctionCode, Error> {
    analyze_code(source, function, true)
}

fn analyze_code(
    source: &dyn CodeSource,
    function: &FunctionInfo,
    listed: bool,
) -> Result<FunctionCode, Error> {
    let own = Returns::default();
    let returns = source.memo().map_or(&own, |memo| &memo.returns);
    let decoded = decode::decode(source, function, returns);
    if decoded.instructions.is_empty() {
        return Err(Error::NoCode { name: function.name.clone(), address: function.address });
    }
    let graph = Graph::new(&decoded);
    let nest = Nest::new(&graph);
    let mut places = Places::new(source, &graph);
    let (loops, known) = Loops::new(source, function, &graph, &nest).run(&mut places);
    let (source_places, operations) = places::find(source, &graph, &nest, &places, &known);
    let inlined = inlined::find(&graph, &places, function.address);
    let other_stores = other_stores::find(source, &graph, &nest, &places);
    let (instructions, files) = if listed {
        (listing::lines(source, &graph, &nest, &places), places.files)
    } else {
        Default::default()
    };
    let irreducible = nest
        .irreducible
        .iter()
        .map(|(entries, blocks)| IrreducibleRegion {
            entries: entries.iter().map(|&b| graph.blocks[b as usize].start).collect(),
            ranges: ranges(&graph, blocks),
        })
        .collect();
    Ok(FunctionCode {
        function: function.clone(),
        location: None,
        producer: None,
        unit: None,
        loops,
        irreducible,
        unresolved_jumps: decoded.unresolved.clone(),
        files,
        instructions,
        places: source_places,
        operations,
        inlined,
        other_stores: Some(other_stores),
    })
}

/// The loops of one function under analysis.
struct Loops<'a> {
    source: &'a dyn CodeSource,
    function: body::Function<'a>,
    written: Vec<Written>,
    /// The function is the outlined body of a parallel region.
    outlined: bool,
    constants: carried::Constants<'a>,
}

/// What is known of one loop before the verdict.
struct Parts {
    body: Body,
    chains: Vec<Chain>,
    origin: Origin,
    /// Line of each step in the file of the loop's position; 0 where it has none.
    lines: Vec<u32>,
}

impl<'a> Loops<'a> {
    fn new(source: &'a dyn CodeSource, function: &FunctionInfo, graph: &'a Graph, nest: &'a Nest) -> Self {
        let mut rank = vec![u32::MAX; graph.blocks.len()];
        for (k, &b) in nest.dominators.order.iter().enumerate() {
            rank[b as usize] = k as u32;
        }
        let outlined = function.name.contains("._omp_fn");
        let callees = Callees::new(source);
        let written = body::written_by_blocks(graph, nest);
        let constants = carried::Constants::new(source, graph);
        let steps = if nest.loops.is_empty() { Vec::new() } else { body::steps(graph) };
        let function = body::Function { graph, nest, rank, callees, steps };
        Self { source, function, written, outlined, constants }
    }

    fn run(&self, places: &mut Places) -> (Vec<LoopCode>, Known) {
        let mut known = Known::default();
        let count = self.function.nest.loops.len();
        let mut out: Vec<Option<LoopCode>> = (0..count).map(|_| None).collect();
        let mut origins: Vec<Origin> = vec![Origin::default(); count];
        // Source positions of the arithmetic of all loops inside, passed outwards; inner loops first.
        let mut inside: Vec<HashSet<(u32, Position)>> = vec![HashSet::default(); count];
        for index in (0..count).rev() {
            let parts = self.parts(index as u32, places);
            let code = self.describe(index as u32, &parts, places, &inside[index]);
            note(&parts, &code, &mut known);
            if let Some(parent) = self.function.nest.loops[index].parent {
                let mut arithmetic = std::mem::take(&mut inside[index]);
                arithmetic.extend(
                    parts
                        .body
                        .steps
                        .iter()
                        .filter(|s| s.operation.is_arithmetic())
                        .filter_map(|s| places.key(s.at)),
                );
                inside[parent as usize].extend(arithmetic);
            }
            origins[index] = parts.origin;
            out[index] = Some(code);
        }
        let mut loops: Vec<LoopCode> = out.into_iter().flatten().collect();
        self.keep_inside(&mut loops, &mut origins, places);
        groups::assign(self.function.graph, self.function.nest, &mut loops, &origins);
        (loops, known)
    }

    fn parts(&self, index: u32, places: &mut Places) -> Parts {
        let body = Body::new(&self.function, index, &self.written);
        let lanes = lanes::analyze(&body);
        let chains = chains::find(&body, &lanes, self.function.nest.loops[index as usize].innermost);
        let origin =
            places.origin(self.outlined, self.function.graph, self.function.nest, index, &body, &chains);
        let file = origin.position.map(|p| p.file);
        let line_of = |at: usize| {
            places.seen_from(at, &origin.chain).filter(|p| Some(p.file) == file).map_or(0, |p| p.line)
        };
        let lines = body.steps.iter().map(|s| s.at).map(line_of).collect();
        Parts { body, chains, origin, lines }
    }

    fn describe(
        &self,
        index: u32,
        parts: &Parts,
        places: &Places,
        inside: &HashSet<(u32, Position)>,
    ) -> LoopCode {
        let l = &self.function.nest.loops[index as usize];
        let Parts { body, chains, origin, lines } = parts;
        let lanes = lanes::analyze(body);
        let foreign = |s: usize| {
            !inside.is_empty() && places.key(body.steps[s].at).is_some_and(|k| inside.contains(&k))
        };
        let callees = self.callees(body);
        let mut verdict = vectors::judge(body, &lanes, l.innermost, &foreign, &callees);
        let data = vectors::data_arithmetic(body);
        let sums = summary::summarize(self.source, body, &lanes, &|s| !data.contains(&s));
        let mut strides = affine::strides(body, chains);
        for s in &mut strides {
            s.fact.line = lines[s.step];
        }
        if let Some(vector) = &mut verdict.vector {
            vector.unroll = affine::unroll(body, &strides, vector.bits);
        }
        let mut traits = sums.traits;
        let (spills, spilled_vectors) = affine::spills(body, chains);
        if spills > 0 {
            traits.insert(Trait::Spill);
        }
        let exits = self.exits(index);
        let handover = self.handover(index);
        if exits > 1 && handover.ends.as_ref().is_none_or(|ends| !ends.data.is_empty()) {
            traits.insert(Trait::EarlyExit);
        }
        let context =
            trips::Context { graph: self.function.graph, nest: self.function.nest, written: &self.written };
        let repeats = |place| trips::repeats_one_byte(&context, index, place);
        LoopCode {
            index,
            header: self.function.graph.blocks[l.header as usize].start,
            ranges: ranges(self.function.graph, &l.body),
            parent: l.parent,
            depth: l.depth,
            innermost: l.innermost,
            location: origin.position.map(|p| places.location(p)),
            lines: origin.lines,
            inlined_from: places.inlined(&origin.chain),
            role: LoopRole::Whole,
            group: index,
            instructions: body.steps.len() as u32,
            mix: sums.mix,
            vectorized: verdict.vectorized,
            idiom: idiom::find(body, &strides, l.innermost, &repeats),
            vector: verdict.vector,
            types: verdict.types,
            traits: traits.into_iter().collect(),
            calls: sums.calls,
            exits,
            constant_trips: trips::constant(&context, index, body, chains),
            chains: chains.iter().map(|c| as_followed(c.fact(body), handover.carried.as_deref())).collect(),
            carried: handover.carried,
            ends: handover.ends,
            followed: handover.followed,
            counter_stores: handover.counter_stores,
            keeps_stack: handover.keeps_stack,
            address_classes: handover.address_classes,
            bytes_loaded: sums.bytes_loaded,
            bytes_stored: sums.bytes_stored,
            flop: sums.flop,
            strides: strides.into_iter().map(|s| s.fact).collect(),
            operands: OperandUse {
                position_tests: handover.tests.0,
                data_tests: handover.tests.1,
                spilled_vectors,
                ..operands::uses(body)
            },
        }
    }

    /// The values that iterations of a loop pass to each other.
    fn handover(&self, index: u32) -> carried::Handover {
        let body = Body::whole(&self.function, index);
        let l = &self.function.nest.loops[index as usize];
        carried::find(&self.function, l, &body, &self.constants)
    }

    /// Corrects the position of a loop that precedes the statement of the loop around it although its instructions do
    /// not: a position taken from its guard may be that of the outer loop, to which the compiler moved the guard.
    fn keep_inside(&self, loops: &mut [LoopCode], origins: &mut [Origin], places: &Places) {
        for k in 0..loops.len() {
            let Some(outer) = loops[k].parent.map(|p| origins[p as usize].clone()) else { continue };
            let (Some(mine), Some(around)) = (origins[k].position, outer.position) else { continue };
            let first = origins[k].first.filter(|f| f.file == mine.file && f.line > around.line);
            if mine.file == around.file
                && mine.line <= around.line
                && origins[k].chain == outer.chain
                && let Some(first) = first
            {
                origins[k].position = Some(first);
                loops[k].location = Some(places.location(first));
                loops[k].lines = loops[k].lines.map(|(_, last)| (first.line, last));
            }
        }
    }

    /// Called vector variants of functions, by step.
    fn callees(&self, body: &Body) -> HashMap<usize, vectors::VectorCallee> {
        let calls = body.steps.iter().enumerate().filter(|(_, s)| step::is_call(&s.instruction));
        let named = calls.filter_map(|(k, s)| {
            let name = callees::call_site(self.source, &s.instruction).target?;
            Some((k, vectors::VectorCallee::of(&name)?))
        });
        named.collect()
    }

    /// Edges that leave the loop; a way out of the function is one.
    fn exits(&self, index: u32) -> u32 {
        let l = &self.function.nest.loops[index as usize];
        let edges = l.body.iter().map(|&b| {
            let block = &self.function.graph.blocks[b as usize];
            let out = block.successors.iter().filter(|s| l.body.binary_search(s).is_err());
            // Exception handlers do not count as exits of the loop.
            out.filter(|s| !self.is_landing_pad(**s)).count() as u32 + u32::from(block.leaves)
        });
        edges.sum()
    }

    fn is_landing_pad(&self, block: BlockId) -> bool {
        self.function.graph.pads.binary_search(&block).is_ok()
    }
}

/// A counter that advances by what the loop finds in the frame (a stride for which no register is left) is no recurrence: following
/// its values shows that.
fn as_followed(chain: CarriedChain, carried: Option<&[CarriedValue]>) -> CarriedChain {
    let counts = |value: &CarriedValue| {
        value.kind == CarriedKind::Induction
            && value.writers.iter().any(|writer| chain.instructions.contains(writer))
    };
    let counts = chain.kind == ChainKind::Recurrence && carried.is_some_and(|all| all.iter().any(counts));
    CarriedChain { kind: if counts { ChainKind::Induction } else { chain.kind }, ..chain }
}

/// Notes what is known of a loop's own instructions.
fn note(parts: &Parts, code: &LoopCode, known: &mut Known) {
    let body = &parts.body;
    let always =
        body.blocks.iter().filter(|block| block.always).flat_map(|block| block.steps.0..block.steps.1);
    known.always.extend(always.map(|s| body.steps[s].at));
    known.data.extend(vectors::data_arithmetic(body).into_iter().map(|s| body.steps[s].at));
    // In an enclosing loop, an operand with a fixed address may be the first element of a peeled inner loop.
    if !code.innermost {
        return;
    }
    let still: HashSet<u64> = code.strides.iter().filter(|s| s.bytes == 0).map(|s| s.address).collect();
    let invariant = body.steps.iter().filter(|s| still.contains(&s.instruction.ip()));
    known.invariant.extend(invariant.map(|s| s.at));
}

/// Address ranges of blocks, adjacent ones joined.
fn ranges(graph: &Graph, blocks: &[BlockId]) -> Vec<(u64, u64)> {
    let mut out: Vec<(u64, u64)> = Vec::new();
    for b in blocks.iter().filter_map(|&b| graph.blocks.get(b as usize)) {
        match out.last_mut() {
            Some(last) if last.1 == b.start => last.1 = b.end,
            _ => out.push((b.start, b.end)),
        }
    }
    out
}
