//! What caches and other threads make of a loop's accesses: footprint, simulated caches, reuse, false sharing, NUMA.
//! Used by the page of `map` and by `show loop`.

use crate::columns::{Cell, Column, Table};
use crate::phrases::{
    APART_ON_AVERAGE, CACHE_LINE, CARRIED_BY, COME_BACK_FROM, FALSELY_SHARED, FOR_VICTIMS, FULLY_ASSOCIATIVE,
    HALF, LINES_WITH_ACCESSES, NINE_TENTHS, PAGE, SMALL_PAGE, WAYS, WOULD_HIT, filled,
};
use crate::prose::{facts, labelled, paragraph};
use crate::quantity::{bytes, count, many, rate, share};
use crate::style::{Ink, TerminalStyle};
use crate::vocabulary::contract_name;
use loopwright_analysis::model::{Analysis, CacheFacts, LoopFacts, MemoryFacts, SharingFacts};
use loopwright_patterns::facts::{CacheGeometry, Hierarchy};

/// Loops that carry reuse, and pairs that alias, shown.
const MOST: usize = 4;
/// Users of the worst falsely shared line shown.
const USERS: usize = 8;

/// Everything that is known of one machine loop.
pub(crate) fn behaviour(
    analysis: &Analysis,
    this: &LoopFacts,
    label: usize,
    style: &TerminalStyle,
) -> String {
    let mut out = String::new();
    if let Some(memory) = &this.memory {
        out.push_str(&touched(memory, label, style));
        let none = Vec::new();
        let hierarchies = analysis.tracing.as_ref().map_or(&none, |tracing| &tracing.hierarchies);
        for (hierarchy, levels) in hierarchies.iter().zip(&memory.caches) {
            out.push_str(&caches(hierarchy, levels, this, style));
        }
        let line = analysis.machine.as_ref().map_or(64, |machine| machine.line_bytes.max(1));
        out.push_str(&reuse(memory, line.into(), label, style));
        out.push_str(&aliasing(memory, this, label, style));
        out.push_str(&nodes(memory, label, style));
    }
    if let Some(sharing) = &this.sharing {
        out.push_str(&shared(sharing, label, style));
    }
    out
}

fn touched(memory: &MemoryFacts, label: usize, style: &TerminalStyle) -> String {
    let least = if memory.footprint_is_bound { "at least " } else { "" };
    let mut items = vec![
        format!("{least}{} by one entry", bytes(memory.footprint_bytes)),
        format!("{} of cache lines", bytes(memory.footprint_line_bytes)),
        many(memory.footprint_pages, SMALL_PAGE),
    ];
    if let Some(used) = memory.utilisation {
        items.push(format!("{} of the bytes of the lines are used", share(used)));
    }
    facts(style, "Touched", label, Ink::Plain, &items)
}

/// `32 KiB 8-way LRU`.
pub(crate) fn geometry(cache: &CacheGeometry) -> String {
    let ways = if u64::from(cache.ways) >= cache.lines {
        FULLY_ASSOCIATIVE.to_owned()
    } else {
        filled(WAYS, [&cache.ways.to_string()])
    };
    let size = if cache.translation {
        many(cache.lines, PAGE) + " of " + &bytes(cache.line_bytes.into())
    } else {
        bytes(cache.lines.saturating_mul(cache.line_bytes.into()))
    };
    let victim = if cache.victim { FOR_VICTIMS } else { "" };
    format!("{size} {ways} {}{victim}", contract_name(&cache.policy).to_uppercase())
}

/// Bounds that are further apart than this say nothing beside an estimate.
const MOST_SPREAD: f64 = 2.0;

/// A lowest and a highest number.
pub(crate) fn bounds((low, high): (f64, f64), style: &TerminalStyle) -> String {
    let (from, to) = (rate(low), rate(high));
    if from == to { from } else { format!("{from}{}{to}", style.sign("–", "-")) }
}

/// An estimated number, with its bounds where they are of the same size.
pub(crate) fn estimate(value: f64, (low, high): (f64, f64), style: &TerminalStyle) -> String {
    let number = rate(value);
    let within = bounds((low, high), style);
    if within == number || high > MOST_SPREAD * low { number } else { format!("{number} ({within})") }
}

/// Misses that surely were, and may have been.
fn misses_within(level: &CacheFacts, style: &TerminalStyle) -> String {
    let high = level.misses.saturating_add(level.unknown);
    format!("{}{}{}", count(level.misses), style.sign("–", "-"), count(high))
}

