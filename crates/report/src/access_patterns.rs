//! How a loop's memory operands move: the distribution of strides, a table with a row for each access as written, and
//! the distances between the lanes of gathers. Used by the page of `map` and by `show loop`.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::prose::{facts, labelled, paragraph};
use crate::quantity::{bytes, count, mean, percent, share};
use crate::style::{Ink, TerminalStyle};
use crate::vocabulary::contract_name;
use loopwright_analysis::model::{AccessFacts, LoopFacts, OuterStride, StridePattern};
use loopwright_analysis::place::base_name;

/// Below this share of the bytes of the touched lines an access wastes most of the memory's work.
const WASTEFUL: f64 = 0.5;
/// Above this share of executions, misalignment and splits are worth a colour.
const FREQUENT: f64 = 0.05;
/// Strides named for an access without a constant one.
const STRIDES: usize = 3;

/// Executions by how they move; variables in the function's frame are apart, for they never leave the first cache.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Distribution {
    pub(crate) unit: f64,
    pub(crate) uniform: f64,
    pub(crate) constant: f64,
    pub(crate) variable: f64,
    pub(crate) frame: f64,
}

impl Distribution {
    /// Of the accesses of one or more machine loops; nothing where nothing was traced.
    pub(crate) fn of<'a>(accesses: impl IntoIterator<Item = &'a AccessFacts>) -> Option<Self> {
        let mut sums = Self::default();
        let mut all = 0.0;
        for access in accesses {
            let executions = access.executions as f64;
            all += executions;
            let part = match access.pattern {
                _ if access.frame => &mut sums.frame,
                StridePattern::Unit => &mut sums.unit,
                StridePattern::Uniform => &mut sums.uniform,
                StridePattern::Constant => &mut sums.constant,
                StridePattern::Variable => &mut sums.variable,
            };
            *part += executions;
        }
        let share = |part: f64| part / all;
        (all > 0.0).then(|| Self {
            unit: share(sums.unit),
            uniform: share(sums.uniform),
            constant: share(sums.constant),
            variable: share(sums.variable),
            frame: share(sums.frame),
        })
    }

    /// For a narrow column: unit and uniform, constant, variable, in percent of what is not in the frame.
    pub(crate) fn in_short(&self) -> Option<String> {
        let all = self.unit + self.uniform + self.constant + self.variable;
        let part = |part: f64| (part / all * 100.0).round() as u32;
        (all > 0.0).then(|| {
            format!("{}/{}/{}", part(self.unit + self.uniform), part(self.constant), part(self.variable))
        })
    }

    fn items(&self) -> Vec<String> {
        let parts = [
            (self.unit, "unit"),
            (self.uniform, "uniform"),
            (self.constant, "constant"),
            (self.variable, "variable"),
            (self.frame, "variables in the frame"),
        ];
        let known = parts.iter().filter(|(part, _)| *part > 0.0);
        known.map(|(part, name)| format!("{} {name}", share(*part))).collect()
    }
}

/// Distribution, table and gathers of one machine loop; `label` is the width of the label column.
pub(crate) fn accesses(this: &LoopFacts, rows: usize, label: usize, style: &TerminalStyle) -> String {
    let Some(distribution) = Distribution::of(&this.access) else { return String::new() };
    let mut out = facts(style, "Strides", label, Ink::Plain, &distribution.items());
    out.push_str(&table(this, rows, style));
    out + &gathers(this, rows, label, style)
}

/// Those that were seen: first those that move, then those of one address, then variables in the frame; each in the order of the model.
fn ordered(this: &LoopFacts) -> Vec<&AccessFacts> {
    let mut all: Vec<&AccessFacts> = this.access.iter().filter(|access| access.executions > 0).collect();
    all.sort_by_key(|access| (access.frame, access.pattern == StridePattern::Uniform));
    all
}

