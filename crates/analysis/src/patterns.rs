//! What tracing runs say of each loop as written: accesses, dependences, caches, sharing, branches.
//!
//! The facts are those of machine loops and instructions; here they are lifted to source loops and expressions. How each
//! number is computed is documented in `docs/patterns.md`.

mod access;
mod branches;
mod dependence;
pub(crate) mod expression;
mod jobs;
mod memory;
mod sharing;

#[cfg(test)]
mod tests;

use crate::counts::{Builds, Joined, LoopRow, jobs};
use crate::model::{
    AccessFacts, BranchFacts, DependenceFacts, MemoryFacts, SharingFacts, TracingFacts, WorkRow,
};
use crate::resolve::Entities;
use crate::unmeasured::Unmeasured;
use expression::{Read, Sources};
use jobs::{Job, TracedRun};
use loopwright_binary::facts::{FunctionCode, LoopCode, VariableInfo};
use loopwright_costs::Core;
use loopwright_experiment::{CodeModule, Facts, Listing};
use loopwright_patterns::facts::LoopPatterns;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What tracing adds to a loop.
#[derive(Clone, Debug, Default)]
pub(crate) struct PatternRow {
    pub access: Vec<AccessFacts>,
    pub dependence: Option<DependenceFacts>,
    pub memory: Option<MemoryFacts>,
    pub sharing: Option<SharingFacts>,
    pub branches: Vec<BranchFacts>,
    pub not_traced: Option<Unmeasured>,
}

/// A traced loop with everything that is known of it.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "the judgement of dependences and caches reads the rest")]
pub(crate) struct Traced<'a> {
    /// The run; of several ranks, their union.
    pub run: &'a TracedRun,
    /// What was seen.
    pub seen: &'a LoopPatterns,
    /// The loop's code.
    pub code: &'a LoopCode,
    /// Its function's code, without the listing: see [`Traced::listing`].
    pub function: &'a FunctionCode,
    /// Index into [`Entities::loops`].
    pub index: u32,
    /// All functions and loops.
    pub entities: &'a Entities<'a>,
    /// What was counted of the loop's own blocks in the whole run, when counts exist.
    pub work: Option<&'a WorkRow>,
    /// The same of own and inner blocks.
    pub total_work: Option<&'a WorkRow>,
    /// Machine iterations in the whole run, when counts exist.
    pub iterations: Option<u64>,
    /// Peak resident set of the surveyed program's largest process, in bytes.
    pub resident: Option<u64>,
    /// Source iterations of one machine iteration, as the code of all pieces of the written loop shows: an operand's
    /// strides may show it better.
    pub factor: u32,
    /// Text of source files, by path as the binary names them.
    pub sources: &'a dyn Read,
    listings: &'a BTreeMap<i64, Listing>,
    functions: &'a HashMap<(u32, u64), u32>,
    headers: &'a Headers<'a>,
}

/// Index into [`Entities::loops`] by module path and header.
type Headers<'a> = HashMap<(&'a str, u64), u32>;

/// The source position of an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Source file.
    pub file: Option<String>,
    /// Source line.
    pub line: Option<u32>,
    /// Column, 1-based, where DWARF has it.
    pub column: Option<u32>,
    /// Function, when it is not the loop's own.
    pub function: Option<String>,
}