fn caches(hierarchy: &Hierarchy, levels: &[CacheFacts], this: &LoopFacts, style: &TerminalStyle) -> String {
    if levels.is_empty() {
        return String::new();
    }
    let flop = this.work.as_ref().is_none_or(|work| work.flop > 0);
    let pages = |at: usize, level: &CacheFacts| {
        let named = hierarchy.levels.iter().find(|shape| shape.name == level.name);
        named.or(hierarchy.levels.get(at)).is_some_and(|shape| shape.translation)
    };
    let bytes_of =
        |at: usize, level: &CacheFacts, bytes: f64| Cell::known((!pages(at, level)).then(|| rate(bytes)));
    let table = Table::<(usize, &CacheFacts)>::new()
        .column(Column::left("Simulated"), |(_, level)| Cell::new(&level.name, Ink::Strong))
        .column(Column::right("Asked for").expendable(3), |(_, level)| Cell::plain(count(level.accesses)))
        .column(Column::right("Misses"), |(_, level)| Cell::new(count(level.estimated_misses), Ink::Strong))
        .column(Column::right("Bounds").expendable(2), |(_, level)| {
            Cell::known((level.unknown > 0).then(|| misses_within(level, style)))
        })
        .column(Column::right("Per 1000"), |(_, level)| Cell::plain(rate(level.estimated_misses_per_1000)))
        .column(Column::right("B in/it."), |(at, level)| {
            bytes_of(*at, level, level.estimated_bytes_in_per_iteration)
        })
        .column(Column::right("B out/it.").expendable(1), |(at, level)| {
            bytes_of(*at, level, level.estimated_bytes_out_per_iteration)
        })
        .column(Column::right(if flop { "FLOP/B" } else { "Ops/B" }), |(_, level)| {
            Cell::known(level.estimated_intensity.map(rate))
        });
    let mut out = style.paint(Ink::Dim, &crate::names::printable(&format!("Caches of {}", hierarchy.name)));
    out.push('\n');
    out.push_str(&table.render(levels.iter().enumerate(), style, 0));
    out
}

/// What the column "Bounds" means, where a table of these loops has it.
pub(crate) fn legend<'a>(loops: impl IntoIterator<Item = &'a LoopFacts>, style: &TerminalStyle) -> String {
    let memories = loops.into_iter().filter_map(|each| each.memory.as_ref());
    let unknown = |memory: &MemoryFacts| memory.caches.iter().flatten().any(|level| level.unknown > 0);
    if !memories.into_iter().any(unknown) {
        return String::new();
    }
    let text = "Misses: estimated, where bursts were traced: what earlier bursts left in a cache is taken to have stayed there. \
                Bounds: what is known without that, at least and at most.";
    paragraph(style, 0, Ink::Dim, text)
}

/// The distance that contains `part` of the line uses, in lines; `None` when fewer return at all.
fn within(reuse: &[(u64, u64, f64)], part: f64) -> Option<u64> {
    let mut sum = 0.0;
    for (_, highest, share) in reuse {
        sum += share;
        // Shares were rounded where they were added up.
        if sum >= part - 1e-9 {
            return Some(*highest);
        }
    }
    None
}

fn reuse(memory: &MemoryFacts, line: u64, label: usize, style: &TerminalStyle) -> String {
    let mut items = Vec::new();
    for (part, word) in [(0.5, HALF), (0.9, NINE_TENTHS)] {
        if let Some(distance) = within(&memory.reuse, part) {
            // The line itself has to stay, too.
            let size = distance.saturating_add(1).saturating_mul(line);
            items.push(filled(WOULD_HIT, [word, &bytes(size)]));
        }
    }
    if let Some(first) = memory.first_use_share {
        items.push(format!("{} are first uses", share(first)));
    }
    let mut out =
        if items.is_empty() { String::new() } else { facts(style, "Reuse", label, Ink::Plain, &items) };
    for carrier in memory.reuse_carriers.iter().take(MOST) {
        let who = match carrier.loop_id {
            Some(id) => format!("{CARRIED_BY} loop {id} ({})", carrier.place),
            None if carrier.before_loop => format!("{COME_BACK_FROM} {}", carrier.place),
            None => format!("{CARRIED_BY} the loop at {}", carrier.place),
        };
        let distance = if carrier.mean_bytes >= 1.0 {
            filled(APART_ON_AVERAGE, [&bytes(carrier.mean_bytes.round() as u64)])
        } else {
            String::new()
        };
        let text = format!("{} of the line uses {who}{distance}", share(carrier.share));
        out.push_str(&labelled(style, 0, "", label, Ink::Plain, &text));
    }
    out
}

