//! A roofline drawn with characters: ceilings as lines, loops as letters, both axes logarithmic.
//!
//! It fits a pipe as well as a terminal and knows nothing of loops: points and lines in, lines of text out.

use crate::names::width;
use crate::quantity::rate;
use crate::style::{Ink, TerminalStyle};

/// Rows of the plot.
const ROWS: usize = 16;
/// Columns of the plot at most: wider, its slopes become flat.
const COLUMNS: usize = 72;
/// Width of the labels of the vertical axis, with their axis.
const MARGIN: usize = 10;
/// Powers of ten that an axis spans at most; smaller values are drawn on its edge.
const DECADES: f64 = 5.0;

/// A ceiling.
pub(crate) struct Line<'a> {
    pub(crate) name: &'a str,
    pub(crate) shape: Shape,
}

/// Its course.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// A rate that no intensity exceeds.
    Flat(f64),
    /// A bandwidth: the rate is this times the intensity.
    Slope(f64),
}

/// A loop.
pub(crate) struct Point {
    pub(crate) mark: char,
    pub(crate) intensity: f64,
    pub(crate) rate: f64,
}

/// An axis from one power of ten to another.
struct Axis {
    low: f64,
    high: f64,
    cells: usize,
}

impl Axis {
    /// Spans what is finite and positive of `values`, with some room.
    fn over(values: impl Iterator<Item = f64>, cells: usize) -> Option<Self> {
        let logs: Vec<f64> = values.filter(|v| v.is_finite() && *v > 0.0).map(f64::log10).collect();
        let high = logs.iter().copied().reduce(f64::max)? + 0.15;
        let low = logs.iter().copied().reduce(f64::min)? - 0.3;
        Some(Self { low: low.max(high - DECADES), high, cells })
    }

    /// The cell of a value; those beyond an end are drawn on it.
    fn cell(&self, value: f64) -> usize {
        let place = (value.log10() - self.low) / (self.high - self.low);
        (place * (self.cells - 1) as f64).round().clamp(0.0, (self.cells - 1) as f64) as usize
    }

    /// The value in the middle of a cell.
    fn value(&self, cell: usize) -> f64 {
        10_f64.powf(self.low + (self.high - self.low) * cell as f64 / (self.cells - 1) as f64)
    }

    fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value.log10())
    }

    /// The powers of ten on it.
    fn decades(&self) -> impl Iterator<Item = f64> {
        (self.low.ceil() as i32..=self.high.floor() as i32).map(|power| 10_f64.powi(power))
    }
}

/// The plot; nothing when there is no ceiling or no point to draw.
pub(crate) fn chart(
    lines: &[Line<'_>],
    points: &[Point],
    axes: (&str, &str),
    style: &TerminalStyle,
) -> Option<String> {
    let flat = |line: &Line<'_>| match line.shape {
        Shape::Flat(rate) => Some(rate),
        Shape::Slope(_) => None,
    };
    let slope = |line: &Line<'_>| match line.shape {
        Shape::Slope(bandwidth) => Some(bandwidth),
        Shape::Flat(_) => None,
    };
    let top = lines.iter().filter_map(flat).reduce(f64::max);
    let fastest = lines.iter().filter_map(slope).reduce(f64::max)?;
    let slowest = lines.iter().filter_map(slope).reduce(f64::min)?;
    if points.is_empty() {
        return None;
    }
    let cells = (style.columns() - MARGIN).min(COLUMNS);
    // The ridge points, where a bandwidth meets the highest arithmetic, belong into the picture; where no arithmetic
    // was measured, what the bandwidths allow at the points.
    let ridges = top.into_iter().flat_map(|top| [top / fastest, top / slowest]);
    let across = Axis::over(points.iter().map(|point| point.intensity).chain(ridges), cells)?;
    let allowed =
        points.iter().flat_map(|point| [fastest, slowest].map(|bandwidth| bandwidth * point.intensity));
    let limits = lines.iter().filter_map(flat).chain(allowed.filter(|_| top.is_none()));
    let up = Axis::over(points.iter().map(|point| point.rate).chain(limits), ROWS)?;
    let top = top.unwrap_or(f64::INFINITY);

    let mut grid = Grid::new(cells);
    for line in lines {
        match line.shape {
            Shape::Slope(bandwidth) => {
                for column in 0..cells {
                    let rate = bandwidth * across.value(column);
                    if rate <= top && up.contains(rate) {
                        grid.put(column, up.cell(rate), style.sign("·", "."), Ink::Dim);
                    }
                }
            }
            Shape::Flat(rate) => {
                for column in across.cell(rate / fastest)..cells {
                    grid.put(column, up.cell(rate), style.sign("─", "-"), Ink::Dim);
                }
            }
        }
    }
    for line in lines {
        match line.shape {
            Shape::Slope(bandwidth) => grid.name_slope(line.name, bandwidth, top, &across, &up),
            Shape::Flat(rate) => grid.name_flat(line.name, up.cell(rate)),
        }
    }
    // The first points are the hottest: they are drawn above the others.
    for point in points.iter().rev() {
        let mark = point.mark.to_string();
        grid.put(across.cell(point.intensity), up.cell(point.rate), &mark, Ink::Strong);
    }
    Some(grid.render(&across, &up, axes, style))
}

