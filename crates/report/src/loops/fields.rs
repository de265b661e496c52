//! The fields of loops: what `show loops` prints, what `--csv` writes, and what the page's table of loops is headed by.

use super::LoopRow;
use crate::access_patterns::Distribution;
use crate::bottlenecks;
use crate::columns::{Cell, Column, Shorten};
use crate::dependence_words::in_short;
use crate::fields::{Field, PageColumn, contract_names};
use crate::loop_words::{kind, place, reasons, traits};
use crate::quantity::{TimeUnit, amount, percent, rate, ratio, whole_percent};
use crate::style::{Ink, TerminalStyle};
use crate::vocabulary::{self, contract_name};
use loopwright_analysis::model::{
    Bottleneck, DependenceFacts, Imbalance, LoopFacts, MemoryFacts, RooflinePoint, TripCount, VectorFacts,
    WorkRow,
};

/// The order of the text.
pub(super) const TEXT: [&str; 25] = [
    "id",
    "self_share",
    "self_seconds",
    "total_share",
    "total_seconds",
    "function",
    "place",
    "module",
    "type",
    "data",
    "unroll",
    "gain",
    "efficiency",
    "trips",
    "instructions",
    "flop",
    "intensity",
    "strides",
    "dependence",
    "bound_by",
    "why_not",
    "traits",
    "claims",
    "threads",
    "recommendation",
];

/// The order of the page.
#[cfg(test)]
pub(crate) const PAGE: [&str; 27] = [
    "self_share",
    "self_seconds",
    "total_share",
    "total_seconds",
    "type",
    "why_not",
    "bound_by",
    "recommendation",
    "roofline",
    "trips",
    "trips_median",
    "entries",
    "isa",
    "width",
    "efficiency",
    "gain",
    "strides",
    "dependence",
    "traits",
    "calls",
    "module",
    "data",
    "unroll",
    "instructions",
    "flop",
    "intensity",
    "threads",
];

fn vector<'a>(row: &LoopRow<'a>) -> Option<&'a VectorFacts> {
    row.facts.vector.as_ref()
}

/// Vectors whose gain and efficiency mean something: most of the arithmetic is in them.
fn used<'a>(row: &LoopRow<'a>) -> Option<&'a VectorFacts> {
    vector(row).filter(|_| row.facts.vectorized)
}

fn trips<'a>(row: &LoopRow<'a>) -> Option<&'a TripCount> {
    row.facts.trip_count.as_ref()
}

fn work<'a>(row: &LoopRow<'a>) -> Option<&'a WorkRow> {
    row.facts.work.as_ref()
}

fn point<'a>(row: &LoopRow<'a>) -> Option<&'a RooflinePoint> {
    row.facts.roofline.as_ref()
}

fn imbalance<'a>(row: &LoopRow<'a>) -> Option<&'a Imbalance> {
    row.facts.by_thread.as_ref()?.time_imbalance.as_ref()
}

fn strides(row: &LoopRow<'_>) -> Option<Distribution> {
    Distribution::of(&row.facts.access)
}

fn memory<'a>(row: &LoopRow<'a>) -> Option<&'a MemoryFacts> {
    row.facts.memory.as_ref()
}

fn dependence<'a>(row: &LoopRow<'a>) -> Option<&'a DependenceFacts> {
    row.facts.dependence.as_ref()
}

/// What binds the loop; of pieces together the lead, else the first one that was measured.
fn bottleneck<'a>(row: &LoopRow<'a>) -> Option<&'a Bottleneck> {
    let of_pieces = || row.together()?.pieces.iter().find_map(|piece| piece.bottleneck.as_ref());
    row.facts.bottleneck.as_ref().or_else(of_pieces)
}

/// What each compiler claims, where it differs from what the instructions do or there are several.
fn claims(facts: &LoopFacts) -> String {
    let word = |vectorized: bool| if vectorized { "vectorised" } else { "missed" };
    let claims =
        facts.compilers.iter().map(|claim| format!("{}: {}", claim.compiler, word(claim.vectorized)));
    claims.collect::<Vec<_>>().join(", ")
}

/// All fields, in the order of the CSV; those that came later are last there.
pub(crate) fn fields<'a, 'r>(unit: TimeUnit, style: &'a TerminalStyle) -> Vec<Field<'a, LoopRow<'r>>> {
    let mut all = code(unit, style);
    all.extend(counted(style));
    all.extend(traced());
    all.push(Field::new("source_provenance").csv(|row: &LoopRow<'r>| {
        trips(row).and_then(|trips| trips.source_provenance).map(|how| contract_name(&how))
    }));
    all.extend(injected());
    all
}

