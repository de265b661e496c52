//! What tables and details say of a loop, and the pieces of one source loop taken together.

use crate::columns::Cell;
use crate::names::{elide_symbol, printable};
use crate::phrases::{FALLBACK_VERSION, OPEN_CODED, filled};
use crate::quantity::{ratio, share, whole_percent};
use crate::style::{Ink, TerminalStyle};
use crate::vocabulary;
use loopwright_analysis::model::{Analysis, LoopFacts, TripCount, WorkRow};
use loopwright_binary::facts::{LoopRole, Trait};
use std::collections::BTreeMap;

/// The machine loops of one source loop.
pub(crate) struct Group<'a> {
    /// The piece with most self time first.
    pub(crate) pieces: Vec<&'a LoopFacts>,
}

impl<'a> Group<'a> {
    /// The piece that the group is named after: the body where there is one, else the hottest.
    pub(crate) fn lead(&self) -> &'a LoopFacts {
        self.pieces.iter().find(|piece| piece.role == LoopRole::Body).unwrap_or(&self.pieces[0])
    }

    pub(crate) fn self_share(&self) -> f64 {
        self.pieces.iter().map(|piece| piece.self_share).sum()
    }

    pub(crate) fn self_seconds(&self) -> f64 {
        self.pieces.iter().map(|piece| piece.self_seconds).sum()
    }

    /// Time below any piece; a piece within another piece is not counted twice.
    pub(crate) fn total_share(&self) -> f64 {
        self.outer().map(|piece| piece.total_share).sum::<f64>().min(1.0)
    }

    pub(crate) fn total_seconds(&self) -> f64 {
        self.outer().map(|piece| piece.total_seconds).sum()
    }

    /// The counts of the first piece that has any: what they say of the loop as written holds for all.
    pub(crate) fn trips(&self) -> Option<&'a TripCount> {
        self.pieces.iter().find_map(|piece| piece.trip_count.as_ref())
    }

    /// Counted work of all pieces: sums, and the intensity that follows from them.
    pub(crate) fn work(&self) -> WorkRow {
        let mut sum = WorkRow::default();
        for work in self.pieces.iter().filter_map(|piece| piece.work.as_ref()) {
            sum.instructions = sum.instructions.saturating_add(work.instructions);
            sum.flop = sum.flop.saturating_add(work.flop);
            sum.int_ops = sum.int_ops.saturating_add(work.int_ops);
            sum.bytes_loaded = sum.bytes_loaded.saturating_add(work.bytes_loaded);
            sum.bytes_stored = sum.bytes_stored.saturating_add(work.bytes_stored);
            sum.flop_is_bound |= work.flop_is_bound;
        }
        let both = sum.flop > 0 && sum.bytes() > 0;
        sum.intensity = both.then(|| sum.flop as f64 / sum.bytes() as f64);
        sum
    }

    fn outer(&self) -> impl Iterator<Item = &&'a LoopFacts> {
        self.pieces.iter().filter(|piece| !self.pieces.iter().any(|other| piece.parent == Some(other.id)))
    }

    /// Self time of `role` as a share of the group's.
    pub(crate) fn share_of(&self, role: LoopRole) -> f64 {
        let all = self.self_seconds();
        let part: f64 =
            self.pieces.iter().filter(|piece| piece.role == role).map(|piece| piece.self_seconds).sum();
        if all > 0.0 { part / all } else { 0.0 }
    }
}

/// Counted instructions, for loops that cannot be distinguished by time.
fn instructions(facts: &LoopFacts) -> u64 {
    facts.work.as_ref().map_or(0, |work| work.instructions)
}

/// Loops by group, the group with most self time first; without time, that with most instructions.
pub(crate) fn groups(analysis: &Analysis) -> Vec<Group<'_>> {
    let mut by_group: BTreeMap<u32, Vec<&LoopFacts>> = BTreeMap::new();
    for each in &analysis.loops {
        by_group.entry(each.group).or_default().push(each);
    }
    let mut groups: Vec<Group<'_>> = by_group.into_values().map(|pieces| Group { pieces }).collect();
    for group in &mut groups {
        group.pieces.sort_by(|a, b| {
            let time = b.self_seconds.total_cmp(&a.self_seconds);
            time.then(instructions(b).cmp(&instructions(a))).then(a.id.cmp(&b.id))
        });
    }
    groups.sort_by(|a, b| {
        let time = b.self_seconds().total_cmp(&a.self_seconds());
        time.then(b.work().instructions.cmp(&a.work().instructions)).then(a.pieces[0].id.cmp(&b.pieces[0].id))
    });
    groups
}