fn table(this: &LoopFacts, rows: usize, style: &TerminalStyle) -> String {
    let all = ordered(this);
    let shown = all.iter().copied().take(rows);
    let mut out = columns(this, style).render(shown, style, 0);
    if all.len() > rows {
        let text = format!("{} more accesses: loopwright show loop {} --json", all.len() - rows, this.id);
        out.push_str(&paragraph(style, 0, Ink::Dim, &text));
    }
    out
}

/// `54`, or `mesh.h:54` in another file than the loop's.
pub(crate) fn line_of(this: &LoopFacts, file: Option<&str>, line: Option<u32>) -> Option<String> {
    let line = line?;
    match file {
        Some(file) if this.file.as_deref() != Some(file) => Some(format!("{}:{line}", base_name(file))),
        _ => Some(line.to_string()),
    }
}

/// The expression, or the instruction where no expression is known.
fn operand(access: &AccessFacts) -> String {
    let own = match (&access.operand, access.addresses.first()) {
        (Some(operand), _) => operand.clone(),
        (None, Some(first)) => format!("at {first}"),
        (None, None) => String::new(),
    };
    match &access.function {
        Some(function) => format!("{own} in {function}"),
        None => own,
    }
}

fn kind(access: &AccessFacts) -> String {
    let mut text = contract_name(&access.kind);
    if access.lanes > 1 {
        text = if access.kind.writes() { "scatter".to_owned() } else { "gather".to_owned() };
    }
    for (is, word) in [(access.streaming, "streaming "), (access.atomic, "atomic ")] {
        if is {
            text.insert_str(0, word);
        }
    }
    text
}

/// A stride in elements where it is a whole number of them, else in bytes.
fn distance(elements: Option<i64>, bytes: Option<i64>) -> Option<String> {
    match (elements, bytes) {
        (Some(elements), _) => Some(elements.to_string()),
        (None, Some(bytes)) => Some(format!("{bytes} B")),
        (None, None) => None,
    }
}

/// The stride of the loop as written, with that of the machine's loop where it is another one.
pub(crate) fn stride(access: &AccessFacts) -> String {
    let machine = distance(access.machine_stride_elements, access.machine_stride_bytes);
    match distance(access.stride_elements, access.stride_bytes) {
        Some(source) => match machine {
            Some(machine) if access.machine_stride_bytes != access.stride_bytes => {
                format!("{source} ({machine} per machine iteration)")
            }
            _ => source,
        },
        None => {
            let known = access.distribution.iter().take(STRIDES);
            let mut parts: Vec<String> =
                known.map(|(bytes, part)| format!("{bytes} B in {}", share(*part))).collect();
            let named: f64 = access.distribution.iter().take(STRIDES).map(|(_, part)| part).sum();
            if !parts.is_empty() && named < 0.995 {
                parts.push("others".to_owned());
            }
            parts.join(", ")
        }
    }
}

/// What the access does over one loop around: `100`, `uniform`.
fn over(outer: &OuterStride, element: u32) -> String {
    let elements = outer
        .stride_bytes
        .and_then(|bytes| bytes.checked_div(element.into()).filter(|_| bytes % i64::from(element) == 0));
    match outer.pattern {
        StridePattern::Uniform | StridePattern::Variable => contract_name(&outer.pattern),
        StridePattern::Unit | StridePattern::Constant => {
            distance(elements, outer.stride_bytes).unwrap_or_else(|| contract_name(&outer.pattern))
        }
    }
}

/// The same over all loops around, neighbours that are alike together: `uniform over lbm.c:90 and lbm.c:60, 100 over
/// lbm.c:30`.
fn around(access: &AccessFacts, style: &TerminalStyle) -> String {
    let mut parts: Vec<(String, Vec<&str>)> = Vec::new();
    for outer in &access.outer {
        let what = over(outer, access.element_bytes);
        match parts.last_mut().filter(|(last, _)| *last == what) {
            Some((_, places)) => places.push(&outer.place),
            None => parts.push((what, vec![&outer.place])),
        }
    }
    let parts: Vec<String> =
        parts.into_iter().map(|(what, places)| format!("{what} over {}", places.join(" and "))).collect();
    parts.join(style.dot())
}

