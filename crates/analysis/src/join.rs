//! Joins all facts of a state into the analysed program.

use crate::bottlenecks::{Around, Bottlenecks};
use crate::counts::{Builds, Joined, LoopRow};
use crate::gain::vector_facts;
use crate::listing;
use crate::machine::machine_facts;
use crate::model::{
    Analysis, FunctionFacts, InlinedFunction, LoopFacts, MachineFacts, ModuleSummary, SCHEMA, ThreadFacts,
    TimeShares, WorkRow,
};
use crate::patterns::{PatternRow, Patterns};
use crate::place::base_name;
use crate::program::program_facts;
use crate::resolve::{Entities, FunctionEntity, LoopEntity, resolve};
use crate::time::{Times, context_weights, seconds, times};
use crate::tree::tree;
use crate::usage::Usage;
use crate::warnings::warnings;
use crate::why_not::Reasons;
use loopwright_costs::{Core, Microarchitecture};
use loopwright_experiment::{Facts, Listing, Run};
use loopwright_sample::recording::ModuleKind;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Computes everything that is shown from the facts of a state.
pub fn analyse(facts: &Facts) -> Analysis {
    let usage = Usage::of(facts);
    let builds = Builds::of(facts);
    let entities = resolve(facts, &builds);
    let weights: Vec<_> = (0..facts.surveys.len()).map(|s| context_weights(facts, &usage, s)).collect();
    let times = times(facts, &entities, &weights);
    let reasons = Reasons::new(&facts.remarks);
    let machine = facts.machine().map(machine_facts);
    let core = Core::of(machine.as_ref().and_then(|machine| machine.core));
    let ceilings = machine.as_ref().and_then(|machine| machine.ceilings.as_ref());
    let counts = Joined::new(facts, &entities, &times, ceilings, &builds);
    let patterns = Patterns::new(facts, &entities, &counts, &builds, core);
    let known = machine.as_ref().and_then(|machine| machine.core).map(Microarchitecture::core);
    let bottlenecks = Bottlenecks::new(facts, &entities, &builds);
    let runs = (&counts, &patterns, &bottlenecks);
    let loops =
        loop_facts(&entities, &times, &reasons, runs, &facts.listings, (core, known), machine.as_ref());
    let inlined = crate::inlined::inlined(facts, &entities, &weights, &times);
    let functions = function_facts(&entities, &times, &counts, &facts.listings, inlined);
    let summary = counts.summary();
    let mut program = program_facts(facts, &entities, &times, &usage);
    program.time = time_shares(&entities, &times);
    program.elapsed = crate::elapsed::elapsed(facts, &entities, &program.cpu_usage);
    program.kernel = crate::elapsed::kernel(facts, &entities, &times);
    program.load = crate::elapsed::load(facts);
    let name = program.command.join(" ");
    let mut analysis = Analysis {
        schema: SCHEMA,
        machine,
        counts: summary,
        tracing: patterns.summary(),
        top_down: crate::top_down::facts(facts, &builds, &loops),
        trials: facts.trials.last().map(|run| crate::tried::facts(&run.facts)),
        tuning: facts.tuning.last().map(|run| crate::tuned::facts(&run.facts)),
        reproduction: facts.reproductions.last().map(|run| crate::reproduced::facts(&run.facts)),
        energy: crate::energy::facts(facts, &loops, &functions),
        comm: crate::comm::facts(facts, &loops),
        io: crate::io::facts(facts, &loops),
        heap: crate::heap::facts(facts, &loops),
        job: None,
        loops,
        functions,
        purposes: crate::purpose::purposes(facts, &entities, &weights, &times),
        modules: modules(facts, &entities, &times),
        threads: threads(facts, &entities, &times),
        tree: (times.samples > 0).then(|| tree(facts, &entities, &weights, &name)),
        program,
        warnings: Vec::new(),
        costs: facts.costs.clone(),
    };
    analysis.job = crate::job::facts(&analysis);
    analysis.warnings = warnings(facts, &builds, &analysis);
    analysis
}

