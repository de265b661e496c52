//! Tables are written and read back.

use super::parquet::ROW_GROUP;
use super::*;
use crate::fixture;
use crate::value::Kind;
use ::parquet::basic::{LogicalType, Repetition, Type as Physical};
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field as Cell;
use loopwright_analysis::by_rank::{CallSite, FunctionOfRank, SiteOfRanks};
use loopwright_analysis::model::{CallClass, CommFacts, CommSite, Provenance};
use std::collections::BTreeSet;

impl Table {
    /// Its columns with their types.
    pub(crate) fn columns(self) -> Vec<(&'static str, Kind)> {
        fn of<R>(fields: Vec<Field<'_, R>>) -> Vec<(&'static str, Kind)> {
            let own = crate::fields::data(fields).into_iter().map(|column| (column.name, column.kind));
            std::iter::once(("experiment", Kind::Text)).chain(own).collect()
        }
        match self {
            Self::Runs => of(columns::runs()),
            Self::Ranks => of(columns::ranks()),
            Self::Functions => of(function_fields(UNIT)),
            Self::FunctionsByRank => of(columns::functions_by_rank()),
            Self::Loops => of(loop_fields(UNIT, &TerminalStyle::plain(0))),
            Self::Sites => of(comm_fields()),
            Self::SitesByRank => of(columns::sites_by_rank()),
            Self::Files => of(io_fields()),
            Self::Allocations => of(heap_fields()),
            Self::Recommendations => of(recommendation_fields()),
        }
    }
}

/// A table that was written, as its file reads.
fn written(analysis: &Analysis, by_rank: &ByRank<'_>, table: Table) -> SerializedFileReader<bytes::Bytes> {
    let recommendations = fixture::recommendations();
    let fleet =
        Fleet { version: "9.8.7", file: "night.lw", analysis, by_rank, recommendations: &recommendations };
    let mut out = Vec::new();
    let rows = fleet.write(table, &mut out).expect("writes to memory");
    let reader = SerializedFileReader::new(bytes::Bytes::from(out)).expect("a Parquet file");
    assert_eq!(u64::try_from(reader.metadata().file_metadata().num_rows()), Ok(rows));
    reader
}

/// The values of a column.
fn column(reader: &SerializedFileReader<bytes::Bytes>, name: &str) -> Vec<Cell> {
    let rows = reader.get_row_iter(None).expect("rows");
    let of = |row: ::parquet::record::Row| {
        let found = row.get_column_iter().find(|(column, _)| *column == name);
        found.unwrap_or_else(|| panic!("no column {name}")).1.clone()
    };
    rows.map(|row| of(row.expect("a row"))).collect()
}

/// Of a site, the calls of the ranks with these numbers of bytes.
fn site(function: &str, calls: &[CallSite]) -> CommSite {
    CommSite {
        function: function.to_owned(),
        class: CallClass::PointToPoint,
        caller: "exchange".into(),
        module: "halo".into(),
        place: "halo.c:14".into(),
        loop_id: None,
        loop_place: None,
        calls: calls.iter().map(|site| site.called.calls).sum(),
        bytes: calls.iter().map(|site| site.called.bytes).sum(),
        without_bytes: 0,
        bins: [0; 6],
        seconds: 0.5,
        longest_seconds: 0.25,
        sync_seconds: None,
        sync_at_least: None,
        imbalance: None,
        worst_rank: 0,
        best_rank: 1,
        callers: calls.len() as u32,
    }
}

fn of_rank(rank: u64) -> CallSite {
    let mut site = CallSite::default();
    (site.called.calls, site.called.bytes, site.called.seconds) = (rank + 1, 100 * rank, rank as f64 / 8.0);
    site
}

#[test]
fn tables_without_rows_have_all_columns_with_their_types() {
    let mut analysis = fixture::analysis();
    (analysis.loops, analysis.functions) = (Vec::new(), Vec::new());
    for table in Table::ALL {
        let reader = written(&analysis, &ByRank::default(), table);
        let known = reader.metadata().file_metadata().schema_descr();
        let wanted = table.columns();
        let names: BTreeSet<&str> = wanted.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), wanted.len(), "a name twice in {}", table.name());
        assert_eq!(known.num_columns(), wanted.len(), "{}", table.name());
        for (index, (name, kind)) in wanted.into_iter().enumerate() {
            let column = known.column(index);
            assert_eq!(column.name(), name);
            let snake =
                |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
            assert!(name.chars().all(snake), "{name} is no name for SQL");
            let basic = column.self_type().get_basic_info();
            assert_eq!(basic.repetition(), Repetition::OPTIONAL);
            let (physical, text) = (column.physical_type(), basic.logical_type_ref().cloned());
            match kind {
                Kind::Text => assert_eq!((physical, text), (Physical::BYTE_ARRAY, Some(LogicalType::String))),
                Kind::Whole => assert_eq!((physical, text), (Physical::INT64, None)),
                Kind::Number => assert_eq!((physical, text), (Physical::DOUBLE, None)),
                Kind::Flag => assert_eq!((physical, text), (Physical::BOOLEAN, None)),
                Kind::Instant => {
                    assert_eq!(physical, Physical::INT64);
                    assert!(matches!(text, Some(LogicalType::Timestamp(_))), "{text:?}");
                }
            }
        }
    }
}

