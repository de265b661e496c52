//! What the marks say against what was said of each loop, and the table of both.

use loopwright_analysis::model::{Analysis, DependenceFacts, LoopFacts, ParallelVerdict};
use loopwright_testprograms::{LoopMark, Program};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What is true of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    /// Its iterations may run in any order.
    Yes,
    /// They may, with a `reduction` or `private` clause.
    Clauses,
    /// They may with a reduction that no clause names.
    NotIndependent,
    /// They may not.
    No,
}

/// What a verdict is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// No machine loop of it was judged: the compiler unrolled or replaced it.
    Absent,
    Right,
    Unknown,
    FalseUnsafe,
    FalseSafe,
}

impl Outcome {
    fn letter(self) -> char {
        match self {
            Self::Absent => '.',
            Self::Right => '+',
            Self::Unknown => '?',
            Self::FalseUnsafe => 'U',
            Self::FalseSafe => 'S',
        }
    }
}

/// The lines of each marked loop: up to the next mark or the end of the procedure.
pub struct Extents {
    source: PathBuf,
    lines: Vec<(u32, u32)>,
}

impl Extents {
    pub fn of(source: &Path, marks: &[LoopMark]) -> Self {
        let text = std::fs::read_to_string(source).unwrap();
        let ends = |line: &str| {
            line.starts_with('}')
                || ["end subroutine", "end function"].iter().any(|w| line.trim_start().starts_with(w))
        };
        let ends: Vec<u32> = (1..).zip(text.lines()).filter(|(_, l)| ends(l)).map(|(n, _)| n).collect();
        let last = |from: u32| {
            let next = marks.iter().map(|m| m.line).filter(|&line| line > from).min();
            let end = ends.iter().copied().find(|&line| line > from);
            next.map(|line| line - 1).into_iter().chain(end).min().unwrap_or(u32::MAX)
        };
        let lines = marks.iter().map(|mark| (mark.line, last(mark.line))).collect();
        Self { source: source.to_owned(), lines }
    }

    /// The mark that a line of a file belongs to.
    fn mark(&self, file: &Path, line: u32) -> Option<usize> {
        if file.file_name() != self.source.file_name() {
            return None;
        }
        self.lines.iter().position(|&(from, to)| (from..=to).contains(&line))
    }

    pub fn holds(&self, file: &Path, line: u32) -> bool {
        self.mark(file, line).is_some()
    }
}

/// One recipe's outcome.
struct Cell {
    outcome: Outcome,
    why: String,
}

struct Row {
    truth: Truth,
    class: String,
    cells: BTreeMap<(String, String), Cell>,
}

/// All loops by program and name.
pub struct Table {
    levels: Vec<String>,
    rows: BTreeMap<(String, String), Row>,
}

impl Table {
    pub fn new(levels: Vec<String>) -> Self {
        Self { levels, rows: BTreeMap::new() }
    }