fn loop_facts(
    entities: &Entities,
    times: &Times,
    reasons: &Reasons,
    (counts, patterns, bottlenecks): (&Joined, &Patterns, &Bottlenecks),
    listings: &BTreeMap<i64, Listing>,
    (core, known): (&Core, Option<&Core>),
    machine: Option<&MachineFacts>,
) -> Vec<LoopFacts> {
    // Groups are numbered by the smallest loop id among their pieces, which the experiment keeps stable.
    let mut groups: HashMap<(u32, u32), (u32, u64)> = HashMap::new();
    for (entity, spent) in entities.loops.iter().zip(&times.loops) {
        let group = groups.entry((entity.function, entity.code.group)).or_insert((entity.id, 0));
        group.0 = group.0.min(entity.id);
        group.1 += spent.self_ns;
    }
    let hot_groups: HashSet<(u32, u32)> = (entities.loops.iter().zip(&times.loops).zip(0..))
        .filter(|((_, spent), index)| {
            let asked = patterns.asked(*index) || bottlenecks.asked(*index);
            spent.total_ns > 0 || counts.ran(*index) || patterns.ran(*index) || asked
        })
        .map(|((entity, _), _)| (entity.function, entity.code.group))
        .collect();
    let included = |entity: &LoopEntity| hot_groups.contains(&(entity.function, entity.code.group));

    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entity in entities.loops.iter().filter(|entity| included(entity)) {
        if let Some(parent) = entity.parent {
            children.entry(entities.loops[parent as usize].id).or_default().push(entity.id);
        }
    }
    let tracing = patterns.summary();
    let hierarchies = tracing.as_ref().map_or(&[][..], |tracing| &tracing.hierarchies);
    let mut loops: Vec<LoopFacts> = (entities.loops.iter().zip(&times.loops).zip(0..))
        .filter(|((entity, _), _)| included(entity))
        .map(|((entity, spent), index)| {
            let row = counts.of_loop(index);
            let PatternRow { access, dependence, memory, sharing, branches, not_traced } =
                patterns.of_loop(index);
            let roofline = counts.hierarchical(index, &row, memory.as_ref(), hierarchies, &access);
            let LoopRow { trip_count, work, total_work, by_thread, not_counted, .. } = row;
            let function = &entities.functions[entity.function as usize];
            let (group, group_ns) = groups[&(entity.function, entity.code.group)];
            let code = entity.code;
            let location = crate::place::written_at(code);
            let claims = reasons.claims(code);
            let listed = function.stored.and_then(|stored| listings.get(&stored.id));
            let chains = listing::chains(known, listed, code);
            let around = Around {
                integer_divisions: Around::integer_divisions(code),
                sampled_ns: trip_count
                    .as_ref()
                    .filter(|t| t.iterations > 0 && spent.total_ns > 0)
                    .map(|t| spent.total_ns as f64 / t.iterations as f64),
                trips: trip_count.as_ref().and_then(|t| t.mean),
                operands: code.operands,
                instructions: code.instructions,
                chains: &chains,
                memory: memory.as_ref(),
                accesses: &access,
                branches: &branches,
                machine,
                core,
            };
            let bottleneck = bottlenecks.of_loop(index, entities, &around);
            LoopFacts {
                id: entity.id,
                module: base_name(&function.module_path).to_owned(),
                main_module: function.main_module,
                function: function.name.clone(),
                written_in: crate::place::written_in(code).map(str::to_owned),
                file: location.map(|at| at.file.clone()),
                line: location.map(|at| at.line),
                column: location.map(|at| at.column).filter(|&column| column > 0),
                lines: code.lines.filter(|_| location == code.location.as_ref()),
                address: format!("{:#x}", code.header),
                parent: entity.parent.map(|p| entities.loops[p as usize].id),
                children: children.remove(&entity.id).unwrap_or_default(),
                depth: code.depth,
                innermost: code.innermost,
                inlined_from: code.inlined_from.clone(),
                role: code.role,
                group,
                self_seconds: seconds(spent.self_ns),
                self_share: times.share(spent.self_ns),
                total_seconds: seconds(spent.total_ns),
                total_share: times.share(spent.total_ns),
                samples: spent.samples,
                group_share: times.share(group_ns),
                vectorized: code.vectorized,
                vector: vector_facts(code, core),
                types: code.types.clone(),
                traits: code.traits.clone(),
                instruction_mix: code.mix.clone(),
                instructions: code.instructions,
                calls: code.calls.clone(),
                exits: code.exits,
                executions: counts.executions(index),
                width_conversions: listing::width_conversions(listed, code),
                operands: code.operands,
                strides: crate::place::strides(code),
                constant_trips: code.constant_trips,
                bytes_loaded_per_iteration: code.bytes_loaded,
                bytes_stored_per_iteration: code.bytes_stored,
                flop_per_iteration: code.flop.clone(),
                idiom: code.idiom,
                why_not: reasons.why_not(code, &chains, &claims),
                chains,
                compilers: claims,
                producer: function.stored.and_then(|stored| stored.code.producer.clone()),
                threads: spent.threads,
                callee_share: ratio(spent.below_ns, spent.total_ns),
                serial_share: (spent.total_ns > 0).then(|| ratio(spent.serial_ns, spent.total_ns)),
                trip_count,
                work,
                total_work,
                roofline,
                by_thread,
                not_counted,
                access,
                dependence,
                memory,
                sharing,
                branches,
                not_traced,
                bottleneck,
                not_injected: bottlenecks.left(index),
            }
        })
        .collect();
    loops.sort_by(|a, b| {
        (b.self_seconds.total_cmp(&a.self_seconds))
            .then(b.total_seconds.total_cmp(&a.total_seconds))
            .then_with(|| instructions(&b.work).cmp(&instructions(&a.work)))
            .then(a.id.cmp(&b.id))
    });
    loops
}

