//! The complete suite: generated programs and tables, with a table of the results.

use crate::compiled::compare::{self, Search};
use crate::generator::build::{Kind, level_here};
use crate::generator::make::Recipe;
use crate::hunt::{self, Hunt};
use crate::rows::{Bench, Outcome, Verdict};
use crate::tables::{Row, Table};
use anyhow::{Context as _, Result, ensure};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The results of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Runs that were compared with native ones.
    pub runs: usize,
    /// Runs without a difference.
    pub same: usize,
    /// Runs with a difference.
    pub different: usize,
    /// Runs that were not compared, by reason.
    pub skipped: BTreeMap<String, usize>,
}

impl Sum {
    /// Adds the result of a run.
    pub fn add(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Same => self.same += 1,
            Verdict::Different(_) => self.different += 1,
            Verdict::Skipped(why) => {
                *self.skipped.entry(why.clone()).or_default() += 1;
                return;
            }
        }
        self.runs += 1;
    }
}

/// The number of generated programs of a run, and their first seed.
#[derive(Clone, Copy, Debug)]
pub struct Seeds {
    /// First seed.
    pub first: u64,
    /// Number of programs.
    pub count: usize,
}

/// Sums by part, in order.
pub type Sums = Vec<(String, Sum)>;

/// The ways in which generated programs are linked and driven, and the share of the seeds for each, of 100.
const DRIVES: [(&str, Kind, &[&str], u64); 6] = [
    ("alone", Kind::Fixed, &[], 50),
    ("static", Kind::Static, &[], 10),
    ("pie", Kind::Pie, &[], 10),
    ("static-pie", Kind::StaticPie, &[], 10),
    ("4 threads", Kind::Fixed, &["threads=4"], 10),
    ("signals", Kind::Fixed, &["tick=400"], 10),
];

/// Generated programs in all modes.
///
/// # Errors
/// When they cannot be built or run.
pub fn generated(bench: &Bench, seeds: Seeds, tell: &dyn Fn(&str)) -> Result<Sums> {
    let mut sums = Sums::new();
    let mut first = seeds.first;
    for (name, kind, arguments, share) in DRIVES {
        let count = (seeds.count * share as usize).div_ceil(100);
        let hunt = Hunt {
            first,
            count,
            batch: 50,
            recipe: Recipe { level: level_here(), ..Recipe::default() },
            kind,
            modes: bench.modes.clone(),
            folder: bench.folder.join("generated"),
            tool: bench.tool.clone(),
            minimised: 3,
            questions: 300,
            arguments: arguments.iter().map(|a| (*a).to_owned()).collect(),
        };
        first += count as u64;
        let found = hunt::run(&hunt, &mut |d| {
            let kept = d.kept.as_ref().map(|k| format!(" {}", k.display())).unwrap_or_default();
            tell(&format!("generated, {name}: seed {} {}: {}{kept}", d.seed, d.mode.name(), d.what));
        })?;
        let different = found.differences.len();
        let mut sum =
            Sum { runs: found.compared, same: found.compared - different, different, ..Sum::default() };
        if !found.unsound.is_empty() {
            let seeds: Vec<String> = found.unsound.iter().map(u64::to_string).collect();
            let why = format!("do not end by themselves (seed {})", seeds.join(", "));
            sum.skipped.insert(why, seeds.len());
        }
        sums.push((format!("generated, {name}"), sum));
    }
    Ok(sums)
}

/// Generated programs in C in all modes.
///
/// # Errors
/// When they cannot be compiled or run.
pub fn compiled(bench: &Bench, seeds: Seeds, tell: &(dyn Fn(&str) + Sync)) -> Result<Sums> {
    let search = Search {
        first: seeds.first,
        count: seeds.count,
        modes: bench.modes.clone(),
        folder: bench.folder.join("compiled"),
        tool: bench.tool.clone(),
        jobs: bench.jobs,
    };
    let (runs, found) = compare::run(&search, &|d| {
        let way = format!("{} {}", d.way.compiler, d.way.flags.join(" "));
        tell(&format!(
            "compiled: seed {} {}: {} ({way}) {}",
            d.seed,
            d.mode.name(),
            d.what,
            d.kept.display()
        ));
    })?;
    let sum = Sum { runs, same: runs - found.len(), different: found.len(), ..Sum::default() };
    Ok(vec![("generated in C".to_owned(), sum)])
}

/// Generates the input data of the tables.
///
/// # Errors
/// When the script fails.
pub fn data(bench: &Bench) -> Result<()> {
    let folder = bench.folder.join("data");
    if folder.join("program.py").is_file() {
        return Ok(());
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let script = bench.programs.join("data.sh");
    let status = Command::new("sh").arg(&script).current_dir(&folder).status().context("cannot run sh")?;
    ensure!(status.success(), "{} failed", script.display());
    Ok(())
}

/// All tables of a folder, by name.
///
/// # Errors
/// When one cannot be read.
pub fn tables(folder: &Path) -> Result<Vec<Table>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut tables = Vec::new();
    for entry in entries {
        let path = entry.context("cannot read the folder of tables")?.path();
        if path.extension().is_some_and(|e| e == "table") {
            tables.push(Table::read(&path)?);
        }
    }
    tables.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(tables)
}

/// The rows of a table for which `chosen` returns true, in all modes.
///
/// # Errors
/// When a process cannot be started.
pub fn table(
    bench: &Bench,
    table: &Table,
    chosen: &dyn Fn(&Row) -> bool,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<Sum> {
    let mut sum = Sum::default();
    let skip =
        |why: String| Sum { skipped: BTreeMap::from([(why, table.rows.len().max(1))]), ..Sum::default() };
    if let Some(missing) = Bench::missing(table) {
        return Ok(skip(missing));
    }
    let mut rows = match bench.prepare(table)? {
        Ok(rows) => rows,
        Err(why) => return Ok(skip(why)),
    };
    rows.retain(chosen);
    let outcomes = bench.run(table, &rows, &|outcome: &Outcome| {
        if let Verdict::Different(what) = &outcome.verdict {
            tell(&format!("{}: {} {}: {what}", table.name, outcome.row.name, outcome.mode.name()));
        }
    })?;
    for outcome in &outcomes {
        sum.add(&outcome.verdict);
    }
    Ok(sum)
}

/// The sums as a table.
pub fn shown(sums: &Sums) -> String {
    let mut out =
        format!("{:<28} {:>7} {:>7} {:>10} {:>8}\n", "part", "runs", "same", "different", "skipped");
    let mut total = Sum::default();
    for (name, sum) in sums {
        let reasons: Vec<String> = sum.skipped.iter().map(|(why, n)| format!("{n}: {why}")).collect();
        let skipped: usize = sum.skipped.values().sum();
        let line = format!(
            "{name:<28} {:>7} {:>7} {:>10} {skipped:>8}  {}",
            sum.runs,
            sum.same,
            sum.different,
            reasons.join("; ")
        );
        out.push_str(line.trim_end());
        out.push('\n');
        total.runs += sum.runs;
        total.same += sum.same;
        total.different += sum.different;
    }
    let line = format!("{:<28} {:>7} {:>7} {:>10}\n", "all", total.runs, total.same, total.different);
    out.push_str(&line);
    out
}