impl<'a> Traced<'a> {
    /// The listing of a function by module and entry address.
    pub fn listing(&self, module: u32, function: u64) -> Option<&'a Listing> {
        let index = self.functions.get(&(module, function))?;
        self.listings.get(&self.entities.functions[*index as usize].stored?.id)
    }

    /// The source position of the instruction at `address` of a function.
    pub fn spot(&self, module: u32, function: u64, address: u64) -> Spot {
        let own = (module, function) == (self.seen.module, self.seen.function);
        let entity = self.functions.get(&(module, function)).map(|&at| &self.entities.functions[at as usize]);
        let mut spot = Spot {
            function: (!own).then(|| entity.map_or(format!("func@{function:#x}"), |e| e.name.clone())),
            ..Spot::default()
        };
        let Some(listing) = self.listing(module, function) else { return spot };
        let Ok(at) = listing.instructions.binary_search_by_key(&address, |i| i.address) else { return spot };
        let line = &listing.instructions[at];
        spot.file = line.file.and_then(|file| listing.files.get(file as usize)).cloned();
        spot.line = Some(line.line).filter(|&line| line > 0);
        spot.column = Some(line.column).filter(|&column| column > 0);
        spot
    }

    /// The smallest variable that holds the addresses `[low, high)` of the process whole.
    pub fn variable(&self, low: u64, high: u64) -> Option<&'a VariableInfo> {
        let holding = |module: &'a CodeModule| {
            let bias = self.run.facts.modules.get(module.position as usize)?.bias?;
            let (low, high) = (low.checked_sub(bias)?, high.checked_sub(bias)?);
            let variables = module.facts.variables.iter();
            variables
                .filter(|v| v.address <= low && high <= v.address.saturating_add(v.size))
                .min_by_key(|v| v.size)
        };
        self.run.code.iter().filter_map(holding).min_by_key(|v| v.size)
    }

    /// Index into [`Entities::loops`] of a loop by its header, in any traced function.
    pub fn loop_at(&self, module: u32, header: u64) -> Option<u32> {
        let path = &self.run.facts.modules.get(module as usize)?.path;
        self.headers.get(&(path.as_str(), header)).copied()
    }

    /// Number and place (`file:line`, else the address) of a loop by its header.
    pub fn loop_named(&self, module: u32, header: u64) -> (Option<u32>, String) {
        let Some(index) = self.loop_at(module, header) else { return (None, format!("{header:#x}")) };
        let entity = &self.entities.loops[index as usize];
        (Some(entity.id), crate::place::short(entity.code))
    }
}

/// What all tracing runs say.
#[derive(Default)]
pub(crate) struct Patterns {
    rows: HashMap<u32, PatternRow>,
    /// Loops that were seen running while others were traced.
    around: BTreeSet<u32>,
    summary: Option<TracingFacts>,
}

impl Patterns {
    /// Joins all tracing runs with the loops; `core` has the cost of a misprediction.
    pub fn new(facts: &Facts, entities: &Entities, counts: &Joined, builds: &Builds, core: &Core) -> Self {
        let jobs: Vec<Job> =
            jobs(&facts.traced).iter().map(|runs| Job::new(facts, entities, builds, runs)).collect();
        let headers = entities.headers();
        let mut patterns = Self { summary: summary(&jobs, core), ..Self::default() };
        let sources = Sources::new(&facts.sources);
        let mut loops: BTreeSet<u32> = BTreeSet::new();
        for job in &jobs {
            loops.extend(job.loops.keys());
            for (&index, reason) in &job.untraced {
                let row = patterns.rows.entry(index).or_default();
                row.not_traced.get_or_insert_with(|| reason.clone().into());
            }
        }
        for index in loops {
            // The newest run that looked for it decides, for strides and dependences apart.
            let newest = |wanted: &dyn Fn(&Job) -> bool| {
                jobs.iter().find(|job| wanted(job) && job.loops.contains_key(&index))
            };
            let row: LoopRow = counts.of_loop(index);
            let traced = |job| {
                traced(facts, &sources, entities, job, &headers, index, &row, counts.source_factor(index))
            };
            let strides = newest(&|job| job.run.facts.strides).and_then(traced);
            let dependences = newest(&|job| job.run.facts.dependences).and_then(traced);
            let into = patterns.rows.entry(index).or_default();
            into.not_traced = None;
            if let Some(traced) = &strides {
                into.access = access::access(traced);
                into.memory = memory::memory(traced, &into.access);
                into.sharing = sharing::sharing(traced);
                into.branches = branches::branches(traced, core.mispredict);
            }
            if let Some(traced) = &dependences {
                // Where no run looked for strides, the operands are still named.
                let named = match &strides {
                    Some(_) => into.access.clone(),
                    None => access::access(traced),
                };
                into.dependence = dependence::dependence(traced, &named);
            }
            for traced in strides.iter().chain(&dependences) {
                patterns.around.extend(entities.nest(Some(index)));
                let levels = traced.seen.sites.iter().flat_map(|site| &site.strides);
                patterns.around.extend(levels.filter_map(|level| traced.loop_at(level.module, level.header)));
            }
        }
        patterns.judge_pieces_together(entities);
        patterns
    }

