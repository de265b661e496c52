//! Tracing runs in the store: a piece per loop. A loop of a thousand operands with dozens of strides and dependences each is
//! large.
//!
//! What comes back was written by anyone: everything that readers use as an index is in range, and sums over all that a
//! run counted fit.

use crate::pieces::{Pieces, Stored};
use crate::{Collected, Error};
use loopwright_instrument::traced::Patterns;
use loopwright_patterns::facts::{BranchUse, Hierarchy, LoopPatterns, SitePattern};

impl Collected for Patterns {
    const KIND: &'static str = "patterns";
    /// 2: warnings, reasons and gaps by their fields.
    const FORM: u32 = 2;

    fn pack(&self, pieces: &mut Pieces) {
        pieces.json("run", 0, &Self { loops: Vec::new(), ..self.clone() });
        for (position, traced) in (0..).zip(&self.loops) {
            pieces.json("loops", position, traced);
        }
    }

    fn unpack(stored: &Stored<'_>) -> Result<Self, Error> {
        let mut patterns: Self = stored.json("run")?;
        if let Some(why) = implausible_run(&patterns) {
            return Err(stored.damaged("run", why));
        }
        stored.each("loops", |_, traced: LoopPatterns| {
            if let Some(why) = implausible(&traced, patterns.modules.len(), &patterns.hierarchies) {
                return Err(stored.damaged("loops", why));
            }
            patterns.loops.push(traced);
            Ok(())
        })?;
        Ok(patterns)
    }

    fn modules(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.modules.iter().map(|module| (module.path.as_str(), module.build_id.as_deref()))
    }
}

/// Larger values mean a corrupt file (3 days at one access a nanosecond; more bytes than a process can address), and sums over
/// operands, loops and ranks could overflow.
const MOST: u64 = 1 << 48;

/// Cache levels of one hierarchy, and hierarchies of one run: far more than anybody simulates.
const MOST_CACHES: usize = 64;

/// Whether all of these, and their sum, are amounts that occur.
fn fit(amounts: impl IntoIterator<Item = u64>) -> bool {
    amounts.into_iter().try_fold(0u64, u64::checked_add).is_some_and(|sum| sum <= MOST)
}

fn implausible_run(patterns: &Patterns) -> Option<&'static str> {
    if !fit([patterns.bursts, patterns.accesses, patterns.trace_bytes]) {
        return Some("more was traced than time allows");
    }
    let many = |hierarchy: &Hierarchy| hierarchy.levels.len() > MOST_CACHES;
    if patterns.hierarchies.len() > MOST_CACHES || patterns.hierarchies.iter().any(many) {
        return Some("there are more simulated caches than can be");
    }
    let levels = || patterns.hierarchies.iter().flat_map(|hierarchy| &hierarchy.levels);
    if !fit(levels().map(|level| level.lines.saturating_mul(level.line_bytes.into()))) {
        return Some("a simulated cache is larger than memory can be");
    }
    None
}

/// What a reader could not rely on, or nothing.
fn implausible(traced: &LoopPatterns, modules: usize, hierarchies: &[Hierarchy]) -> Option<&'static str> {
    let known = |module: u32| (module as usize) < modules;
    let site = |index: u32| (index as usize) < traced.sites.len();
    let levels = || traced.sites.iter().flat_map(|site| &site.strides);
    let reuse = || traced.reuse.iter();
    let examples = || traced.sharing.iter().flat_map(|sharing| &sharing.examples);
    let all_known = known(traced.module)
        && traced.sites.iter().all(|site| known(site.module))
        && levels().all(|level| known(level.module))
        && traced.branches.iter().all(|branch| known(branch.module))
        && reuse().flat_map(|reuse| &reuse.carriers).all(|carrier| known(carrier.0));
    if !all_known {
        return Some("a loop, an operand or a branch names a module that does not exist");
    }
    let arrays = &traced.footprint.arrays;
    let sites = traced.sites.iter().filter_map(|site| Some(site.offset?.0));
    let sites = sites.chain(traced.dependences.iter().flat_map(|found| [found.source, found.sink]));
    let sites = sites.chain(traced.aliasing.iter().flat_map(|pair| [pair.store, pair.load]));
    let sites = sites.chain(arrays.iter().flat_map(|array| array.sites.iter().copied()));
    let mut sites = sites.chain(examples().flat_map(|line| line.users.iter().map(|user| user.1)));
    if !sites.all(site) {
        return Some("a loop names an operand that it does not have");
    }
    if traced.caches.len() > hierarchies.len()
        || traced.caches.iter().zip(hierarchies).any(|(used, known)| used.levels.len() > known.levels.len())
    {
        return Some("a loop names a cache that was not simulated");
    }
    let upside_down = traced.sites.iter().any(|site| site.low > site.high)
        || arrays.iter().any(|array| array.low > array.high)
        || reuse().flat_map(|reuse| &reuse.buckets).any(|bucket| bucket.0 > bucket.1);
    if upside_down {
        return Some("a range ends before it begins");
    }
    let part = |branch: &BranchUse| {
        branch.taken <= branch.executed
            && branch.predicted <= branch.executed
            && branch.mispredicted <= branch.predicted
    };
    if !traced.branches.iter().all(part) {
        return Some("a branch has more outcomes of a kind than it ran");
    }
    if !traced.sites.iter().all(site_fits) || !sums_fit(traced) {
        return Some("a loop counts more than time allows");
    }
    None
}