struct Grid {
    cells: Vec<Vec<(String, Ink)>>,
    columns: usize,
}

impl Grid {
    fn new(columns: usize) -> Self {
        Self { cells: vec![vec![(" ".to_owned(), Ink::Plain); columns]; ROWS], columns }
    }

    /// Rows count from the bottom.
    fn put(&mut self, column: usize, row: usize, sign: &str, ink: Ink) {
        if let Some(cell) = self.cells.get_mut(row).and_then(|row| row.get_mut(column)) {
            *cell = (sign.to_owned(), ink);
        }
    }

    fn is_free(&self, columns: std::ops::Range<usize>, row: usize) -> bool {
        let Some(row) = self.cells.get(row) else { return false };
        row.get(columns).is_some_and(|cells| cells.iter().all(|(sign, _)| sign == " "))
    }

    fn write(&mut self, text: &str, column: usize, row: usize) {
        for (at, sign) in text.chars().enumerate() {
            self.put(column + at, row, &sign.to_string(), Ink::Accent);
        }
    }

    /// At the right end, above the line or below it.
    fn name_flat(&mut self, name: &str, row: usize) {
        let start = self.columns.saturating_sub(width(name));
        let rows = [row + 1, row.wrapping_sub(1)];
        if let Some(&row) = rows.iter().find(|row| self.is_free(start..self.columns, **row)) {
            self.write(name, start, row);
        }
    }

    /// To the left of the line, as high as there is room.
    fn name_slope(&mut self, name: &str, bandwidth: f64, top: f64, across: &Axis, up: &Axis) {
        for row in (0..up.cell(top)).rev() {
            let intensity = up.value(row) / bandwidth;
            if !across.contains(intensity) {
                continue;
            }
            let first = (0..self.columns).find(|at| up.cell(bandwidth * across.value(*at)) == row);
            let start = first.and_then(|first| first.checked_sub(width(name) + 1));
            if let Some(start) = start
                && self.is_free(start..start + width(name), row)
            {
                return self.write(name, start, row);
            }
        }
    }

