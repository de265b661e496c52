//! Dependences of the loop as written, and what they allow.
//!
//! Three sources meet here. The trace has seen which operands meet in memory, at which distance (`lift` turns machine
//! iterations into source iterations). The code shows what is carried in registers, where a trace sees nothing, and which
//! carried scalars are counters and reductions (`scalar`). `judge` weighs what is left:
//!
//! - A dependence whose source is before its sink in the body is kept by vectors: all lanes of the source are done
//!   before any lane of the sink (Allen and Kennedy, *Optimizing Compilers for Modern Architectures*, 2.4 and 5.3: loops
//!   whose statements can be put in an order without backward carried dependences vectorise).
//! - One that goes backward allows vectors of at most its distance.
//! - WAR and WAW on a scalar that every iteration writes before it reads it, or in frames of called functions, vanish when
//!   each lane or thread has a copy of its own.
//!
//! Details for users are in `docs/patterns.md`.

mod judge;
mod lift;
mod pieces;
mod scalar;
#[cfg(test)]
mod tests;

use super::Traced;
use crate::model::{AccessFacts, CarriedScalar, DependenceEnd, DependenceFacts, FoundDependence};
use lift::Positions;
use loopwright_binary::facts::{CarriedKind, CarriedValue};
use loopwright_patterns::facts::{Dependence, DependenceKind, SitePattern};
use loopwright_stats::saturating_sum;
pub(super) use pieces::unite;
use scalar::Role;
use std::collections::BTreeMap;

/// What is known of the dependences that a loop carries; `access` are its operands as written.
pub(super) fn dependence(traced: &Traced, access: &[AccessFacts]) -> Option<DependenceFacts> {
    let checked = traced.seen.checked.as_ref()?;
    let positions = Positions::new(traced, access);
    let lifted: Vec<Lifted> =
        traced.seen.dependences.iter().filter_map(|d| lift(traced, &positions, d)).collect();
    let roles = scalar::roles(traced, &lifted);
    let mut facts = DependenceFacts {
        checked_iterations: checked.iterations.saturating_mul(positions.factor()),
        checked_machine_iterations: checked.iterations,
        checked_entries: checked.entries,
        horizon: checked.longest.saturating_mul(positions.factor()),
        unknown: unknown(traced),
        ..DependenceFacts::default()
    };
    facts.exhaustive = traced.run.facts.exhaustive
        && !traced.run.facts.interrupted
        && checked.forgotten == 0
        && traced.seen.gaps.is_empty();
    let ends = Ends { traced, access, positions: &positions };
    for (of, role) in lifted.iter().zip(&roles) {
        match role {
            Role::Counter | Role::Reduction | Role::Within => {}
            // Variables in frames are listed as private where they need to be, and are no concern otherwise.
            Role::Private if of.seen.callee_frame || of.source.frame && of.sink.frame => {}
            Role::Private | Role::Plain => facts.found.extend(found(of, *role == Role::Private, &ends)),
        }
    }
    let (module, function) = (traced.seen.module, traced.seen.function);
    let exits = traced.code.ends.iter().flat_map(|ends| &ends.data);
    facts.early_exits = exits.map(|&address| ends.at(module, function, address)).collect();
    scalars(traced, &lifted, &roles, &ends, &mut facts);
    registers(traced, &positions, &ends, &mut facts);
    facts.found.sort_by_key(|f| (!f.limits_vectors, f.privatisable, f.kind, f.distance));
    judge::judge(&mut facts);
    Some(facts)
}

/// A dependence in source iterations.
struct Lifted<'a> {
    seen: &'a Dependence,
    source: &'a SitePattern,
    sink: &'a SitePattern,
    /// Occurrences by distance; those within one source iteration are under 0.
    distances: BTreeMap<u64, u64>,
}

impl Lifted<'_> {
    /// The nearest distance at which it is carried.
    fn nearest(&self) -> Option<u64> {
        self.distances.keys().copied().find(|&distance| distance > 0)
    }
}

