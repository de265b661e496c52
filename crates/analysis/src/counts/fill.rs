//! What each loop and function is shown with: tallies, time and ceilings brought together.

use super::builds::Builds;
use super::imbalance::imbalance;
use super::iterations::{Inferred, Question, Texts, infer};
use super::merge::{FunctionTally, LoopTally, Tallies, ThreadTally, functions_by_address, jobs, tallies};
use super::roofline::{self, Time, Traffic};
use super::trips::{Piece, Written, presumed, trip_count, written};
use super::work::row;
use crate::model::{
    AccessFacts, ByThread, Ceilings, CountingFacts, LeftAloneFacts, MemoryFacts, RooflinePoint, ThreadCounts,
    ThreadSeconds, TripCount, WorkRow,
};
use crate::outcome::{End, words, worst_of_runs};
use crate::place::base_name;
use crate::resolve::Entities;
use crate::time::{Times, seconds};
use crate::unmeasured::Unmeasured;
use loopwright_binary::facts::ChainKind;
use loopwright_binary::work::Work;
use loopwright_experiment::Facts;
use loopwright_instrument::facts::ModuleCounts;
use loopwright_instrument::reason::Reason;
use loopwright_machine::THIS_MACHINE;
use loopwright_patterns::facts::Hierarchy;
use loopwright_vocabulary::MemoryLevel;
use std::collections::{BTreeSet, HashMap, HashSet};

/// What counts add to a loop.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoopRow {
    pub trip_count: Option<TripCount>,
    pub work: Option<WorkRow>,
    pub total_work: Option<WorkRow>,
    pub roofline: Option<RooflinePoint>,
    pub by_thread: Option<ByThread>,
    pub not_counted: Option<Unmeasured>,
}

/// What counts add to a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionRow {
    pub calls: Option<u64>,
    pub work: Option<WorkRow>,
    pub complete: Option<bool>,
    pub left_alone: Vec<Unmeasured>,
    pub by_thread: Option<ByThread>,
}

/// The pieces of one written loop, as indices into the loops, and what they add up to.
struct Group {
    members: Vec<u32>,
    written: Option<Written>,
}

/// Self time by survey and thread.
type ThreadTimes = Vec<(usize, usize, u64)>;

/// All counts, joined.
pub(crate) struct Joined<'a> {
    facts: &'a Facts,
    entities: &'a Entities<'a>,
    times: &'a Times,
    ceilings: Option<&'a Ceilings>,
    builds: &'a Builds,
    tallies: Tallies,
    groups: HashMap<(u32, u32), Group>,
    /// Loops left alone, with the reason.
    left_loops: HashMap<u32, Reason>,
    /// Functions left alone whole, with the reason.
    left_functions: HashMap<u32, Reason>,
    loop_times: HashMap<u32, ThreadTimes>,
    function_times: HashMap<u32, ThreadTimes>,
    hosts: u32,
    cpus: u32,
    /// Number of the cache level that holds all of the program's memory.
    fits: Option<MemoryLevel>,
}

/// The nearest cache level in which all that the ranks ever held in memory has room: no loop of the program
/// can wait for a level beyond it, once the data is there.
fn fitting_cache(facts: &Facts) -> Option<MemoryLevel> {
    let resident = facts.surveys.iter().map(|s| s.target.peak_resident_bytes);
    let resident = resident.fold(0u64, u64::saturating_add);
    let caches = facts.machine()?.machine.summary().cache_bytes;
    let index = caches.iter().position(|&size| size > 0 && size >= resident)?;
    (resident > 0).then_some(MemoryLevel::cache_at(index))
}

impl<'a> Joined<'a> {
    /// Joins everything once.
    pub fn new(
        facts: &'a Facts,
        entities: &'a Entities<'a>,
        times: &'a Times,
        ceilings: Option<&'a Ceilings>,
        builds: &'a Builds,
    ) -> Self {
        let tallies = tallies(facts, entities);
        let mut joined = Self {
            facts,
            entities,
            times,
            ceilings,
            builds,
            groups: HashMap::new(),
            left_loops: HashMap::new(),
            left_functions: HashMap::new(),
            loop_times: HashMap::new(),
            function_times: HashMap::new(),
            hosts: facts.surveys.iter().map(|s| s.target.host.as_str()).collect::<HashSet<_>>().len() as u32,
            cpus: facts.machine().map_or(u32::MAX, |record| record.machine.summary().cpus.max(1)),
            fits: fitting_cache(facts),
            tallies,
        };
        joined.read_left_alone();
        joined.read_thread_times();
        joined.read_groups();
        joined
    }