/// What a survey and the code say.
fn code<'a, 'r>(unit: TimeUnit, style: &'a TerminalStyle) -> Vec<Field<'a, LoopRow<'r>>> {
    let field = Field::<LoopRow<'r>>::new;
    let timed = |name: &str| Column::right(format!("{name} {}", unit.symbol()));
    vec![
        field("id").csv(|row| row.facts.id).text(Column::right("Loop"), LoopRow::id),
        field("group").csv(|row| row.facts.group),
        field("role").csv(|row| vocabulary::role(row.facts.role).to_owned()),
        field("module")
            .csv(|row| row.facts.module.clone())
            .text(Column::left("Module").shorten(Shorten::Middle, 8).expendable(16), |row| {
                if row.facts.main_module { Cell::empty() } else { Cell::plain(&row.facts.module) }
            })
            .page(PageColumn::text("Module", 140).on_request()),
        field("function")
            .csv(|row| row.facts.function.clone())
            .text(Column::left("Function").shorten(Shorten::Symbol, 14), |row| row.name(style)),
        field("file").csv(|row| row.facts.file.clone()),
        field("line").csv(|row| row.facts.line),
        field("place").text(Column::left("Place").shorten(Shorten::Middle, 16), |row| {
            Cell::new(place(row.facts), Ink::Accent)
        }),
        field("column").csv(|row| row.facts.column),
        field("address").csv(|row| row.facts.address.clone()),
        field("parent").csv(|row| row.facts.parent),
        field("depth").csv(|row| row.facts.depth),
        field("self_seconds")
            .csv(|row| row.facts.self_seconds)
            .text(timed("Self").expendable(9), move |row| Cell::plain(unit.number(row.self_seconds())))
            .page(PageColumn::number("Self", 80).from("survey")),
        field("self_share")
            .csv(|row| row.facts.self_share)
            .text(Column::right("Self %"), LoopRow::self_percent)
            .page(PageColumn::number("Self %", 104).from("survey")),
        field("total_seconds")
            .csv(|row| row.facts.total_seconds)
            .text(timed("Total").expendable(14), move |row| Cell::plain(unit.number(row.total_seconds())))
            .page(PageColumn::number("Total", 80).on_request().from("survey")),
        field("total_share")
            .csv(|row| row.facts.total_share)
            .text(Column::right("Total %").expendable(3), |row| Cell::plain(percent(row.total_share())))
            .page(PageColumn::number("Total %", 76).from("survey")),
        field("samples").csv(|row| row.facts.samples),
        field("threads")
            .csv(|row| row.facts.threads)
            .text(Column::right("Threads").expendable(15), |row| {
                Cell::known((row.facts.threads > 1).then(|| row.facts.threads.to_string()))
            })
            .page(PageColumn::number("Threads", 80).on_request().from("survey")),
        field("vectorized").csv(|row| row.facts.vectorized),
        field("type")
            .text(Column::left("Type").shorten(Shorten::End, 16), |row| kind(row.facts, style))
            .page(PageColumn::text("Type", 176)),
        field("isa")
            .csv(|row| vector(row).map(|vector| contract_name(&vector.isa)))
            .page(PageColumn::text("Instruction set", 118)),
        field("bits").csv(|row| vector(row).map(|vector| vector.bits)),
        field("length").csv(|row| vector(row).map(|vector| vector.length)),
        field("width").page(PageColumn::text("Vector", 92)),
        field("unroll")
            .csv(|row| vector(row).map(|vector| vector.unroll))
            .text(Column::right("Unroll").expendable(11), |row| {
                let unroll = vector(row).map(|vector| vector.unroll).filter(|unroll| *unroll > 1);
                Cell::known(unroll.map(|unroll| unroll.to_string()))
            })
            .page(PageColumn::number("Unroll", 72).on_request()),
        field("packed_share").csv(|row| vector(row).map(|vector| vector.packed_share)),
        field("gain")
            .csv(|row| vector(row).and_then(|vector| vector.gain))
            .text(Column::right("Gain").expendable(6), |row| {
                Cell::known(used(row).and_then(|vector| vector.gain).map(|gain| ratio(gain, style)))
            })
            .page(PageColumn::number("Gain", 72)),
        field("efficiency")
            .csv(|row| vector(row).and_then(|vector| vector.efficiency))
            .text(Column::right("Eff. %").expendable(5), |row| {
                Cell::known(used(row).and_then(|vector| vector.efficiency).map(whole_percent))
            })
            .page(PageColumn::number("Efficiency", 92)),
        field("data")
            .csv_as("types", |row| contract_names(&row.facts.types))
            .text(Column::left("Data").expendable(10), |row| {
                Cell::plain(vocabulary::elements(&row.facts.types))
            })
            .page(PageColumn::text("Data", 90).on_request()),
        field("traits")
            .csv(|row| contract_names(&row.facts.traits))
            .text(Column::left("Traits").shorten(Shorten::End, 14).expendable(4), |row| {
                Cell::plain(traits(row.facts))
            })
            .page(PageColumn::text("Traits", 176)),
        field("calls").page(PageColumn::text("Calls", 160)),
        field("constant_trips").csv(|row| row.facts.constant_trips),
        field("static_instructions").csv_as("instructions", |row| row.facts.instructions),
        field("bytes_loaded_per_iteration").csv(|row| row.facts.bytes_loaded_per_iteration),
        field("bytes_stored_per_iteration").csv(|row| row.facts.bytes_stored_per_iteration),
        field("why_not")
            .csv(|row| {
                let reasons: Vec<&str> = row.facts.why_not.iter().map(|why| why.reason.as_str()).collect();
                reasons.join(" ")
            })
            .text(Column::left("Why not").shorten(Shorten::End, 18), |row| {
                if row.facts.vectorized { Cell::empty() } else { Cell::plain(reasons(row.facts).join(", ")) }
            })
            .page(PageColumn::text("Why not vectorised", 196)),
        field("claims")
            .csv_as("compilers", |row| {
                let claims = row.facts.compilers.iter();
                let claims: Vec<String> =
                    claims.map(|claim| format!("{}={}", claim.compiler, claim.vectorized)).collect();
                claims.join("; ")
            })
            .text(Column::left("Compiler says").shorten(Shorten::End, 14).expendable(13), |row| {
                Cell::plain(claims(row.facts))
            }),
        field("recommendation")
            .text(Column::right("Advice").expendable(8), LoopRow::advice)
            .page(PageColumn::text("Recommendation", 272)),
    ]
}