fn columns<'a>(this: &'a LoopFacts, style: &'a TerminalStyle) -> Table<'a, &'a AccessFacts> {
    let part = |value: f64| match value {
        value if value > FREQUENT => Cell::new(percent(value), Ink::Costly),
        value if value > 0.0 => Cell::plain(percent(value)),
        _ => Cell::empty(),
    };
    Table::<&AccessFacts>::new()
        .column(Column::right("Line"), |each| Cell::known(line_of(this, each.file.as_deref(), each.line)))
        .column(Column::left("Access"), |each| Cell::plain(kind(each)))
        .column(Column::left("Operand").shorten(Shorten::End, 16), |each| {
            Cell::new(operand(each), if each.frame { Ink::Dim } else { Ink::Accent })
        })
        .column(Column::left("Pattern"), |each| {
            let ink = match each.pattern {
                _ if each.frame => Ink::Dim,
                StridePattern::Unit | StridePattern::Uniform => Ink::Good,
                StridePattern::Constant | StridePattern::Variable => Ink::Costly,
            };
            Cell::new(contract_name(&each.pattern), ink)
        })
        .column(Column::left("Stride").shorten(Shorten::End, 28), |each| Cell::plain(stride(each)))
        .column(Column::right("Bytes").expendable(3), |each| Cell::plain(each.element_bytes.to_string()))
        .column(Column::right("Used %").expendable(2), |each| match each.utilisation {
            Some(used) if used < WASTEFUL => Cell::new(percent(used), Ink::Costly),
            used => Cell::known(used.map(percent)),
        })
        .column(Column::right("Footprint").expendable(4), |each| Cell::known(each.footprint_bytes.map(bytes)))
        .column(Column::right("Unaligned %").expendable(6), move |each| part(each.unaligned_share))
        .column(Column::right("Line splits %").expendable(7), move |each| part(each.line_split_share))
        .column(Column::right("Executions").expendable(8), |each| Cell::plain(count(each.executions)))
        .column(Column::left("Over the loops around").shorten(Shorten::End, 21).expendable(5), |each| {
            Cell::plain(around(each, style))
        })
}