    /// Adds what was said of a program built in one way.
    pub fn add(&mut self, program: &Program, compiler: &str, level: &str, analysis: &Analysis) {
        let marks = program.loops();
        let extents = Extents::of(&program.source, &marks);
        let mut pieces: Vec<Vec<&LoopFacts>> = vec![Vec::new(); marks.len()];
        for l in &analysis.loops {
            let place =
                l.file.as_ref().zip(l.line).and_then(|(file, line)| extents.mark(Path::new(file), line));
            if let Some(at) = place.filter(|_| l.dependence.is_some()) {
                pieces[at].push(l);
            }
        }
        for (mark, pieces) in marks.iter().zip(pieces) {
            let known = ["name", "class", "parallel", "length"];
            assert!(mark.keys.keys().all(|key| known.contains(&key.as_str())), "unknown key: {mark:?}");
            let truth = match mark.keys.get("parallel").map(String::as_str) {
                Some("yes") => Truth::Yes,
                Some("clauses") => Truth::Clauses,
                Some("not-independent") => Truth::NotIndependent,
                Some("no") => Truth::No,
                _ => panic!("{}: parallel= must say what is true: {mark:?}", program.name),
            };
            let row = self.rows.entry((program.name.clone(), mark.name.clone())).or_insert_with(|| Row {
                truth,
                class: mark.class.clone(),
                cells: BTreeMap::new(),
            });
            row.cells.insert((compiler.to_owned(), level.to_owned()), cell(truth, mark, &pieces));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn outcomes(&self) -> impl Iterator<Item = (&Row, Outcome)> {
        self.rows.values().flat_map(|row| row.cells.values().map(move |cell| (row, cell.outcome)))
    }

    pub fn count(&self, outcome: Outcome) -> usize {
        self.outcomes().filter(|(_, found)| *found == outcome).count()
    }

    /// Verdicts that were given.
    pub fn judged(&self) -> usize {
        self.outcomes().filter(|(_, found)| *found != Outcome::Absent).count()
    }

    /// Verdicts on loops that may run in parallel.
    pub fn truly_safe(&self) -> usize {
        let safe = |row: &Row| matches!(row.truth, Truth::Yes | Truth::Clauses);
        self.outcomes().filter(|(row, found)| safe(row) && *found != Outcome::Absent).count()
    }

    /// Loops as written with a verdict at any level.
    pub fn loops(&self) -> usize {
        let judged = |row: &&Row| row.cells.values().any(|cell| cell.outcome != Outcome::Absent);
        self.rows.values().filter(judged).count()
    }

    /// The table, and every wrong verdict in words.
    pub fn text(&self, with_unknown: bool) -> String {
        let mut out = String::from(
            "+ right, ? unknown, U safe but called unsafe, S unsafe but called safe, . no loop left; one column per level: ",
        );
        writeln!(out, "{}", self.levels.join(" ")).unwrap();
        let mut wrong = String::new();
        for ((program, name), row) in &self.rows {
            let truth = format!("{:?}", row.truth);
            write!(out, "{program:<11} {name:<28} {:<18} {truth:<15}", row.class).unwrap();
            let mut before = "";
            for ((compiler, level), cell) in ordered(row, &self.levels) {
                if compiler != before {
                    write!(out, " {compiler} ").unwrap();
                    before = compiler;
                }
                out.push(cell.outcome.letter());
                let shown = if with_unknown { Outcome::Unknown } else { Outcome::FalseUnsafe };
                if cell.outcome >= shown {
                    writeln!(wrong, "{program} {name} {compiler} {level} is {truth}: {}", cell.why).unwrap();
                }
            }
            out.push('\n');
        }
        writeln!(
            out,
            "{} loops, {} verdicts: {} right, {} unknown, {} of {} safe ones called unsafe, {} called safe that are not; {} without a loop",
            self.loops(),
            self.judged(),
            self.count(Outcome::Right),
            self.count(Outcome::Unknown),
            self.count(Outcome::FalseUnsafe),
            self.truly_safe(),
            self.count(Outcome::FalseSafe),
            self.count(Outcome::Absent),
        )
        .unwrap();
        out + &wrong
    }
}

/// Cells by compiler, levels in their order.
fn ordered<'a>(row: &'a Row, levels: &[String]) -> Vec<((&'a str, &'a str), &'a Cell)> {
    let mut cells: Vec<_> = row
        .cells
        .iter()
        .map(|((compiler, level), cell)| ((compiler.as_str(), level.as_str()), cell))
        .collect();
    cells.sort_by_key(|((compiler, level), _)| (*compiler, levels.iter().position(|l| l == level)));
    cells
}

/// The worst of what is said of the machine loops of one loop as written; one that decides nothing counts where none does.
fn cell(truth: Truth, mark: &LoopMark, pieces: &[&LoopFacts]) -> Cell {
    let mut judged: Vec<Cell> = Vec::new();
    for l in pieces {
        let Some(facts) = &l.dependence else { continue };
        let outcome = outcome(truth, facts).max(outcome_of_length(mark, facts));
        let scalars = |list: &[loopwright_analysis::model::CarriedScalar]| {
            list.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join(",")
        };
        let why = format!(
            "{:?} ({:?} {:?}) at {} line {:?}: {}; found {}; reductions {} private {}; {}",
            facts.parallel,
            facts.vector,
            facts.max_length,
            l.address,
            l.line,
            facts.verdict,
            shown(facts),
            scalars(&facts.reductions),
            scalars(&facts.private),
            facts.unknown.join("; "),
        );
        judged.push(Cell { outcome, why });
    }
    if judged.iter().any(|cell| cell.outcome != Outcome::Unknown) {
        judged.retain(|cell| cell.outcome != Outcome::Unknown);
    }
    judged
        .into_iter()
        .max_by_key(|cell| cell.outcome)
        .unwrap_or(Cell { outcome: Outcome::Absent, why: String::new() })
}

fn outcome(truth: Truth, facts: &DependenceFacts) -> Outcome {
    use ParallelVerdict as Verdict;
    match (truth, facts.parallel) {
        (_, Verdict::Unknown) => Outcome::Unknown,
        (Truth::Yes | Truth::Clauses, Verdict::Dependent) => Outcome::FalseUnsafe,
        (Truth::Yes, _) | (Truth::Clauses, Verdict::WithClauses) => Outcome::Right,
        (Truth::NotIndependent, Verdict::WithClauses | Verdict::Dependent) => Outcome::Right,
        (Truth::No, Verdict::Dependent) => Outcome::Right,
        _ => Outcome::FalseSafe,
    }
}

/// `length=none`: no number of iterations at once is safe in general; `length=D`: at most D are.
fn outcome_of_length(mark: &LoopMark, facts: &DependenceFacts) -> Outcome {
    let Some(length) = facts.max_length else { return Outcome::Absent };
    match mark.keys.get("length").map(String::as_str) {
        Some("none") => Outcome::FalseSafe,
        Some(most) if length > most.parse::<u64>().unwrap_or_else(|_| panic!("{mark:?}")) => {
            Outcome::FalseSafe
        }
        _ => Outcome::Absent,
    }
}

fn shown(facts: &DependenceFacts) -> String {
    let found = facts.found.iter().map(|f| {
        let place = if f.memory { "memory" } else { "register" };
        let private = if f.privatisable { " privatisable" } else { "" };
        let at = |end: &loopwright_analysis::model::DependenceEnd| {
            format!("{}{}", end.address, end.operand.as_ref().map_or(String::new(), |o| format!(" `{o}`")))
        };
        format!("{:?} {} {place}{private} {} -> {}", f.kind, f.distance, at(&f.source), at(&f.sink))
    });
    found.collect::<Vec<_>>().join(", ")
}