/// `AVX2 256b x4`, `scalar f64`.
pub(crate) fn kind(facts: &LoopFacts, style: &TerminalStyle) -> Cell {
    let scalar = || format!("scalar {}", vocabulary::elements(&facts.types)).trim_end().to_owned();
    match &facts.vector {
        Some(vector) if facts.vectorized => Cell::new(
            format!("{} {}b {}{}", vocabulary::isa(vector.isa), vector.bits, style.times(), vector.length),
            Ink::Good,
        ),
        _ if facts.vectorized => Cell::new("vectorised", Ink::Good),
        Some(vector) if vector.packed_share >= 0.01 => {
            Cell::new(format!("{}, {} packed", scalar(), share(vector.packed_share)), Ink::Costly)
        }
        _ => Cell::new(scalar(), Ink::Costly),
    }
}

/// Reasons, the most specific first, each once.
pub(crate) fn reasons(facts: &LoopFacts) -> Vec<&str> {
    let mut seen = Vec::new();
    for why in &facts.why_not {
        if !seen.contains(&why.reason.as_str()) {
            seen.push(why.reason.as_str());
        }
    }
    seen
}

/// Traits as one text. Early exits and calls are only news in scalar loops, where the reason already
/// names them; the order is the contract's.
pub(crate) fn traits(facts: &LoopFacts) -> String {
    facts.traits.iter().map(|each: &Trait| vocabulary::contract_name(each)).collect::<Vec<_>>().join(", ")
}

/// What a reader should know of a loop at a glance: why it is scalar, or what slows its vectors, and
/// how much of it runs outside the vector body.
pub(crate) fn remarks(group: &Group<'_>) -> String {
    let lead = group.lead();
    let mut parts = Vec::new();
    if let Some(reason) = reasons(lead).first().filter(|_| !lead.vectorized) {
        parts.push((*reason).to_owned());
    }
    for (role, label) in [
        (LoopRole::Peel, vocabulary::role(LoopRole::Peel)),
        (LoopRole::Remainder, vocabulary::role(LoopRole::Remainder)),
        (LoopRole::Version, FALLBACK_VERSION),
    ] {
        let share = group.share_of(role);
        if share >= 0.05 && lead.role != role {
            parts.push(format!("{label} {} %", whole_percent(share)));
        }
    }
    if let Some(idiom) = lead.idiom {
        parts.push(filled(OPEN_CODED, [&vocabulary::contract_name(&idiom)]));
    }
    // `early-exit` is a reason and a trait: once is enough.
    let named = lead.traits.iter().map(vocabulary::contract_name).filter(|name| !parts.contains(name));
    let named: Vec<String> = named.collect();
    parts.extend(named);
    parts.join(", ")
}

/// How far the loop is from the ceiling that binds it: `1.5x DRAM`.
pub(crate) fn headroom(facts: &LoopFacts, style: &TerminalStyle) -> String {
    let Some(point) = &facts.roofline else { return String::new() };
    match (point.headroom, &point.bound) {
        (Some(headroom), Some(bound)) => format!("{} {}", ratio(headroom, style), short_name(bound)),
        _ => String::new(),
    }
}

/// A ceiling's name without its details: those are in `roofline`.
fn short_name(bound: &str) -> &str {
    bound.split(" (").next().unwrap_or(bound)
}

/// Function and place as one text for sentences: `collide (lbm.c:118)`.
pub(crate) fn called(facts: &LoopFacts) -> String {
    format!("{} ({})", printable(facts.name()), printable(&facts.place()))
}

/// The place of a loop, with the module where it is not the program itself.
pub(crate) fn place(facts: &LoopFacts) -> String {
    let place = facts.place();
    if facts.main_module || facts.line.is_some() { place } else { format!("{}+{place}", facts.module) }
}

/// The heading of a source loop's part of a page.
pub(crate) fn title(group: &Group<'_>, style: &TerminalStyle) -> String {
    let lead = group.lead();
    let name = elide_symbol(&printable(lead.name()), style.columns().saturating_sub(44).max(24), style);
    let id = if group.pieces.len() > 1 {
        let ids: Vec<String> = group.pieces.iter().map(|piece| piece.id.to_string()).collect();
        format!("Loops {}", ids.join(", "))
    } else {
        format!("Loop {}", lead.id)
    };
    let mut about = vec![kind(lead, style).text().to_owned()];
    if group.self_share() > 0.0 {
        about.push(format!("{} of the time", share(group.self_share())));
    }
    format!(
        "\n{}  {}  {}  {}\n",
        style.paint(Ink::Title, &id),
        style.paint(Ink::Strong, &name),
        style.paint(Ink::Accent, &printable(&place(lead))),
        style.paint(Ink::Dim, &about.join(style.dot()))
    )
}