fn instructions(work: &Option<WorkRow>) -> u64 {
    work.as_ref().map_or(0, |work| work.instructions)
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn function_facts(
    entities: &Entities,
    times: &Times,
    counts: &Joined,
    listings: &BTreeMap<i64, Listing>,
    mut inlined: HashMap<u32, Vec<InlinedFunction>>,
) -> Vec<FunctionFacts> {
    let mut functions: Vec<FunctionFacts> = (entities.functions.iter().zip(&times.functions).zip(0..))
        .filter(|((_, spent), index)| spent.total_ns > 0 || counts.function_ran(*index))
        .map(|((function, spent), index)| {
            let row = counts.of_function(index);
            let location = function.stored.and_then(|stored| stored.code.location.as_ref());
            FunctionFacts {
                function: function.name.clone(),
                module: base_name(&function.module_path).to_owned(),
                main_module: function.main_module,
                file: location.map(|at| at.file.clone()),
                line: location.map(|at| at.line).filter(|&line| line > 0),
                self_seconds: seconds(spent.self_ns),
                self_share: times.share(spent.self_ns),
                total_seconds: seconds(spent.total_ns),
                total_share: times.share(spent.total_ns),
                samples: spent.samples,
                producer: function.stored.and_then(|stored| stored.code.producer.clone()),
                irreducible_seconds: (spent.irreducible_ns > 0).then(|| seconds(spent.irreducible_ns)),
                calls_itself: function
                    .stored
                    .map(|stored| stored.code.inlined.calls_itself)
                    .filter(|&count| count > 0),
                integer_divisions: function
                    .stored
                    .and_then(|stored| listings.get(&stored.id))
                    .map(listing::integer_divisions)
                    .filter(|&count| count > 0),
                unresolved_jumps: function
                    .stored
                    .map(|stored| stored.code.unresolved_jumps.len() as u32)
                    .filter(|&count| count > 0),
                calls: row.calls,
                work: row.work,
                complete: row.complete,
                left_alone: row.left_alone,
                by_thread: row.by_thread,
                inlined: inlined.remove(&index).unwrap_or_default(),
            }
        })
        .collect();
    functions.sort_by(|a, b| {
        (b.self_seconds.total_cmp(&a.self_seconds))
            .then(b.total_seconds.total_cmp(&a.total_seconds))
            .then_with(|| instructions(&b.work).cmp(&instructions(&a.work)))
            .then_with(|| a.function.cmp(&b.function))
    });
    functions
}

fn is_user_module(function: &FunctionEntity) -> bool {
    !function.module_path.starts_with('[')
}

fn time_shares(entities: &Entities, times: &Times) -> TimeShares {
    let (mut vectorized, mut scalar) = (0, 0);
    for (entity, spent) in entities.loops.iter().zip(&times.loops) {
        if entity.code.vectorized {
            vectorized += spent.self_ns;
        } else {
            scalar += spent.self_ns;
        }
    }
    let libraries: u64 = (entities.functions.iter().zip(&times.functions))
        .filter(|(function, _)| !function.main_module && is_user_module(function))
        .map(|(_, spent)| spent.self_ns)
        .sum();
    TimeShares {
        vectorized: times.share(vectorized),
        scalar: times.share(scalar),
        outside_loops: times.share(times.user_ns - vectorized - scalar),
        kernel: times.share(times.kernel_ns),
        libraries: times.share(libraries),
    }
}

fn modules(facts: &Facts, entities: &Entities, times: &Times) -> Vec<ModuleSummary> {
    let mut time: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
    for (function, spent) in entities.functions.iter().zip(&times.functions) {
        if spent.total_ns > 0 {
            let entry = time.entry(&function.module_path).or_insert((0, function.main_module));
            entry.0 += spent.self_ns;
        }
    }
    // What was counted is shown with the program even when nothing was sampled in it.
    for (run, functions) in facts.counts.iter().zip(&entities.counted) {
        for (module, functions) in run.facts.modules.iter().zip(functions) {
            if let Some(function) = functions.iter().flatten().next() {
                let main = entities.functions[*function as usize].main_module;
                time.entry(&module.path).or_insert((0, main));
            }
        }
    }
    // So are modules of which loops were only traced.
    for (run, functions) in facts.traced.iter().zip(&entities.traced) {
        for (&(module, _), &function) in functions {
            if let Some(module) = run.facts.modules.get(module as usize) {
                time.entry(&module.path).or_insert((0, entities.functions[function as usize].main_module));
            }
        }
    }
    let traced = facts.traced.iter().flat_map(Run::named_code);
    let counted = facts.counts.iter().flat_map(Run::named_code);
    // The survey last: it decides which build is shown.
    let described = traced.chain(counted).chain(facts.surveys.iter().flat_map(Run::named_code));
    let described: HashMap<&str, _> = described.map(|(path, code)| (path, &code.facts)).collect();
    let known: HashMap<&str, _> = facts
        .surveys
        .iter()
        .flat_map(|survey| &survey.facts.modules)
        .map(|module| (module.path.as_str(), module))
        .collect();
    let mut modules: Vec<ModuleSummary> = time
        .into_iter()
        .map(|(path, (ns, main_module))| {
            let facts = described.get(path);
            ModuleSummary {
                path: path.to_owned(),
                main_module,
                self_seconds: seconds(ns),
                self_share: times.share(ns),
                has_symbols: facts.is_some_and(|facts| facts.has_symbols)
                    || known.get(path).is_some_and(|m| m.kind == ModuleKind::Kernel),
                has_lines: facts.is_some_and(|facts| facts.has_lines),
                build_id: known
                    .get(path)
                    .and_then(|module| module.build_id.clone())
                    .or_else(|| facts.and_then(|facts| facts.build_id.clone())),
                producers: facts.map(|facts| facts.producers.clone()).unwrap_or_default(),
            }
        })
        .collect();
    modules.sort_by(|a, b| b.self_seconds.total_cmp(&a.self_seconds).then_with(|| a.path.cmp(&b.path)));
    modules
}

fn threads(facts: &Facts, entities: &Entities, times: &Times) -> Vec<ThreadFacts> {
    let mut threads = Vec::new();
    for (index, (survey, spent)) in facts.surveys.iter().zip(&times.threads).enumerate() {
        for (number, (thread, spent)) in (0..).zip(survey.facts.threads.iter().zip(spent)) {
            if spent.total_ns == 0 {
                continue;
            }
            let clock = survey.facts.clocks.threads.get(number as usize).copied().unwrap_or_default();
            let blocked_seconds = clock.blocked_ns().map(seconds);
            let mut loops: Vec<(u32, u64)> =
                spent.loops.iter().map(|(&l, &ns)| (entities.loops[l as usize].id, ns)).collect();
            loops.sort_by_key(|&(id, ns)| (std::cmp::Reverse(ns), id));
            threads.push(ThreadFacts {
                rank: survey.target.rank.as_ref().map(|rank| rank.rank),
                pid: thread.pid,
                tid: thread.tid,
                name: thread.name.clone(),
                cpu_seconds: seconds(spent.total_ns),
                cpu_share: times.share(spent.total_ns),
                user_seconds: clock.user_ns.map(seconds),
                system_seconds: clock.system_ns.map(seconds),
                ready_seconds: clock.delayed_ns.map(seconds),
                blocked_seconds,
                waits: blocked_seconds.map_or_else(Vec::new, |blocked| {
                    crate::elapsed::thread_waits(facts, entities, index, number, blocked)
                }),
                top_loops: loops.into_iter().take(3).map(|(id, ns)| (id, seconds(ns))).collect(),
            });
        }
    }
    threads.sort_by(|a, b| b.cpu_seconds.total_cmp(&a.cpu_seconds).then(a.tid.cmp(&b.tid)));
    threads
}

#[cfg(test)]
mod tests;