fn lift<'a>(traced: &Traced<'a>, positions: &Positions, seen: &'a Dependence) -> Option<Lifted<'a>> {
    let source = traced.seen.sites.get(seen.source as usize)?;
    let sink = traced.seen.sites.get(seen.sink as usize)?;
    let mut distances: BTreeMap<u64, u64> = BTreeMap::new();
    for edge in &seen.edges {
        for distance in positions.distances(edge, (seen.source as usize, source), (seen.sink as usize, sink))
        {
            *distances.entry(distance).or_default() += edge.count;
        }
    }
    // Within a machine iteration, copies that cannot be distinguished may be of one source iteration or of two. They are of one
    // only where the flow stays within and is there every time; by chance operands meet in any two.
    let placed = |site: u32| positions.is_placed(site as usize);
    let within = saturating_sum(seen.edges.iter().filter(|edge| edge.distance == 0).map(|edge| edge.count));
    let apart = placed(seen.source) && placed(seen.sink);
    let always = positions.move_alike(seen.source, seen.sink) && within >= sink.executions;
    let stays = distances.keys().all(|&d| d == 0) && always;
    if seen.kind == DependenceKind::Flow && within > 0 && !apart && !stays {
        distances.entry(1).or_insert(1);
    }
    Some(Lifted { seen, source, sink, distances })
}

/// Returns the positions of operands.
struct Ends<'a, 'b> {
    traced: &'b Traced<'a>,
    access: &'b [AccessFacts],
    positions: &'b Positions,
}

impl Ends<'_, '_> {
    fn own(&self, site: &SitePattern) -> bool {
        let seen = self.traced.seen;
        // Library calls have no function of their own.
        site.module == seen.module && (site.function == seen.function || site.function == 0)
    }

    fn of(&self, site: &SitePattern) -> DependenceEnd {
        let function = if site.function == 0 { self.traced.seen.function } else { site.function };
        self.at(site.module, function, site.address)
    }

    fn at(&self, module: u32, function: u64, address: u64) -> DependenceEnd {
        let spot = self.traced.spot(module, function, address);
        let text = format!("{address:#x}");
        let mut named =
            self.access.iter().filter(|a| a.addresses.contains(&text) && a.function == spot.function);
        DependenceEnd {
            file: spot.file,
            line: spot.line,
            operand: named.find_map(|a| a.operand.clone()),
            address: text,
            function: spot.function,
        }
    }

    /// The code shows that the two are always as far apart: constant offsets from one base. In calls it shows nothing.
    fn constant(&self, of: &Lifted) -> bool {
        let class = |site: &SitePattern| {
            let classes = &self.traced.code.address_classes;
            let known = classes.iter().find(|(address, _)| *address == site.address);
            known.filter(|_| self.own(site) && site.function != 0 && site.lanes <= 1).map(|known| known.1)
        };
        class(of.source).is_some_and(|source| class(of.sink) == Some(source))
    }

    /// The source is before the sink in the body: by line, on one line by the order of instructions.
    fn forward(&self, of: &Lifted) -> bool {
        let (source, sink) = (of.source, of.sink);
        if source.address == sink.address || !self.own(source) || !self.own(sink) {
            return false;
        }
        let (a, b) = (self.of(source), self.of(sink));
        let source_first =
            self.positions.first_copy(of.seen.source) < self.positions.first_copy(of.seen.sink);
        match (a.line, b.line) {
            (Some(first), Some(second)) if a.file == b.file && first != second => first < second,
            // A statement reads before it writes.
            _ if of.seen.kind == DependenceKind::Anti => source_first,
            // Copies in an unrolled loop come one after another: the first ones count, where it is known which those are.
            _ => {
                let placed = |site: u32| self.positions.is_placed(site as usize);
                placed(of.seen.source) && placed(of.seen.sink) && source_first
            }
        }
    }
}

fn found(of: &Lifted, privatisable: bool, ends: &Ends) -> Option<FoundDependence> {
    let distance = of.nearest()?;
    let forward = ends.forward(of);
    Some(FoundDependence {
        kind: of.seen.kind,
        memory: true,
        distance,
        distances: of.distances.iter().map(|(&d, &n)| (d, n)).filter(|&(d, _)| d > 0).collect(),
        source: ends.of(of.source),
        sink: ends.of(of.sink),
        example: Some(format!("{:#x}", of.seen.example)),
        forward,
        privatisable,
        limits_vectors: !privatisable && !forward,
        constant_distance: ends.constant(of),
    })
}