    fn read_left_alone(&mut self) {
        let function_at = functions_by_address(self.entities);
        let loop_at: HashMap<(u32, u64), u32> = (self.entities.loops.iter().zip(0..))
            .map(|(entity, index)| ((entity.function, entity.code.header), index))
            .collect();
        for (path, alone) in &self.tallies.left_alone {
            let Some(&function) = function_at.get(&(path.as_str(), alone.address)) else { continue };
            match alone.header {
                None => {
                    self.left_functions.entry(function).or_insert_with(|| alone.reason.clone());
                }
                Some(header) => {
                    if let Some(&index) = loop_at.get(&(function, header)) {
                        self.left_loops.entry(index).or_insert_with(|| alone.reason.clone());
                    }
                }
            }
        }
    }

    fn read_thread_times(&mut self) {
        for (survey, threads) in self.times.threads.iter().enumerate() {
            for (thread, spent) in threads.iter().enumerate() {
                for (&index, &ns) in &spent.loops {
                    self.loop_times.entry(index).or_default().push((survey, thread, ns));
                }
                for (&index, &ns) in &spent.functions {
                    self.function_times.entry(index).or_default().push((survey, thread, ns));
                }
            }
        }
    }

    fn read_groups(&mut self) {
        let mut members: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
        for (entity, index) in self.entities.loops.iter().zip(0..) {
            members.entry((entity.function, entity.code.group)).or_default().push(index);
        }
        let texts = Texts::new(&self.facts.sources);
        let groups = members.into_iter().map(|(key, members)| {
            let pieces = self.pieces(&members);
            let written = written(&pieces, || self.infer(key.0, &pieces, &texts));
            (key, Group { members, written })
        });
        self.groups = groups.collect();
    }

    fn infer(&self, function: u32, pieces: &[Piece], texts: &Texts) -> Inferred {
        let stored = self.entities.functions.get(function as usize).and_then(|function| function.stored);
        let tally = self.tallies.functions.get(&function);
        let Some((stored, tally)) = stored.zip(tally) else { return Inferred::default() };
        infer(&Question { function: &stored.code, pieces, executions: &tally.executions, texts })
    }

    /// Source iterations of one machine iteration: inferred, else what the code of all pieces of the written loop suggests.
    pub fn source_factor(&self, index: u32) -> u32 {
        let entity = &self.entities.loops[index as usize];
        let Some(group) = self.groups.get(&(entity.function, entity.code.group)) else { return 1 };
        let place = group.members.iter().position(|&member| member == index);
        let Some(at) = place else { return 1 };
        let inferred = group.written.as_ref().and_then(|written| *written.inferred.factors.get(at)?);
        inferred.or_else(|| presumed(&self.pieces(&group.members)).get(at).copied()).unwrap_or(1).max(1)
    }