/// What a counting run says.
fn counted<'a, 'r>(style: &'a TerminalStyle) -> Vec<Field<'a, LoopRow<'r>>> {
    let field = Field::<LoopRow<'r>>::new;
    vec![
        field("trips")
            .text(Column::right("Trips").expendable(7), |row| Cell::known(row.trips(style)))
            .page(PageColumn::number("Trips", 88).from("tripcounts")),
        field("entries")
            .csv(|row| trips(row).and_then(|trips| trips.entries))
            .page(PageColumn::number("Entries", 92).from("tripcounts")),
        field("iterations").csv(|row| trips(row).map(|trips| trips.iterations)),
        field("min_iterations").csv(|row| trips(row).and_then(|trips| trips.min)),
        field("median_iterations_low")
            .csv(|row| trips(row).and_then(|trips| trips.median_range()).map(|median| median.0)),
        field("median_iterations_high")
            .csv(|row| trips(row).and_then(|trips| trips.median_range()).map(|median| median.1)),
        field("trips_median").page(PageColumn::number("Median trips", 100).from("tripcounts")),
        field("mean_iterations").csv(|row| trips(row).and_then(|trips| trips.mean)),
        field("max_iterations").csv(|row| trips(row).and_then(|trips| trips.max)),
        field("source_factor").csv(|row| trips(row).and_then(|trips| trips.source_factor)),
        field("source_iterations").csv(|row| trips(row).and_then(|trips| trips.source_iterations)),
        field("source_share").csv(|row| trips(row).and_then(|trips| trips.source_share)),
        field("group_iterations").csv(|row| trips(row).and_then(|trips| trips.group_iterations)),
        field("source_entries").csv(|row| trips(row).and_then(|trips| trips.source_entries)),
        field("source_mean").csv(|row| trips(row).and_then(|trips| trips.source_mean)),
        field("instructions")
            .csv_as("executed_instructions", |row| work(row).map(|work| work.instructions))
            .text(Column::right("Instr.").expendable(12), |row| {
                Cell::known(row.work().map(|work| amount(work.instructions)))
            })
            .page(PageColumn::number("Instructions", 108).on_request().from("tripcounts")),
        field("flop")
            .csv(|row| work(row).map(|work| work.flop))
            .text(Column::right("FLOP").expendable(17), |row| {
                Cell::known(row.work().filter(|work| work.flop > 0).map(|work| amount(work.flop)))
            })
            .page(PageColumn::number("FLOP", 96).on_request().from("tripcounts")),
        field("flop_f32").csv(|row| work(row).map(|work| work.flop_f32)),
        field("flop_f64").csv(|row| work(row).map(|work| work.flop_f64)),
        field("flop_is_bound").csv(|row| work(row).map(|work| work.flop_is_bound)),
        field("fma_share").csv(|row| work(row).and_then(|work| work.fma_share)),
        field("executed_packed_share").csv(|row| work(row).and_then(|work| work.executed_packed_share())),
        field("int_ops").csv(|row| work(row).map(|work| work.int_ops)),
        field("bytes_loaded").csv(|row| work(row).map(|work| work.bytes_loaded)),
        field("bytes_stored").csv(|row| work(row).map(|work| work.bytes_stored)),
        field("intensity")
            .csv(|row| work(row).and_then(|work| work.intensity))
            .text(Column::right("FLOP/B").expendable(18), |row| {
                Cell::known(row.work().and_then(|work| work.intensity).map(rate))
            })
            .page(PageColumn::number("FLOP/byte", 92).on_request().from("tripcounts")),
        field("roofline_kind").csv(|row| point(row).map(|point| contract_name(&point.kind))),
        field("gflops").csv(|row| point(row).and_then(|point| point.gflops)),
        field("gintops").csv(|row| point(row).and_then(|point| point.gintops)),
        field("gbytes_per_second").csv(|row| point(row).and_then(|point| point.gbytes_per_second)),
        field("bound").csv(|row| point(row).and_then(|point| point.bound.as_ref()).map(ToString::to_string)),
        field("ceiling").csv(|row| point(row).and_then(|point| point.ceiling)),
        field("roofline")
            .csv_as("headroom", |row| point(row).and_then(|point| point.headroom))
            .page(PageColumn::number("Headroom", 132).from("tripcounts")),
        field("imbalance_seconds").csv(|row| imbalance(row).map(|imbalance| imbalance.excess)),
        field("imbalance_share").csv(|row| imbalance(row).map(|imbalance| imbalance.share)),
        field("not_counted").csv(|row| row.facts.not_counted.as_ref().map(ToString::to_string)),
    ]
}