fn aliasing(memory: &MemoryFacts, this: &LoopFacts, label: usize, style: &TerminalStyle) -> String {
    let name = |index: u32| {
        let access = this.access.get(index as usize)?;
        let what = access.operand.clone().or_else(|| access.addresses.first().cloned())?;
        Some(access.line.map_or_else(|| what.clone(), |line| format!("{what} (line {line})")))
    };
    let mut out = String::new();
    for pair in memory.aliasing_4k.iter().take(MOST) {
        let (Some(store), Some(load)) = (name(pair.store), name(pair.load)) else { continue };
        let text = format!(
            "{} of the loads of {load} follow a store to {store} by {} bytes modulo 4096: they wait for a store that they \
             do not depend on",
            share(pair.share),
            pair.offset
        );
        out.push_str(&labelled(style, 0, "4 KiB", label, Ink::Caution, &text));
    }
    out
}

/// Accesses to another node's memory; nothing where all is local.
fn nodes(memory: &MemoryFacts, label: usize, style: &TerminalStyle) -> String {
    if memory.nodes.is_empty() {
        return String::new();
    }
    let mut remote: Vec<_> = memory.nodes.iter().filter(|(page, thread, _)| page != thread).collect();
    remote.sort_by(|a, b| b.2.total_cmp(&a.2));
    if remote.is_empty() {
        let text = "all accesses go to memory of the thread's own node".to_owned();
        return facts(style, "NUMA", label, Ink::Plain, &[text]);
    }
    let all: f64 = remote.iter().map(|node| node.2).sum();
    let mut items = vec![format!("{} of the accesses go to another node's memory", share(all))];
    items.extend(
        remote.iter().take(MOST).map(|(page, thread, part)| {
            format!("{} from node {thread} to pages of node {page}", share(*part))
        }),
    );
    facts(style, "NUMA", label, Ink::Caution, &items)
}

fn shared(sharing: &SharingFacts, label: usize, style: &TerminalStyle) -> String {
    let lines = |lines: u64, part: f64| filled(LINES_WITH_ACCESSES, [&many(lines, CACHE_LINE), &share(part)]);
    let mut out = String::new();
    if sharing.false_lines > 0 {
        let text = format!("false, of {}: {FALSELY_SHARED}", lines(sharing.false_lines, sharing.false_share));
        out.push_str(&labelled(style, 0, "Sharing", label, Ink::Caution, &text));
        for user in sharing.example.iter().take(USERS) {
            out.push_str(&labelled(style, 0, "", label, Ink::Plain, user));
        }
    }
    if sharing.true_lines > 0 {
        let text = format!("true, of {}, with writes", lines(sharing.true_lines, sharing.true_share));
        let title = if out.is_empty() { "Sharing" } else { "" };
        out.push_str(&labelled(style, 0, title, label, Ink::Plain, &text));
    }
    if out.is_empty() {
        let text = "no cache line that a thread wrote was used by another one at the same time";
        out = labelled(style, 0, "Sharing", label, Ink::Plain, text);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_patterns::facts::Replacement;

    #[test]
    fn caches_are_described_by_size_ways_and_policy() {
        let mut cache = CacheGeometry {
            name: "L1".into(),
            lines: 512,
            line_bytes: 64,
            ways: 8,
            policy: Replacement::Plru,
            ..CacheGeometry::default()
        };
        assert_eq!(geometry(&cache), "32 KiB 8-way PLRU");
        (cache.lines, cache.ways, cache.policy) = (12, 12, Replacement::Lru);
        assert_eq!(geometry(&cache), "768 B fully associative LRU");
        (cache.lines, cache.ways, cache.line_bytes, cache.translation) = (64, 4, 4096, true);
        assert_eq!(geometry(&cache), "64 pages of 4 KiB 4-way LRU");
    }

    #[test]
    fn the_reuse_histogram_becomes_cache_sizes() {
        let reuse = [(0, 0, 0.4), (1, 1, 0.1), (16, 19, 0.3), (1024, 1279, 0.1)];
        assert_eq!(within(&reuse, 0.5), Some(1));
        assert_eq!(within(&reuse, 0.9), Some(1279));
        assert_eq!(within(&reuse, 0.95), None);
    }
}