    fn render(&self, across: &Axis, up: &Axis, (x, y): (&str, &str), style: &TerminalStyle) -> String {
        let mut labels = vec![String::new(); ROWS];
        for value in up.decades() {
            labels[up.cell(value)] = rate(value);
        }
        let mut out = style.paint(Ink::Dim, y) + "\n";
        for row in (0..ROWS).rev() {
            let axis = if labels[row].is_empty() { style.sign("│", "|") } else { style.sign("┤", "+") };
            let mut line = format!("{:>1$}{axis}", labels[row], MARGIN - 1);
            line = style.paint(Ink::Dim, &line);
            let used = self.cells[row].iter().rposition(|(sign, _)| sign != " ").map_or(0, |last| last + 1);
            for (sign, ink) in &self.cells[row][..used] {
                line.push_str(&style.paint(*ink, sign));
            }
            out.push_str(&line);
            out.push('\n');
        }
        let mut ruler = vec![style.sign("─", "-"); self.columns];
        let mut below = String::new();
        for value in across.decades() {
            let cell = across.cell(value);
            ruler[cell] = style.sign("┬", "+");
            let label = rate(value);
            let start = (MARGIN + cell).saturating_sub(width(&label) / 2);
            if start >= width(&below) + usize::from(!below.is_empty())
                && start + width(&label) <= style.columns()
            {
                below.push_str(&" ".repeat(start - width(&below)));
                below.push_str(&label);
            }
        }
        let corner = format!("{:>1$}", style.sign("└", "+"), MARGIN);
        out.push_str(&style.paint(Ink::Dim, &(corner + &ruler.concat())));
        out.push('\n');
        out.push_str(&style.paint(Ink::Dim, below.trim_end()));
        out.push('\n');
        out.push_str(&style.paint(Ink::Dim, &format!("{}{x}", " ".repeat(MARGIN))));
        out + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Vec<Line<'static>> {
        vec![
            Line { name: "scalar f64", shape: Shape::Flat(8.0) },
            Line { name: "AVX2 f64 FMA", shape: Shape::Flat(64.0) },
            Line { name: "L1", shape: Shape::Slope(200.0) },
            Line { name: "DRAM", shape: Shape::Slope(12.0) },
        ]
    }

    fn rows(text: &str) -> Vec<&str> {
        text.lines().collect()
    }

    #[test]
    fn points_lie_where_their_numbers_say() {
        let points = [
            Point { mark: 'A', intensity: 0.1, rate: 1.0 },
            Point { mark: 'B', intensity: 10.0, rate: 60.0 },
        ];
        let style = TerminalStyle::plain(100);
        let text = chart(&lines(), &points, ("FLOP/byte", "GFLOP/s"), &style).unwrap();
        let find = |mark: char| {
            let row = rows(&text).iter().position(|line| line.chars().skip(MARGIN).any(|c| c == mark));
            row.and_then(|row| Some((row, rows(&text)[row].chars().position(|c| c == mark)?)))
        };
        // `A` of `DRAM` and `AVX2` are names: the marks are looked for where the axes put them.
        let b = rows(&text).iter().position(|line| line.contains('B')).unwrap();
        let peak = rows(&text).iter().position(|line| line.ends_with("AVX2 f64 FMA")).unwrap();
        assert!(b.abs_diff(peak) <= 1, "B is at the peak:\n{text}");
        assert!(find('B').unwrap().1 > MARGIN + 40, "{text}");
        let below_dram = rows(&text).iter().any(|line| line.contains('A') && !line.contains("AVX2"));
        assert!(below_dram && text.contains("DRAM") && text.contains("L1"), "{text}");
        assert!(rows(&text).iter().all(|line| line.len() <= 100 && line.is_ascii()), "{text}");
    }

    #[test]
    fn extreme_numbers_stay_in_the_picture() {
        let points = [
            Point { mark: 'A', intensity: 1e-12, rate: 1e-9 },
            Point { mark: 'B', intensity: 1e9, rate: 1e6 },
            Point { mark: 'C', intensity: f64::NAN, rate: f64::INFINITY },
            Point { mark: 'D', intensity: 0.0, rate: 0.0 },
        ];
        for columns in [10, 60, 80, 500] {
            let style = TerminalStyle::plain(columns);
            let text = chart(&lines(), &points, ("x", "y"), &style).unwrap();
            assert!(text.lines().all(|line| line.len() <= columns.max(60)), "{text}");
        }
    }

    #[test]
    fn without_ceilings_or_points_there_is_no_chart() {
        let style = TerminalStyle::plain(80);
        let point = || vec![Point { mark: 'A', intensity: 1.0, rate: 1.0 }];
        assert!(chart(&[], &point(), ("x", "y"), &style).is_none());
        assert!(chart(&lines()[..2], &point(), ("x", "y"), &style).is_none());
        // Bandwidths alone bound integer work, whose peak is not measured.
        let text = chart(&lines()[2..], &point(), ("x", "y"), &style).unwrap();
        assert!(text.contains("L1") && text.contains("DRAM") && text.contains("..."), "{text}");
        assert!(chart(&lines(), &[], ("x", "y"), &style).is_none());
    }
}