/// What a tracing run says.
fn traced<'a, 'r>() -> Vec<Field<'a, LoopRow<'r>>> {
    let field = Field::<LoopRow<'r>>::new;
    vec![
        field("traced_iterations").csv(|row| memory(row).map(|memory| memory.traced_iterations)),
        field("unit_share").csv(|row| strides(row).map(|strides| strides.unit)),
        field("uniform_share").csv(|row| strides(row).map(|strides| strides.uniform)),
        field("constant_share").csv(|row| strides(row).map(|strides| strides.constant)),
        field("variable_share").csv(|row| strides(row).map(|strides| strides.variable)),
        field("frame_share").csv(|row| strides(row).map(|strides| strides.frame)),
        field("strides")
            .text(Column::left("Strides %").expendable(8), |row| {
                Cell::known(strides(row).and_then(|strides| strides.in_short()))
            })
            .page(PageColumn::text("Strides %", 104).from("map")),
        field("utilisation").csv(|row| memory(row).and_then(|memory| memory.utilisation)),
        field("footprint_bytes").csv(|row| memory(row).map(|memory| memory.footprint_bytes)),
        field("dependence")
            .csv_as("vector_verdict", |row| dependence(row).map(|known| contract_name(&known.vector)))
            .text(Column::left("Depend.").expendable(6), |row| {
                dependence(row).map_or_else(Cell::empty, in_short)
            })
            .page(PageColumn::text("Dependences", 120).from("dependencies")),
        field("max_length").csv(|row| dependence(row).and_then(|known| known.max_length)),
        field("parallel_verdict").csv(|row| dependence(row).map(|known| contract_name(&known.parallel))),
        field("checked_iterations").csv(|row| dependence(row).map(|known| known.checked_iterations)),
        field("carried_dependences").csv(|row| dependence(row).map(|known| known.found.len())),
        field("not_traced").csv(|row| row.facts.not_traced.as_ref().map(ToString::to_string)),
    ]
}

/// What a run with injected operations says.
fn injected<'a, 'r>() -> Vec<Field<'a, LoopRow<'r>>> {
    let field = Field::<LoopRow<'r>>::new;
    vec![
        field("bound_by")
            .csv(|row| {
                row.facts.bottleneck.as_ref().map(|known| {
                    let kinds: Vec<_> = known.verdict.iter().map(|cause| cause.kind).collect();
                    contract_names(&kinds)
                })
            })
            .text(Column::left("Bound by").shorten(Shorten::End, 14).expendable(5), |row| {
                bottleneck(row).map_or_else(Cell::empty, bottlenecks::in_short)
            })
            .page(PageColumn::text("Bound by", 184).from("bottlenecks")),
        field("bound_share").csv(|row| {
            let first = row.facts.bottleneck.as_ref().and_then(|known| known.verdict.first());
            first.map(|cause| cause.share)
        }),
        field("iteration_ns").csv(|row| row.facts.bottleneck.as_ref().map(|known| known.iteration_ns)),
        field("not_injected").csv(|row| row.facts.not_injected.as_ref().map(ToString::to_string)),
    ]
}
