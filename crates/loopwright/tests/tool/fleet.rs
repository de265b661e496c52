//! `loopwright report --parquet` on experiments of several kinds: DuckDB, polars and Dask read the tables of all of them, and find
//! what the JSON says. The queries of docs/fleet.md run on the same tables.

use crate::programs::{compiled, in_path, needed};
use crate::tool::{Scratch, said};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

const TOOL: &str = env!("CARGO_BIN_EXE_loopwright");
const TABLES: [&str; 10] = [
    "runs",
    "ranks",
    "functions",
    "functions_by_rank",
    "loops",
    "sites",
    "sites_by_rank",
    "files",
    "allocations",
    "recommendations",
];

/// A Python with the data frames: named by the environment (`make test` sets it up), or the system's.
fn python() -> Option<PathBuf> {
    let named = std::env::var_os("LOOPWRIGHT_TEST_PYTHON").map(PathBuf::from);
    let found = named.into_iter().chain(in_path("python3")).find(|python| {
        let import =
            Command::new(python).args(["-c", "import duckdb, polars, dask.dataframe, pyarrow"]).output();
        import.is_ok_and(|output| output.status.success())
    });
    needed(found, "a Python with DuckDB, polars, Dask and pyarrow")
}

/// The tool on an experiment, under Open MPI with two ranks where `ranks` says so.
fn collect(scratch: &Scratch, experiment: &str, verb: &str, program: &[&OsStr], ranks: bool) {
    let mut command = match ranks {
        true => scratch.wrapped(Command::new("mpirun.openmpi")),
        false => scratch.wrapped(Command::new(TOOL)),
    };
    command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1");
    if ranks {
        command.args(["-n", "2", TOOL]);
    }
    command.args(["--experiment", experiment]).args([verb, "--"]).args(program);
    let said = said(command.output().expect("it starts"));
    assert_eq!(said.status, Some(0), "{}\n{}", said.err, said.out);
}

/// A surveyed program with its files and allocations, the same with four times the work, and a job of two ranks, twice; surveyed once.
fn experiments(scratch: &Scratch) -> Option<[&'static str; 4]> {
    needed(in_path("mpirun.openmpi"), "mpirun.openmpi (package openmpi-bin)")?;
    let gcc = needed(in_path("gcc"), "gcc")?;
    let mpicc = needed(in_path("mpicc.openmpi"), "mpicc.openmpi (package libopenmpi-dev)")?;
    let program = compiled(scratch, &gcc, "program.c", include_str!("fleet/program.c"), &[]);
    let exchange = compiled(scratch, &mpicc, "exchange.c", include_str!("fleet/exchange.c"), &[]);
    let (program, exchange) = (program.as_os_str(), exchange.as_os_str());
    for verb in ["survey", "io", "heap"] {
        collect(scratch, "alone.lw", verb, &[program], false);
    }
    collect(scratch, "later.lw", "survey", &[program, OsStr::new("240000")], false);
    for (experiment, verb) in [("monday.lw", "survey"), ("monday.lw", "comm"), ("tuesday.lw", "comm")] {
        collect(scratch, experiment, verb, &[exchange], true);
    }
    Some(["alone", "later", "monday", "tuesday"])
}

/// What the tables have to add up to: by table and group, as `read.py` writes it.
type Sums = BTreeMap<&'static str, BTreeMap<Vec<String>, [i64; 2]>>;