    fn pieces(&self, members: &[u32]) -> Vec<Piece<'_>> {
        let piece = |&index: &u32| {
            let entity = &self.entities.loops[index as usize];
            let function = self.tallies.functions.get(&entity.function);
            let passes = match entity.parent {
                Some(parent) => self.tallies.loops.get(&parent).map(|tally| tally.iterations),
                None => function.and_then(|tally| tally.calls),
            };
            Piece {
                code: entity.code,
                tally: self.tallies.loops.get(&index),
                complete: function.is_some_and(|tally| tally.complete)
                    && !self.left_loops.contains_key(&index),
                passes,
            }
        };
        members.iter().map(piece).collect()
    }

    /// A counting run was made.
    pub fn any(&self) -> bool {
        !self.facts.counts.is_empty()
    }

    /// The loop ran, as far as counts show.
    pub fn ran(&self, index: u32) -> bool {
        self.tallies
            .loops
            .get(&index)
            .is_some_and(|tally| tally.iterations > 0 || tally.entries.unwrap_or(0) > 0)
    }

    /// The function ran, as far as counts show.
    pub fn function_ran(&self, index: u32) -> bool {
        self.tallies.functions.contains_key(&index)
    }

    /// How often the instructions of a loop's chains and calls were executed, by address, where the loop was counted.
    pub fn executions(&self, index: u32) -> Vec<(u64, u64)> {
        let entity = &self.entities.loops[index as usize];
        let tally = self.tallies.functions.get(&entity.function);
        let Some(tally) = tally.filter(|_| self.tallies.loops.contains_key(&index)) else {
            return Vec::new();
        };
        let chains = entity.code.chains.iter().filter(|chain| chain.kind != ChainKind::Induction);
        let mut addresses: Vec<u64> = chains.flat_map(|chain| chain.instructions.iter().copied()).collect();
        addresses.extend(entity.code.calls.iter().map(|call| call.address));
        addresses.sort_unstable();
        addresses.dedup();
        // Blocks of a counted loop that have no count never ran.
        addresses.into_iter().map(|at| (at, tally.executions.at(at).unwrap_or(0))).collect()
    }

    /// The row of a loop.
    pub fn of_loop(&self, index: u32) -> LoopRow {
        let entity = &self.entities.loops[index as usize];
        let tally = self.tallies.loops.get(&index);
        let mut result = LoopRow { by_thread: self.threads_of_loop(index), ..LoopRow::default() };
        if let Some(group) = self.groups.get(&(entity.function, entity.code.group))
            && let Some(written) = &group.written
        {
            let place = group.members.iter().position(|&member| member == index);
            result.trip_count =
                place.and_then(|place| trip_count(&self.pieces(&group.members), written, place));
        }
        if let Some(tally) = tally {
            result.work = Some(row(&tally.work));
            result.total_work = Some(row(&tally.total_work));
            let bits = entity.code.vector.as_ref().map(|vector| vector.bits);
            result.roofline =
                Some(roofline::point(&tally.work, bits, self.time_of(index, tally), self.ceilings));
        } else if result.trip_count.is_none() {
            result.not_counted = self.not_counted(index);
        }
        result
    }

    /// The roofline of a loop by the simulated traffic of this machine's caches, where there is one. `simulated` are
    /// what is known of the loop's memory, `hierarchies` which caches were simulated, `access` its operands.
    pub fn hierarchical(
        &self,
        index: u32,
        row: &LoopRow,
        memory: Option<&MemoryFacts>,
        hierarchies: &[Hierarchy],
        access: &[AccessFacts],
    ) -> Option<RooflinePoint> {
        let mut point = row.roofline.clone()?;
        let (Some(work), Some(total), Some(trips)) = (&row.work, &row.total_work, &row.trip_count) else {
            return Some(point);
        };
        // The simulation saw inner loops and called functions, too; the point is of the loop's own work.
        let own = work.bytes() == total.bytes() && access.iter().all(|access| access.function.is_none());
        let this = hierarchies.iter().position(|hierarchy| hierarchy.name == THIS_MACHINE);
        if let (Some(this), Some(memory), Some(tally)) =
            (this.filter(|_| own), memory, self.tallies.loops.get(&index))
            && let Some(caches) = memory.caches.get(this)
        {
            let data = caches.iter().zip(&hierarchies[this].levels).filter(|(_, level)| !level.translation);
            let caches = data.filter_map(|(cache, _)| Some((cache.level()?, cache))).collect();
            let line = hierarchies[this].levels.first().map_or(64, |level| level.line_bytes);
            let least = f64::from(line) / memory.traced_iterations.max(1) as f64;
            let traffic = Traffic { caches, work, iterations: trips.iterations, least };
            roofline::refine(&mut point, &traffic, self.time_of(index, tally), self.ceilings);
        }
        Some(point)
    }

    fn time_of(&self, index: u32, tally: &LoopTally) -> Option<Time> {
        let spent = self.times.loops.get(index as usize).filter(|spent| spent.self_ns > 0)?;
        let threads = spent.threads.max(tally.threads.len() as u32).max(1);
        // Threads that took turns had the machine for one.
        let busy = (spent.busy_ns as f64 / spent.self_ns as f64).round();
        let together = if busy >= 1.0 { busy as u32 } else { 1 };
        Some(Time {
            seconds: seconds(spent.self_ns),
            samples: spent.samples,
            cores: threads.min(together).min(self.cpus.saturating_mul(self.hosts.max(1))),
            hosts: self.hosts.max(1),
            fits: self.fits,
        })
    }

    /// How the newest counting run ended, when that was before its time.
    fn cut_short(&self) -> Option<End> {
        newest_end(self.facts).filter(|end| !matches!(end, End::Exited(_)))
    }

    fn not_counted(&self, index: u32) -> Option<Unmeasured> {
        if !self.any() {
            return None;
        }
        let entity = &self.entities.loops[index as usize];
        let reason = self.left_loops.get(&index).or_else(|| self.left_functions.get(&entity.function));
        if let Some(reason) = reason {
            return Some(reason.clone().into());
        }
        let path = &self.entities.functions[entity.function as usize].module_path;
        Some(if self.builds.counts.stale.contains(path) {
            Unmeasured::Rebuilt
        } else if let Some(end) = self.cut_short() {
            Unmeasured::CutShort(end)
        } else if self.tallies.functions.contains_key(&entity.function) {
            Unmeasured::OtherLoops
        } else {
            Unmeasured::OtherFunctions
        })
    }

    /// The row of a function.
    pub fn of_function(&self, index: u32) -> FunctionRow {
        let tally = self.tallies.functions.get(&index);
        let whole = self.left_functions.get(&index).cloned().map(Unmeasured::from);
        let mut left_alone: Vec<Unmeasured> = whole.into_iter().collect();
        let mut loops: Vec<u32> = (self.left_loops.keys().copied())
            .filter(|&at| self.entities.loops[at as usize].function == index)
            .collect();
        loops.sort_unstable();
        for at in loops {
            let place = crate::place::short(self.entities.loops[at as usize].code);
            left_alone.push(Unmeasured::Loop { place, reason: self.left_loops[&at].clone() });
        }
        FunctionRow {
            calls: tally.and_then(|tally| tally.calls),
            work: tally.map(|tally| row(&tally.work)),
            complete: tally.map(|tally| tally.complete),
            left_alone,
            by_thread: self.by_thread(
                self.function_times.get(&index),
                tally.map(|tally| &tally.threads),
                (self.sampled_threads(index), tally.map_or(0, |tally| tally.threads.len())),
            ),
        }
    }

    fn sampled_threads(&self, function: u32) -> usize {
        self.times.functions.get(function as usize).map_or(0, |spent| spent.threads as usize)
    }

    fn threads_of_loop(&self, index: u32) -> Option<ByThread> {
        let function = self.entities.loops[index as usize].function;
        let tally: Option<&FunctionTally> = self.tallies.functions.get(&function);
        self.by_thread(
            self.loop_times.get(&index),
            self.tallies.loops.get(&index).map(|tally| &tally.threads),
            (self.sampled_threads(function), tally.map_or(0, |tally| tally.threads.len())),
        )
    }

    /// `teams`: threads that ran the function, sampled and counted. A thread of the team without work in this loop counts
    /// as one that did nothing.
    fn by_thread(
        &self,
        times: Option<&ThreadTimes>,
        counts: Option<&Vec<ThreadTally>>,
        teams: (usize, usize),
    ) -> Option<ByThread> {
        let sampled = times.map(Vec::as_slice).unwrap_or_default();
        let counted = counts.map(Vec::as_slice).unwrap_or_default();
        let team = |own: usize, team: usize| if own == 0 { 0 } else { own.max(team) };
        let teams = (team(sampled.len(), teams.0), team(counted.len(), teams.1));
        if teams.0.max(teams.1) < 2 {
            return None;
        }
        let mut result = ByThread {
            sampled: sampled.iter().map(|&time| self.thread_seconds(time)).collect(),
            counted: counted.iter().map(|tally| self.thread_counts(tally)).collect(),
            ..ByThread::default()
        };
        result
            .sampled
            .sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then((a.rank, a.tid).cmp(&(b.rank, b.tid))));
        result.counted.sort_by_key(|c| (std::cmp::Reverse(c.instructions), c.rank, c.tid));
        result.time_imbalance = imbalance(result.sampled.iter().map(|thread| thread.seconds), teams.0);
        result.instruction_imbalance =
            imbalance(result.counted.iter().map(|thread| thread.instructions as f64), teams.1);
        Some(result)
    }

    fn thread_seconds(&self, (survey, thread, ns): (usize, usize, u64)) -> ThreadSeconds {
        let recording = &self.facts.surveys[survey].facts;
        let known = recording.threads.get(thread);
        ThreadSeconds {
            rank: self.facts.surveys[survey].target.rank.as_ref().map(|rank| rank.rank),
            pid: known.map_or(0, |thread| thread.pid),
            tid: known.map_or(0, |thread| thread.tid),
            seconds: seconds(ns),
        }
    }

    fn thread_counts(&self, tally: &ThreadTally) -> ThreadCounts {
        let name = self.tallies.threads.get(tally.thread as usize).copied().unwrap_or_default();
        ThreadCounts {
            rank: name.rank,
            pid: name.pid,
            tid: name.tid,
            instructions: tally.work.instructions,
            flop: tally.work.total_flop(),
            iterations: tally.iterations,
            entries: tally.entries,
        }
    }

    /// The counting run as a whole.
    pub fn summary(&self) -> Option<CountingFacts> {
        let newest = jobs(&self.facts.counts).into_iter().next()?;
        let runs = || newest.iter().map(|&run| &self.facts.counts[run].facts);
        let mut work = Work::default();
        for tally in self.tallies.functions.values() {
            work.add_times(&tally.work, 1);
        }
        let elapsed = runs().map(|counts| counts.elapsed_seconds).fold(0.0, f64::max);
        let surveyed = self.facts.surveys.iter().map(|s| s.target.elapsed_seconds).fold(0.0, f64::max);
        let processes: BTreeSet<(usize, u32)> = (newest.iter())
            .flat_map(|&run| self.facts.counts[run].facts.threads.iter().map(move |t| (run, t.process)))
            .collect();
        Some(CountingFacts {
            runs: self.facts.counts.len() as u32,
            work: row(&work),
            modules_in_part: self.modules_in_part(),
            loops: self.tallies.loops.len() as u32,
            functions: self.tallies.functions.len() as u32,
            threads: runs().map(|counts| counts.threads.len() as u32).sum(),
            processes: processes.len() as u32,
            counted_share: self.counted_share(),
            setup_seconds: runs().map(|counts| counts.setup_seconds).fold(0.0, f64::max),
            waiting_seconds: runs().map(|counts| counts.waiting_seconds).fold(0.0, f64::max),
            elapsed_seconds: elapsed,
            // A run that was cut short took less time for that reason.
            overhead: (elapsed > 0.0 && surveyed > 0.0 && self.cut_short().is_none())
                .then(|| elapsed / surveyed),
            interrupted: runs().any(|counts| counts.interrupted),
            outcome: words(newest_end(self.facts)),
            left_alone: self.left_alone(),
        })
    }

    /// Modules of which no run counted all functions.
    fn modules_in_part(&self) -> BTreeSet<String> {
        let counted = || self.facts.counts.iter().flat_map(|run| &run.facts.modules);
        let (part, whole): (Vec<&ModuleCounts>, Vec<&ModuleCounts>) = counted().partition(|m| m.in_part);
        let mut names: BTreeSet<String> = part.into_iter().map(|m| base_name(&m.path).to_owned()).collect();
        for module in whole {
            names.remove(base_name(&module.path));
        }
        names
    }

    fn counted_share(&self) -> Option<f64> {
        let whole = self.times.user_ns + self.times.kernel_ns;
        let loops = self.entities.loops.iter().zip(&self.times.loops).zip(0..);
        let mut counted: u64 = 0;
        for ((entity, spent), index) in loops {
            let of_function = self.tallies.functions.get(&entity.function);
            let whole_function = of_function.is_some_and(|tally| tally.complete);
            if !whole_function && self.tallies.loops.contains_key(&index) {
                counted += spent.self_ns;
            }
        }
        for (&index, _) in self.tallies.functions.iter().filter(|(_, tally)| tally.complete) {
            counted += self.times.functions.get(index as usize).map_or(0, |spent| spent.self_ns);
        }
        (whole > 0).then(|| counted as f64 / whole as f64)
    }

    fn left_alone(&self) -> Vec<LeftAloneFacts> {
        let function_at = functions_by_address(self.entities);
        let surveyed = !self.facts.surveys.is_empty();
        let mut left: Vec<LeftAloneFacts> = Vec::with_capacity(self.tallies.left_alone.len());
        for (path, alone) in &self.tallies.left_alone {
            let function = function_at.get(&(path.as_str(), alone.address)).copied();
            let entity = alone.header.and_then(|header| {
                let mut loops = self.entities.loops.iter().zip(&self.times.loops);
                loops.find(|(entity, _)| Some(entity.function) == function && entity.code.header == header)
            });
            let spent = match alone.header {
                Some(_) => entity.map(|(_, spent)| spent.self_ns),
                None => {
                    function.and_then(|f| self.times.functions.get(f as usize)).map(|spent| spent.self_ns)
                }
            };
            left.push(LeftAloneFacts {
                module: base_name(path).to_owned(),
                function: alone.function.clone(),
                address: format!("{:#x}", alone.header.unwrap_or(alone.address)),
                loop_id: entity.map(|(entity, _)| entity.id),
                place: entity.map(|(entity, _)| crate::place::short(entity.code)),
                reason: alone.reason.clone().into(),
                self_seconds: spent.filter(|_| surveyed).map(seconds),
            });
        }
        left.sort_by(|a, b| b.self_seconds.unwrap_or(0.0).total_cmp(&a.self_seconds.unwrap_or(0.0)));
        left
    }
}

/// How the newest counting run ended: the worst end of its ranks.
pub(crate) fn newest_end(facts: &Facts) -> Option<End> {
    let newest = jobs(&facts.counts).into_iter().next()?;
    worst_of_runs(newest.iter().map(|&run| End::of_counting(&facts.counts[run].facts)))
}