/// The distances between the lanes of gathers and scatters, a line each.
fn gathers(this: &LoopFacts, most: usize, label: usize, style: &TerminalStyle) -> String {
    let mut out = String::new();
    let all = this.access.iter().filter_map(|access| Some((access, access.gather.as_ref()?)));
    for (access, gather) in all.take(most) {
        let title = if access.kind.writes() { "Scatter" } else { "Gather" };
        let line = line_of(this, access.file.as_deref(), access.line);
        let line = line.map_or_else(String::new, |line| format!(" (line {line})"));
        let lanes = match gather.lane_stride_bytes {
            Some(0) => "all lanes at one address".to_owned(),
            Some(step) if step == i64::from(access.element_bytes) => {
                "lanes next to each other: a vector load would do".to_owned()
            }
            Some(step) => format!("lanes {step} B apart"),
            None => "lanes at irregular distances".to_owned(),
        };
        let mut text = format!(
            "{}{line}: {lanes}; {} of {} lanes active, {} cache lines each",
            operand(access),
            mean(gather.active_lanes),
            access.lanes,
            mean(gather.lines_per_execution),
        );
        if gather.lane_stride_bytes.is_none() {
            text.push_str(&format!(
                "; equidistant in {}, ascending in {} of the executions",
                share(gather.affine_share),
                share(gather.ascending_share)
            ));
        }
        out.push_str(&labelled(style, 0, title, label, Ink::Plain, &text));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_patterns::facts::AccessKind;

    fn access(pattern: StridePattern, stride: Option<i64>, machine: Option<i64>) -> AccessFacts {
        let elements = |bytes: Option<i64>| bytes.filter(|bytes| bytes % 8 == 0).map(|bytes| bytes / 8);
        AccessFacts {
            element_bytes: 8,
            lanes: 1,
            executions: 100,
            pattern,
            stride_bytes: stride,
            stride_elements: elements(stride),
            machine_stride_bytes: machine,
            machine_stride_elements: elements(machine),
            ..AccessFacts::default()
        }
    }

    #[test]
    fn strides_are_told_in_elements_of_the_source_and_of_the_machine() {
        use StridePattern::{Constant, Unit, Variable};
        assert_eq!(stride(&access(Unit, Some(8), Some(8))), "1");
        assert_eq!(stride(&access(Unit, Some(-8), Some(-64))), "-1 (-8 per machine iteration)");
        assert_eq!(stride(&access(Constant, Some(24), Some(96))), "3 (12 per machine iteration)");
        assert_eq!(stride(&access(Constant, Some(20), Some(20))), "20 B");
        let mut irregular = access(Variable, None, None);
        irregular.distribution = vec![(8, 0.5), (16, 0.25), (-24, 0.125), (40, 0.0625)];
        assert_eq!(stride(&irregular), "8 B in 50 %, 16 B in 25 %, -24 B in 12 %, others");
    }

    #[test]
    fn what_moves_comes_first_and_the_frame_last() {
        use StridePattern::{Constant, Uniform, Unit};
        let framed = AccessFacts { frame: true, ..access(Unit, Some(8), Some(8)) };
        let unseen = AccessFacts { executions: 0, ..access(Unit, Some(8), Some(8)) };
        let mut this = crate::fixture::analysis().loops.remove(0);
        let constant = access(Constant, Some(24), Some(24));
        this.access =
            vec![framed, access(Uniform, Some(0), Some(0)), unseen, constant, access(Unit, Some(8), Some(8))];
        let shown: Vec<_> = ordered(&this).iter().map(|each| (each.pattern, each.frame)).collect();
        assert_eq!(shown, [(Constant, false), (Unit, false), (Uniform, false), (Unit, true)]);
    }

    #[test]
    fn loops_around_are_told_in_elements_too() {
        let mut outer = OuterStride { place: "a.c:3".into(), ..OuterStride::default() };
        assert_eq!(over(&outer, 8), "variable");
        (outer.pattern, outer.stride_bytes) = (StridePattern::Constant, Some(800));
        assert_eq!(over(&outer, 8), "100");
        assert_eq!(over(&outer, 0), "800 B");
        outer.stride_bytes = Some(i64::MIN);
        assert_eq!(over(&outer, 3), "-9223372036854775808 B");

        let at = |place: &str, pattern, stride| OuterStride {
            place: place.into(),
            pattern,
            stride_bytes: stride,
            ..OuterStride::default()
        };
        let mut all = access(StridePattern::Unit, Some(8), Some(8));
        all.outer = vec![
            at("a.c:3", StridePattern::Uniform, Some(0)),
            at("a.c:2", StridePattern::Uniform, Some(0)),
            at("a.c:1", StridePattern::Constant, Some(800)),
        ];
        let style = TerminalStyle::plain(80);
        assert_eq!(around(&all, &style), "uniform over a.c:3 and a.c:2, 100 over a.c:1");
    }

    #[test]
    fn shares_are_those_of_executions() {
        use StridePattern::{Constant, Uniform, Unit, Variable};
        let mut all: Vec<AccessFacts> =
            [Unit, Uniform, Constant, Variable].map(|pattern| access(pattern, None, None)).to_vec();
        all[0].executions = 500;
        all.push(AccessFacts { frame: true, executions: 200, kind: AccessKind::Store, ..all[1].clone() });
        let found = Distribution::of(&all).unwrap();
        assert_eq!((found.unit, found.uniform, found.frame), (0.5, 0.1, 0.2));
        assert_eq!(found.in_short().as_deref(), Some("75/13/13"));
        assert_eq!(Distribution::of(&[]), None);
    }
}