/// Adds the rows of one list of the JSON.
fn add(
    sums: &mut Sums,
    tables: &[&'static str],
    (key, keys): (&str, &[&str]),
    rows: &Value,
    parts: [&str; 2],
) {
    for row in rows.as_array().into_iter().flatten() {
        let words = keys.iter().map(|key| row[*key].as_str().expect("a name").to_owned());
        let group: Vec<String> = std::iter::once(key.to_owned()).chain(words).collect();
        for table in tables {
            let sum = sums.entry(table).or_default().entry(group.clone()).or_default();
            for (sum, part) in sum.iter_mut().zip(parts) {
                *sum += match row[part].as_i64() {
                    Some(whole) => whole,
                    // Times are compared in nanoseconds.
                    None => (row[part].as_f64().expect("a number") * 1e9).round() as i64,
                };
            }
        }
    }
}

/// The sums of an experiment's JSON.
fn add_document(sums: &mut Sums, key: &str, analysis: &Value) {
    let functions: Vec<&Value> =
        analysis["functions"].as_array().into_iter().flatten().filter(|each| each["samples"] != 0).collect();
    let functions = serde_json::to_value(functions).expect("JSON");
    let by_name = (key, &["function", "module"][..]);
    add(sums, &["functions", "functions_by_rank"], by_name, &functions, ["self_seconds", "samples"]);
    let by_place = (key, &["function", "place"][..]);
    add(sums, &["sites", "sites_by_rank"], by_place, &analysis["comm"]["sites"], ["calls", "bytes"]);
    add(sums, &["allocations"], by_place, &analysis["heap"]["places"], ["calls", "bytes"]);
    let files = &analysis["io"]["files"];
    add(sums, &["files"], (key, &["target"]), files, ["read_bytes", "written_bytes"]);
}

/// The groups of an engine's sums, those of functions without samples left out: such ones have total time alone.
fn found(engine: &Value, table: &str) -> BTreeMap<Vec<String>, [i64; 2]> {
    let rows = engine["sums"][table].as_array().expect("rows").iter();
    rows.map(|row| {
        let row = row.as_array().expect("a row");
        let (words, numbers) = row.split_at(row.len() - 2);
        let group = words.iter().map(|word| word.as_str().expect("a name").to_owned()).collect();
        (group, [0, 1].map(|at| numbers[at].as_i64().expect("a number")))
    })
    .filter(|(_, sums): &(Vec<String>, [i64; 2])| !table.starts_with("functions") || sums[1] != 0)
    .collect()
}

fn ran(command: &mut Command) -> String {
    let said = said(command.output().expect("Python starts"));
    assert_eq!(said.status, Some(0), "{}\n{}", said.err, said.out);
    said.out
}

/// The block of docs/fleet.md that is marked with this name.
fn recipe(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fleet.md");
    let text = std::fs::read_to_string(path).expect("docs/fleet.md");
    let block = text
        .split("\n```")
        .find(|block| block.lines().next().is_some_and(|l| l.ends_with(&format!(" run {name}"))));
    let block = block.unwrap_or_else(|| panic!("docs/fleet.md has no block {name}"));
    block.split_once('\n').expect("lines").1.to_owned() + "\n"
}

#[test]
fn other_engines_find_in_all_tables_what_the_json_says() {
    let Some(python) = python() else { return };
    let scratch = Scratch::new();
    let Some(names) = experiments(&scratch) else { return };
    let mut sums = Sums::new();
    let mut analyses = Vec::new();
    for name in names {
        let experiment = format!("{name}.lw");
        scratch.ok(["-e", &experiment, "report", "--parquet", &format!("fleet/{name}")]);
        let json = scratch.ok(["-e", &experiment, "report", "--json", "-"]);
        let document: Value = serde_json::from_str(&json).expect("JSON");
        analyses.push(document["analysis"].clone());
    }
    let script = scratch.file("read.py");
    std::fs::write(&script, include_str!("fleet/read.py")).expect("writes");
    let keys = "import duckdb, json; print(json.dumps(duckdb.sql(\"SELECT experiment FROM \
                read_parquet('fleet/*/runs.parquet') ORDER BY file\").fetchall()))";
    let keys = ran(scratch.wrapped(Command::new(&python)).args(["-c", keys]));
    let keys: Vec<[String; 1]> = serde_json::from_str(&keys).expect("keys");
    assert_eq!(keys.len(), names.len(), "a run for each experiment: {keys:?}");
    for ((name, [key]), analysis) in names.iter().zip(&keys).zip(&analyses) {
        assert!(key.starts_with(&format!("{name}.lw:")), "{key}");
        add_document(&mut sums, key, analysis);
    }
    let read = ran(scratch.wrapped(Command::new(&python)).arg(&script).args(TABLES));
    let read: Value = serde_json::from_str(&read).expect("JSON");
    for (engine, said) in read.as_object().expect("engines") {
        for (table, wanted) in &sums {
            assert_eq!(&found(said, table), wanted, "{table} in {engine}");
        }
        assert_eq!((&said["rows"]["runs"], &said["rows"]["ranks"]), (&4.into(), &6.into()), "{engine}");
        assert_eq!(said["rows"], read["DuckDB"]["rows"], "{engine}");
    }
    // 10 calls of 8 numbers and of one, by each of two ranks.
    let exchanged: Vec<[i64; 2]> = sums["sites_by_rank"]
        .iter()
        .filter(|(group, _)| group[1] == "MPI_Sendrecv")
        .map(|(_, sum)| *sum)
        .collect();
    assert_eq!(exchanged, [[20, 20 * 64]; 2]);
    assert!(
        sums["files"].iter().any(|(group, sum)| group[1] == "file" && sum[1] == 6),
        "{:?}",
        sums["files"]
    );
    types_are_those_of_the_columns(&read);
    queries_of_the_document_answer(&scratch, &python, &keys, &analyses);
}

/// Each engine's name of the types, also of tables without rows: `alone` has no calls of MPI.
fn types_are_those_of_the_columns(read: &Value) {
    let columns = [
        (
            "runs",
            "started",
            ["TIMESTAMP WITH TIME ZONE", "Datetime(time_unit='us', time_zone='UTC')", "datetime64[us, UTC]"],
        ),
        ("loops", "vectorized", ["BOOLEAN", "Boolean", "bool"]),
        ("sites", "function", ["VARCHAR", "String", "string"]),
        ("sites_by_rank", "calls", ["BIGINT", "Int64", "int64"]),
        ("sites_by_rank", "seconds", ["DOUBLE", "Float64", "float64"]),
        ("files", "read_bytes", ["BIGINT", "Int64", "int64"]),
    ];
    for (table, column, names) in columns {
        for (engine, name) in ["DuckDB", "Polars", "Dask"].into_iter().zip(names) {
            let known = read[engine]["types"][table][column].as_str();
            assert_eq!(known, Some(name), "{table}.{column} in {engine}");
        }
    }
}

fn queries_of_the_document_answer(
    scratch: &Scratch,
    python: &Path,
    keys: &[[String; 1]],
    analyses: &[Value],
) {
    let sql = |name: &str| -> Vec<Vec<Value>> {
        let code =
            "import duckdb, json, sys; print(json.dumps(duckdb.sql(sys.argv[1]).fetchall(), default=str))";
        let out = ran(scratch.wrapped(Command::new(python)).args(["-c", code, &recipe(name)]));
        serde_json::from_str(&out).expect("rows")
    };
    // The imbalance by place is that of the JSON, and so is the rank that is slowest there.
    let imbalance = sql("imbalance");
    let mut wanted = Vec::new();
    for ([key], analysis) in keys.iter().zip(analyses) {
        for site in analysis["comm"]["sites"].as_array().into_iter().flatten() {
            wanted.push((key.clone(), site.clone()));
        }
    }
    assert!(wanted.len() >= 4 && imbalance.len() == wanted.len(), "{imbalance:?}");
    let close =
        |a: &Value, b: &Value| (a.as_f64().expect("a number") - b.as_f64().expect("a number")).abs() < 1e-12;
    for (key, site) in &wanted {
        let same = |row: &&Vec<Value>| {
            row[0] == *key.as_str() && row[1] == site["function"] && row[2] == site["place"]
        };
        let row = imbalance.iter().find(same).expect("a row for the place");
        assert!(close(&row[3], &site["imbalance"]["excess"]), "{row:?} {site}");
        assert_eq!(row[4], site["worst_rank"], "{site}");
    }
    // Both jobs ran on this machine: one node, all ranks, as fast as their mean.
    let nodes = sql("nodes");
    assert_eq!(nodes.len(), 1, "{nodes:?}");
    assert!(nodes[0][1] == 4 && close(&nodes[0][2], &1.0.into()), "{nodes:?}");
    let seconds = |rows: &Value, function: &str| {
        let of = rows.as_array().expect("rows").iter().filter(|each| each["function"] == function);
        of.map(|each| each["self_seconds"].as_f64().expect("seconds")).sum::<f64>()
    };
    let [before, after] = [0, 1].map(|run: usize| seconds(&analyses[run]["functions"], "work"));
    let regressions = sql("regressions");
    let slower = regressions.iter().find(|row| row[1] == "work").expect("four times the work takes longer");
    assert!(slower[0] == "program" && close(&slower[4], &after.into()) && close(&slower[5], &before.into()));
    assert!(close(&slower[6], &(after / before).into()), "{slower:?} {after} {before}");

    // The recipes print for people; a line more prints the same frame as JSON.
    let code = recipe("polars") + "print(hottest.write_json())\n";
    let out = ran(scratch.wrapped(Command::new(python)).args(["-c", &code]));
    let hottest: Value = serde_json::from_str(out.lines().last().expect("JSON")).expect("JSON");
    let (all, wanted) = (seconds(&hottest, "work"), analyses.iter().map(|of| seconds(&of["loops"], "work")));
    let wanted: f64 = wanted.sum();
    assert!(all > 0.0 && (all - wanted).abs() < 1e-9, "{wanted} s in {hottest}");
    // Processes of their own start the file again.
    let file = scratch.file("imbalance.py");
    let code = recipe("dask")
        + "    print(imbalance[[\"experiment\", \"function\", \"place\", \"imbalance_seconds\"]].to_json(orient=\"values\", double_precision=15))\n";
    std::fs::write(&file, code).expect("writes");
    let out = ran(scratch.wrapped(Command::new(python)).arg(&file));
    let found: Vec<Vec<Value>> = serde_json::from_str(out.lines().last().expect("JSON")).expect("JSON");
    assert_eq!(found.len(), imbalance.len());
    for row in &imbalance {
        let same = found.iter().find(|other| other[..3] == row[..3]);
        assert!(same.is_some_and(|other| close(&other[3], &row[3])), "{row:?} {same:?}");
    }
}

#[test]
fn tables_replace_their_own_files_and_leave_others() {
    let scratch = Scratch::new();
    let Some(gcc) = needed(in_path("gcc"), "gcc") else { return };
    let refused = |arguments: &[&str], status: i32, words: &[&str]| {
        let said = scratch.run(arguments);
        assert_eq!(said.status, Some(status), "{arguments:?}: {}", said.err);
        assert_eq!(said.err.trim_end().lines().count(), 1, "one line: {}", said.err);
        assert!(words.iter().all(|word| said.err.contains(word)), "{}", said.err);
    };
    refused(&["report", "--parquet", "-"], 2, &["folder"]);
    refused(&["report", "--parquet", "x", "--json", "x"], 2, &["named twice"]);
    let program = compiled(&scratch, &gcc, "program.c", include_str!("fleet/program.c"), &[]);
    collect(&scratch, "loopwright.lw", "heap", &[program.as_os_str()], false);
    let folder = scratch.file("fleet/a");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("notes.txt"), "mine").expect("writes");
    std::fs::write(folder.join("loops.parquet"), "an old table").expect("writes");
    let loud = scratch.run(["report", "--parquet", "fleet/a"]);
    assert_eq!((loud.status, loud.out.as_str()), (Some(0), ""), "{}", loud.err);
    assert!(loud.err.contains("10 tables") && loud.err.contains("fleet/a"), "{}", loud.err);
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("reads")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let mut wanted: Vec<String> = TABLES.iter().map(|table| format!("{table}.parquet")).collect();
    wanted.push("notes.txt".into());
    wanted.sort();
    assert_eq!(names, wanted);
    for table in TABLES {
        let bytes = std::fs::read(folder.join(table).with_extension("parquet")).expect("reads");
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{table}");
    }
    assert_eq!(std::fs::read(folder.join("notes.txt")).expect("reads"), b"mine");
    refused(&["report", "--parquet", "fleet/a/notes.txt"], 2, &["notes.txt", "no folder"]);
    std::fs::remove_file(folder.join("runs.parquet")).expect("removes");
    std::fs::create_dir(folder.join("runs.parquet")).expect("a folder");
    refused(&["report", "--parquet", "fleet/a"], 2, &["runs.parquet"]);
}