#[test]
fn values_are_those_of_the_analysis_and_absent_ones_are_null() {
    let analysis = fixture::counts::counted();
    let by_rank = ByRank::default();
    let loops = written(&analysis, &by_rank, Table::Loops);
    let numbers = analysis.loops.iter().map(|each| Cell::Double(each.self_seconds));
    assert_eq!(column(&loops, "self_seconds"), numbers.collect::<Vec<_>>());
    let iterations = analysis.loops.iter().map(|each| match &each.trip_count {
        Some(trips) => Cell::Long(trips.iterations as i64),
        None => Cell::Null,
    });
    let iterations: Vec<Cell> = iterations.collect();
    assert!(iterations.contains(&Cell::Null) && iterations.iter().any(|cell| *cell != Cell::Null));
    assert_eq!(column(&loops, "iterations"), iterations);
    let vectorized = analysis.loops.iter().map(|each| Cell::Bool(each.vectorized));
    assert_eq!(column(&loops, "vectorized"), vectorized.collect::<Vec<_>>());
    let runs = written(&analysis, &by_rank, Table::Runs);
    assert_eq!(column(&runs, "loopwright_version"), [Cell::Str("9.8.7".into())]);
    assert_eq!(column(&runs, "cpu_seconds"), [Cell::Double(analysis.program.cpu_seconds)]);
    assert_eq!((column(&runs, "mpi_seconds"), column(&runs, "job")), (vec![Cell::Null], vec![Cell::Null]));
    let recommended = written(&analysis, &by_rank, Table::Recommendations);
    let ids = fixture::recommendations().into_iter().map(|each| Cell::Str(each.id));
    assert_eq!(column(&recommended, "id"), ids.collect::<Vec<_>>());
}

#[test]
fn names_are_as_the_json_has_them_and_too_large_counts_are_the_largest_number() {
    let mut analysis = fixture::analysis();
    analysis.functions.truncate(1);
    analysis.functions[0].function = "=f<a,\n\u{1b}[2J>".into();
    analysis.functions[0].calls = Some(u64::MAX);
    let functions = written(&analysis, &ByRank::default(), Table::Functions);
    assert_eq!(column(&functions, "function"), [Cell::Str("=f<a,\n\u{1b}[2J>".into())]);
    assert_eq!(column(&functions, "calls"), [Cell::Long(i64::MAX)]);
}

#[test]
fn rows_of_many_ranks_are_in_groups() {
    let ranks = ROW_GROUP as u64 + 3;
    let calls: Vec<CallSite> = (0..ranks).map(of_rank).collect();
    let one = site("MPI_Isend", &calls);
    let sites = vec![SiteOfRanks { site: one.clone(), ranks: (0..).zip(&calls).collect() }];
    let function = |rank| FunctionOfRank {
        function: "f".into(),
        module: "halo".into(),
        rank,
        self_seconds: 0.5,
        samples: 2,
    };
    let by_rank = ByRank { sites, functions: vec![function(0), function(7)], ..ByRank::default() };
    let mut analysis = fixture::analysis();
    analysis.comm = Some(CommFacts {
        how: Provenance::Counted,
        size: None,
        elapsed_seconds: 1.0,
        seconds: 0.5,
        barriers: false,
        ranks: Vec::new(),
        sites: vec![one.clone()],
        matrix: Vec::new(),
        lost: None,
        left: Vec::new(),
        advice: Vec::new(),
        network_wanted: false,
        warnings: Vec::new(),
    });
    let by_site = written(&analysis, &by_rank, Table::SitesByRank);
    assert_eq!(by_site.num_row_groups(), 2);
    let sum = |cells: Vec<Cell>| {
        let numbers = cells.into_iter().map(|cell| if let Cell::Long(number) = cell { number } else { 0 });
        numbers.sum::<i64>() as u64
    };
    assert_eq!((sum(column(&by_site, "calls")), sum(column(&by_site, "bytes"))), (one.calls, one.bytes));
    assert_eq!(column(&by_site, "rank").last(), Some(&Cell::Long(ranks as i64 - 1)));
    let joined = written(&analysis, &by_rank, Table::Sites);
    assert_eq!(sum(column(&joined, "bytes")), one.bytes);
    let functions = written(&analysis, &by_rank, Table::FunctionsByRank);
    assert_eq!(column(&functions, "rank"), [Cell::Long(0), Cell::Long(7)]);
}

#[test]
fn what_the_system_says_is_kept() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (analysis, by_rank) = (fixture::analysis(), ByRank::default());
    let fleet =
        Fleet { version: "1", file: "a.lw", analysis: &analysis, by_rank: &by_rank, recommendations: &[] };
    let error = fleet.write(Table::Loops, Full).expect_err("is full");
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull, "{error}");
}
