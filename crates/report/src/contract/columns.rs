//! The tables of columns in docs/fleet.md: each table of [`crate::fleet`] has its own, between two marks.
//!
//! A block opens with `<!-- columns of runs -->` and ends with `<!-- end -->`. What a column means is the doc comment of the key of
//! the contract that has its name; columns that no key has are described here.

use super::{description, properties};
use crate::fleet::Table;
use crate::value::Kind;
use serde_json::{Map, Value};

const BEGIN: &str = "<!-- columns of ";
const END: &str = "<!-- end -->";

/// Columns of one meaning in all tables.
const EVERYWHERE: [(&str, &str); 1] =
    [("experiment", "The state: file, run, host and start. The same in all tables of a folder.")];

/// Where the meanings of a table's columns are: types of the contract, the first first, and what none of them has.
fn meanings(table: Table) -> (&'static [&'static str], &'static [(&'static str, &'static str)]) {
    match table {
        Table::Runs => (
            &["ProgramFacts", "LoadFacts", "ModuleSummary", "MachineFacts"],
            &[
                ("loopwright_version", "The version of loopwright that wrote the table."),
                ("file", "Name of the experiment's file."),
                ("program", "First word of the command, without its folder."),
                ("command", "Command line, joined by spaces."),
                ("started", "When the run began; of a job, its lowest rank."),
                ("host", "Host name; of a job, that of its lowest rank."),
                ("job", "The job as its launcher names it."),
                ("launcher", "`openmpi`, `mpich`, `slurm`, .."),
                ("ranks", "Rows in `ranks`."),
                ("elapsed_seconds", "Wall-clock time of the longest rank."),
                ("vectorized_share", "Share of sampled time in vectorised loops."),
                ("scalar_share", "Share of sampled time in scalar loops."),
                ("kernel_share", "Share of sampled time in the kernel."),
                ("build_id", "Build id of the program."),
                ("compiler", "The program's first compiler, with its flags."),
                ("processor", "Name of the processor."),
                ("mpi_seconds", "Mean seconds that a rank is in MPI."),
                ("io_seconds", "Mean seconds that a rank is in calls of input and output."),
                ("joules", "Energy of the sampled run."),
            ],
        ),
        Table::Ranks => (
            &[],
            &[
                ("rank", "Its number; 0 where there is no job."),
                ("host", "The machine that it ran on."),
                ("elapsed_seconds", "Wall-clock time of the surveyed run."),
                ("user_seconds", "User time of the surveyed run."),
                ("system_seconds", "System time of the surveyed run."),
                ("peak_resident_bytes", "Peak resident set of the surveyed run's largest process."),
                ("mpi_elapsed_seconds", "Seconds that it ran while its calls of MPI were counted."),
                ("mpi_seconds", "Of these, seconds in MPI."),
                ("mpi_calls", "Calls of MPI."),
                ("messages", "Messages that it sent."),
                ("message_bytes", "Their bytes."),
                ("io_elapsed_seconds", "Seconds that it ran while its input and output was counted."),
                ("io_seconds", "Seconds in calls of input and output, summed over threads."),
                ("read_bytes", "Bytes that it read."),
                ("written_bytes", "Bytes that it wrote."),
                ("allocations", "Allocations."),
                ("allocated_bytes", "Bytes that they asked for."),
                ("peak_heap_bytes", "Highest live bytes, by samples."),
            ],
        ),
        Table::Functions => (
            &["FunctionFacts", "WorkRow"],
            &[("executed_instructions", "Counted instructions of its own code.")],
        ),
        Table::FunctionsByRank => (
            &[],
            &[
                ("function", "Name."),
                ("module", "Base name of its module."),
                ("rank", "The rank; 0 where there is no job."),
                ("self_seconds", "Time in its own instructions in this rank."),
                ("samples", "Samples of its own instructions in this rank."),
            ],
        ),
        Table::Loops => (
            &[
                "LoopFacts",
                "VectorFacts",
                "TripCount",
                "WorkRow",
                "RooflinePoint",
                "MemoryFacts",
                "DependenceFacts",
                "Bottleneck",
            ],
            &[
                ("traits", "Properties of the code that matter to its speed, separated by spaces."),
                ("types", "Element types of the arithmetic, dominant first, separated by spaces."),
                (
                    "why_not",
                    "Reasons why it is not vectorised, the most specific first, separated by spaces.",
                ),
                (
                    "compilers",
                    "What compilers claim: `COMPILER=true` where one claims that it is vectorised.",
                ),
                ("min_iterations", "Fewest machine iterations of an entry."),
                ("median_iterations_low", "Lowest value that the median of the machine iterations can have."),
                ("median_iterations_high", "Highest value that it can have."),
                ("mean_iterations", "Mean machine iterations of an entry."),
                ("max_iterations", "Most machine iterations of an entry."),
                ("executed_instructions", "Counted instructions of its own blocks."),
                ("executed_packed_share", "Packed share of the floating-point operations that it executed."),
                ("roofline_kind", "The arithmetic of the roofline."),
                ("imbalance_seconds", "Time of the busiest thread less the mean."),
                (
                    "imbalance_share",
                    "Imbalance of the time of the threads: 0 for an even load, 1 where one does everything.",
                ),
                ("not_counted", "Why there are no counts."),
                ("unit_share", "Share of the traced accesses with the stride 1."),
                ("uniform_share", "Share of those at one address."),
                ("constant_share", "Share of those with another constant stride."),
                ("variable_share", "Share of those with changing strides."),
                ("frame_share", "Share of those in the function's frame."),
                ("vector_verdict", "Whether it is safe to vectorise."),
                ("parallel_verdict", "Whether it is safe to run in parallel."),
                ("carried_dependences", "Dependences that it carries."),
                ("not_traced", "Why there are no traces."),
                ("bound_by", "What binds it, the largest cause first, separated by spaces."),
                ("bound_share", "Share of the first cause."),
                ("iteration_ns", "Nanoseconds of a machine iteration, as measured there."),
                ("not_injected", "Why nothing was injected."),
            ],
        ),
        Table::Sites => (&["CommSite"], CALLS),
        Table::SitesByRank => (
            &[],
            &[
                ("function", "The function as the standard writes it."),
                ("class", "What it is for."),
                ("caller", "The function that calls it."),
                ("module", "Base name of the file that holds the caller."),
                ("place", "Source file and line of the call, or its address."),
                ("rank", "The rank; 0 where there is no job."),
                ("calls", "Its calls."),
                ("bytes", "Bytes that they handed over."),
                ("calls_without_bytes", "Calls whose bytes are not known."),
                ("seconds", "Seconds of the rank in these calls."),
                ("longest_seconds", "Its longest call."),
                ("sync_seconds", "Its seconds in the barriers before them, where there were any."),
            ],
        ),
        Table::Files => (&["IoFile"], CALLS),
        Table::Allocations => (&["HeapPlace"], CALLS),
        Table::Recommendations => (
            &["Recommendation"],
            &[
                ("loop", "Number of the loop in the experiment."),
                ("loop_gain_low", "Least speed-up of the loop."),
                ("loop_gain_likely", "Likely speed-up of the loop."),
                ("loop_gain_high", "Most speed-up of the loop."),
                ("program_gain_low", "Least speed-up of the program."),
                ("program_gain_likely", "Likely speed-up of the program."),
                ("program_gain_high", "Most speed-up of the program."),
                ("evidence", "The facts that it follows from, in sentences."),
                ("how", "How to make the change."),
            ],
        ),
    }
}