fn site_fits(site: &SitePattern) -> bool {
    let level = |level: &loopwright_patterns::facts::LevelStrides| {
        fit(level.values.iter().map(|value| value.1).chain([level.others]))
            && fit([level.steps, level.ascending, level.same_line, level.same_page])
    };
    let lanes = site.lane_steps.as_ref().is_none_or(|steps| {
        fit(steps.values.iter().map(|value| value.1).chain([steps.others]))
            && fit([steps.affine, steps.ascending, steps.lines, steps.active])
    });
    lanes
        && site.strides.iter().all(level)
        && fit([site.executions, site.bytes, site.misaligned, site.line_splits, site.page_splits])
}

fn sums_fit(traced: &LoopPatterns) -> bool {
    let footprint = &traced.footprint;
    let edges = |found: &loopwright_patterns::facts::Dependence| {
        fit(found.edges.iter().map(|edge| edge.count).chain([found.others]))
            && fit([found.exposed])
            && found.edges.iter().all(|edge| edge.distance <= MOST)
    };
    fit([traced.entries, traced.joined, traced.iterations, traced.bursts])
        && fit(traced.sites.iter().map(|site| site.executions))
        && fit(traced.sites.iter().map(|site| site.bytes))
        && traced.dependences.iter().all(edges)
        && traced
            .checked
            .iter()
            .all(|checked| fit([checked.iterations, checked.entries, checked.longest, checked.forgotten]))
        && fit([footprint.bytes, footprint.lines, footprint.pages, footprint.all_lines, footprint.all_bytes])
        && fit(footprint.arrays.iter().map(|array| array.bytes))
        && fit(footprint.arrays.iter().map(|array| array.lines))
        && traced.caches.iter().flat_map(|cache| &cache.levels).all(|level| {
            fit([level.accesses, level.misses, level.unknown, level.write_backs, level.streamed])
                && level.estimated_misses <= MOST
                && level.first_uses <= level.estimated_misses
        })
        && traced.caches.iter().all(|cache| cache.iterations <= MOST)
        && traced.reuse.iter().all(|reuse| {
            fit(reuse.buckets.iter().map(|bucket| bucket.2).chain([reuse.first]))
                && fit([reuse.same, reuse.forgotten])
                && fit(reuse.carriers.iter().map(|carrier| carrier.2))
                && reuse.carriers.iter().try_fold(0u64, |sum, carrier| sum.checked_add(carrier.3)).is_some()
        })
        && traced.sharing.iter().all(|sharing| {
            fit([sharing.accesses, sharing.false_accesses, sharing.true_accesses])
                && fit([sharing.windows, sharing.false_lines, sharing.true_lines])
                && fit(sharing.examples.iter().map(|line| line.accesses))
        })
        && fit(traced.aliasing.iter().map(|pair| pair.count))
        && fit(traced.branches.iter().map(|branch| branch.executed))
        && fit(traced.nodes.iter().map(|node| node.2))
        && fit(traced.calls.iter().map(|call| call.count))
}
