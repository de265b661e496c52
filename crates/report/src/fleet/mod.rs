//! Tables for data frames and SQL: what one state has to give to queries over hundreds of experiments, a Parquet file each.
//!
//! Columns are fields ([`crate::fields`]): those of the CSV tables, and [`columns`] for what only these tables have. The first column
//! of each names the experiment, so that the files of a folder are read as one table. What is computed from many experiments is the
//! reader's query: docs/fleet.md has recipes. A table without rows is written all the same, since a pattern of names must match in
//! every folder.

mod columns;
mod parquet;
#[cfg(test)]
mod tests;

use crate::comma_separated::{comm_fields, heap_fields, io_fields, recommendation_fields};
use crate::fields::Field;
use crate::hotspots::{FunctionRow, function_fields};
use crate::loops::{LoopRow, fields as loop_fields};
use crate::quantity::TimeUnit;
use crate::style::TerminalStyle;
use loopwright_advise::Recommendation;
use loopwright_analysis::by_rank::ByRank;
use loopwright_analysis::model::Analysis;
use loopwright_analysis::timestamp::rfc3339;
use std::io::Write;

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// The state itself: one row.
    Runs,
    /// Ranks.
    Ranks,
    /// Functions, of all ranks together.
    Functions,
    /// Functions, by rank.
    FunctionsByRank,
    /// Loops.
    Loops,
    /// Calls of MPI by place, of all ranks together.
    Sites,
    /// Calls of MPI by place and rank.
    SitesByRank,
    /// Input and output by file.
    Files,
    /// Allocations by place.
    Allocations,
    /// Recommendations.
    Recommendations,
}

impl Table {
    /// All tables.
    pub const ALL: [Self; 10] = [
        Self::Runs,
        Self::Ranks,
        Self::Functions,
        Self::FunctionsByRank,
        Self::Loops,
        Self::Sites,
        Self::SitesByRank,
        Self::Files,
        Self::Allocations,
        Self::Recommendations,
    ];

    /// Its name; that of its file has `.parquet` behind it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Ranks => "ranks",
            Self::Functions => "functions",
            Self::FunctionsByRank => "functions_by_rank",
            Self::Loops => "loops",
            Self::Sites => "sites",
            Self::SitesByRank => "sites_by_rank",
            Self::Files => "files",
            Self::Allocations => "allocations",
            Self::Recommendations => "recommendations",
        }
    }
}

/// A state whose tables are wanted.
pub struct Fleet<'a> {
    /// Version of this program.
    pub version: &'a str,
    /// Name of the experiment's file, without its folder.
    pub file: &'a str,
    /// The joined facts.
    pub analysis: &'a Analysis,
    /// The same by rank.
    pub by_rank: &'a ByRank<'a>,
    /// What to do.
    pub recommendations: &'a [Recommendation],
}

/// Seconds, as everywhere outside of texts.
const UNIT: TimeUnit = TimeUnit::Seconds;

impl Fleet<'_> {
    /// What the column `experiment` holds: file, run, host and start. Files of one name in several folders, such as those of a nightly
    /// job, have different ones, and writing a state again gives the same one.
    pub fn key(&self) -> String {
        let Some(run) = self.by_rank.run else { return self.file.to_owned() };
        let started = run.target.started_unix;
        let thousandths = (started.rem_euclid(1.0) * 1e3) as u32;
        let second = rfc3339(started);
        let second = second.trim_end_matches('Z');
        format!("{}:{}@{}:{second}.{thousandths:03}Z", self.file, run.id, run.target.host)
    }

    /// Writes a table; the number of its rows.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write(&self, table: Table, out: impl Write + Send) -> std::io::Result<u64> {
        let style = TerminalStyle::plain(0);
        let analysis = self.analysis;
        let of_comm = || analysis.comm.iter().flat_map(|comm| &comm.sites);
        let of_ranks = || {
            let sites = self.by_rank.sites.iter();
            sites.flat_map(|of| of.ranks.iter().map(move |(rank, calls)| (of, *rank, *calls)))
        };
        match table {
            Table::Runs => self.rows(out, columns::runs(), std::iter::once(self)),
            Table::Ranks => self.rows(out, columns::ranks(), &self.by_rank.ranks),
            Table::Functions => {
                self.rows(out, function_fields(UNIT), analysis.functions.iter().map(FunctionRow::own))
            }
            Table::FunctionsByRank => self.rows(out, columns::functions_by_rank(), &self.by_rank.functions),
            Table::Loops => {
                self.rows(out, loop_fields(UNIT, &style), analysis.loops.iter().map(LoopRow::whole))
            }
            Table::Sites => self.rows(out, comm_fields(), of_comm()),
            Table::SitesByRank => self.rows(out, columns::sites_by_rank(), of_ranks()),
            Table::Files => self.rows(out, io_fields(), analysis.io.iter().flat_map(|io| &io.files)),
            Table::Allocations => {
                self.rows(out, heap_fields(), analysis.heap.iter().flat_map(|heap| &heap.places))
            }
            Table::Recommendations => self.rows(out, recommendation_fields(), self.recommendations),
        }
    }

    fn rows<R>(
        &self,
        out: impl Write + Send,
        mut fields: Vec<Field<'_, R>>,
        rows: impl IntoIterator<Item = R>,
    ) -> std::io::Result<u64> {
        let key = self.key();
        fields.insert(0, Field::new("experiment").csv(move |_: &R| key.clone()));
        parquet::write(out, self.version, crate::fields::data(fields), rows)
    }
}