    /// Body, remainder and versions of a loop as written have one verdict over its dependences.
    fn judge_pieces_together(&mut self, entities: &Entities) {
        let mut judged: Vec<u32> =
            self.rows.iter().filter(|(_, row)| row.dependence.is_some()).map(|(&index, _)| index).collect();
        judged.sort_unstable();
        // Loops at one place in the source (with its column) are pieces of one loop, too, where the code alone did not show it.
        let mut first: BTreeMap<(u32, Option<u32>, &str, u32, u32), u32> = BTreeMap::new();
        let mut group_of: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut groups: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for index in judged {
            let Some(entity) = entities.loops.get(index as usize) else { continue };
            let (function, own) = (entity.function, entity.code.group);
            let place = entity.code.location.as_ref().filter(|at| at.column > 0);
            let of_place = place.map(|at| {
                *first
                    .entry((function, entity.code.parent, at.file.as_str(), at.line, at.column))
                    .or_insert(own)
            });
            let group = *group_of.entry((function, own)).or_insert(of_place.unwrap_or(own));
            groups.entry((function, group)).or_default().push(index);
        }
        for mut members in groups.into_values() {
            members.sort_unstable();
            let role = |index: u32| entities.loops[index as usize].code.role;
            let mut pieces: Vec<_> = members
                .iter()
                .filter_map(|&index| Some((role(index), self.rows.get_mut(&index)?.dependence.take()?)))
                .collect();
            dependence::unite(&mut pieces);
            for (index, (_, facts)) in members.into_iter().zip(pieces) {
                self.rows.entry(index).or_default().dependence = Some(facts);
            }
        }
    }

    /// The loop was traced, or seen running around or inside one that was.
    pub fn ran(&self, index: u32) -> bool {
        self.around.contains(&index)
    }

    /// The user asked about the loop, and tracing it failed.
    pub fn asked(&self, index: u32) -> bool {
        self.rows.contains_key(&index)
    }

    /// The row of a loop.
    pub fn of_loop(&self, index: u32) -> PatternRow {
        self.rows.get(&index).cloned().unwrap_or_default()
    }

    /// The runs as a whole: the newest job's, and what it and earlier ones looked for.
    pub fn summary(&self) -> Option<TracingFacts> {
        self.summary.clone()
    }
}

#[allow(clippy::too_many_arguments, reason = "one call, of what only the caller knows")]
fn traced<'a>(
    facts: &'a Facts,
    sources: &'a dyn Read,
    entities: &'a Entities<'a>,
    job: &'a Job<'a>,
    headers: &'a Headers<'a>,
    index: u32,
    row: &'a LoopRow,
    factor: u32,
) -> Option<Traced<'a>> {
    let entity = entities.loops.get(index as usize)?;
    Some(Traced {
        run: &job.run,
        seen: job.run.facts.loops.get(*job.loops.get(&index)?)?,
        code: entity.code,
        function: &entities.functions.get(entity.function as usize)?.stored?.code,
        index,
        entities,
        work: row.work.as_ref(),
        total_work: row.total_work.as_ref(),
        iterations: row.trip_count.as_ref().map(|trips| trips.iterations),
        resident: facts.surveys.first().map(|s| s.target.peak_resident_bytes).filter(|&bytes| bytes > 0),
        factor,
        sources,
        listings: &facts.listings,
        functions: &job.functions,
        headers,
    })
}

/// The newest job that traced anything; what was looked for is that of all.
fn summary(jobs: &[Job], core: &Core) -> Option<TracingFacts> {
    let newest = &jobs.first()?.run.facts;
    // Simulated caches belong to the newest run that looked for strides: loops refer to them by position.
    let strided = jobs.iter().map(|job| &job.run.facts).find(|patterns| patterns.strides);
    Some(TracingFacts {
        strides: strided.is_some(),
        dependences: jobs.iter().any(|job| job.run.facts.dependences),
        exhaustive: newest.exhaustive,
        bursts: newest.bursts,
        accesses: newest.accesses,
        trace_bytes: newest.trace_bytes,
        elapsed_seconds: newest.elapsed_seconds,
        analysis_seconds: newest.analysis_seconds,
        hierarchies: strided.map(|patterns| patterns.hierarchies.clone()).unwrap_or_default(),
        predictor: strided.and_then(|patterns| patterns.predictor),
        mispredict_cycles: strided.and_then(|patterns| patterns.predictor).map(|_| core.mispredict),
        nodes: newest.nodes,
    })
}