/// What several tables of calls have.
const CALLS: &[(&str, &str)] = &[
    ("calls_without_bytes", "Calls whose bytes are not known."),
    ("imbalance_seconds", "Time of the busiest rank less the mean."),
    ("imbalance_share", "Imbalance of the ranks' time: 0 for an even load, 1 where one does everything."),
    ("below_16", "Calls of less than 16 bytes."),
    ("below_256", "Calls of 16 to 255 bytes."),
    ("below_4096", "Calls of 256 to 4095 bytes."),
    ("below_65536", "Calls of 4096 to 65535 bytes."),
    ("below_1048576", "Calls of 65536 to 1048575 bytes."),
    ("larger", "Calls of 1 MiB and more."),
];

fn meaning(table: Table, column: &str, definitions: &Map<String, Value>) -> Option<String> {
    let (types, own) = meanings(table);
    let described = own.iter().chain(&EVERYWHERE).find(|(name, _)| *name == column);
    described.map(|(_, text)| (*text).to_owned()).or_else(|| {
        types.iter().find_map(|name| description(properties(definitions.get(*name)?)?.get(column)?))
    })
}

/// The document with its tables of columns as the code says, and the tables that it shows.
pub(super) fn document(text: &str, definitions: &Map<String, Value>) -> (String, Vec<Table>) {
    let (mut out, mut shown, mut within) = (String::new(), Vec::new(), false);
    let mut without = Vec::new();
    for line in text.lines() {
        within &= line != END;
        if !within {
            out.push_str(line);
            out.push('\n');
        }
        let Some(name) = line.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        within = true;
        let table = Table::ALL.into_iter().find(|table| table.name() == name);
        let table = table.unwrap_or_else(|| panic!("docs/fleet.md names the table {name}"));
        out.push_str("\n| column | type | meaning |\n| --- | --- | --- |\n");
        for (column, kind) in table.columns() {
            let meaning = meaning(table, column, definitions).unwrap_or_else(|| {
                without.push(format!("{name}.{column}"));
                String::new()
            });
            out.push_str(&format!(
                "| `{column}` | {} | {} |\n",
                kind_name(kind),
                meaning.replace('|', "\\|")
            ));
        }
        out.push('\n');
        shown.push(table);
    }
    assert!(without.is_empty(), "no meaning of {without:?}");
    (out, shown)
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "string",
        Kind::Whole => "int64",
        Kind::Number => "double",
        Kind::Flag => "boolean",
        Kind::Instant => "timestamp, UTC",
    }
}