/// Lists scalars in memory by what they are.
fn scalars(traced: &Traced, lifted: &[Lifted], roles: &[Role], ends: &Ends, facts: &mut DependenceFacts) {
    let unoptimised =
        traced.code.carried.iter().flatten().any(|v| v.memory && v.kind == CarriedKind::Induction);
    for (of, role) in lifted.iter().zip(roles) {
        if of.nearest().is_none() || of.seen.callee_frame {
            continue;
        }
        // Each variable once: by the instruction that writes it.
        let writer = if of.seen.kind == DependenceKind::Anti { of.sink } else { of.source };
        let end = ends.of(writer);
        // What an optimising compiler keeps in the frame without a name is a register that it had no room for.
        if *role == Role::Private && writer.frame && !unoptimised && end.operand.is_none() {
            continue;
        }
        let value = scalar::value(traced, writer);
        if *role == Role::Reduction && value.is_none() {
            // Kept in a register, by whose name it is listed.
            continue;
        }
        let name = end.operand.or_else(|| value.map(|v| v.place.clone())).unwrap_or(end.address);
        let scalar = CarriedScalar {
            name,
            line: end.line,
            operation: value.filter(|_| *role == Role::Reduction).and_then(|v| v.operation.clone()),
            floating: *role == Role::Reduction && value.is_some_and(|v| v.floating),
        };
        let list = match role {
            Role::Counter => &mut facts.inductions,
            Role::Reduction => &mut facts.reductions,
            Role::Private => &mut facts.private,
            Role::Plain | Role::Within => continue,
        };
        if list.iter().all(|known| (&known.name, known.line) != (&scalar.name, scalar.line)) {
            list.push(scalar);
        }
    }
}

/// Adds what registers carry.
fn registers(traced: &Traced, positions: &Positions, ends: &Ends, facts: &mut DependenceFacts) {
    let (module, function) = (traced.seen.module, traced.seen.function);
    for value in traced.code.carried.iter().flatten().filter(|value| !value.memory) {
        let writer = value.writers.last().copied().unwrap_or(traced.seen.header);
        let reader = value.readers.first().copied().unwrap_or(writer);
        let scalar = || CarriedScalar {
            name: value.place.clone(),
            line: ends.at(module, function, writer).line,
            operation: value.operation.clone(),
            floating: value.floating && value.kind == CarriedKind::Reduction,
        };
        match value.kind {
            CarriedKind::Induction => facts.inductions.push(scalar()),
            CarriedKind::Reduction => facts.reductions.push(scalar()),
            CarriedKind::Unclear => facts.unknown.push(format!(
                "what {} hands from one iteration to the next at {writer:#x} is not clear from the code",
                value.place
            )),
            CarriedKind::PointerChase | CarriedKind::Recurrence | CarriedKind::Forwarded => {
                facts.found.push(FoundDependence {
                    kind: DependenceKind::Flow,
                    memory: false,
                    distance: register_distance(value, positions.factor()),
                    source: ends.at(module, function, writer),
                    sink: ends.at(module, function, reader),
                    limits_vectors: value.kind != CarriedKind::Forwarded,
                    constant_distance: true,
                    ..FoundDependence::default()
                });
            }
        }
    }
}

/// Source iterations until a value that rotates through registers is used: the machine iterations that it takes,
/// in which `factor` copies of the statement work on it.
fn register_distance(value: &CarriedValue, factor: u64) -> u64 {
    let gcd = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a.max(1)
    };
    let copies = gcd(u64::from(value.copies), factor.max(1));
    (u64::from(value.distance.max(1)) * factor / copies).max(1)
}

/// Why the verdict is not surer.
fn unknown(traced: &Traced) -> Vec<String> {
    let seen = traced.seen;
    let mut out = Vec::new();
    for call in seen.calls.iter().filter(|call| !call.modelled && call.count > 0) {
        let times =
            if call.count == 1 { "once".to_owned() } else { format!("{} times", judge::grouped(call.count)) };
        out.push(format!(
            "{} was called {times} (at {:#x}), and what it does to memory was not seen",
            call.target.as_deref().unwrap_or("unknown code"),
            call.address
        ));
    }
    out.extend(seen.gaps.iter().map(ToString::to_string));
    if let Some(forgotten) = seen.checked.as_ref().map(|c| c.forgotten).filter(|&n| n > 0) {
        out.push(format!(
            "memory for the history of accesses ran out, {} places were forgotten: dependences at those may be missing",
            judge::grouped(forgotten)
        ));
    }
    if !traced.function.unresolved_jumps.is_empty() {
        out.push("an indirect jump of the function leads to unknown places: its registers could not all be followed".into());
    }
    if traced.code.ends.as_ref().is_some_and(|ends| !ends.unclear.is_empty()) {
        out.push("whether the loop ends by a count or by its data is not clear from the code".into());
    }
    if traced.code.carried.is_none() || traced.code.ends.is_none() {
        out.push(
            "what the loop carries in registers, and how it ends, was not looked for: it is too large, or was traced by an older \
             version"
                .into(),
        );
    }
    out
}
