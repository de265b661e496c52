//! `show job`: where the time of a job's ranks goes, which of them are alike, and what to change in which order.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::phrases::{
    HOST, JOB_ADVICE, JOB_ALIKE, JOB_COLLECTED, JOB_NO_ADVICE, JOB_OF, JOB_WAITED, JOB_WAITING, NO_JOB,
    PROCESS, RANK, filled,
};
use crate::prose::{heading, labelled, more, paragraph};
use crate::quantity::{gain, many, percent, time};
use crate::style::{Ink, TerminalStyle};
use loopwright_advise::{Recommendation, cards};
use loopwright_analysis::model::{
    Analysis, CommAdvice, CommChange, JobCollection, JobFacts, JobPart, JobPartKind, JobStep, RankCluster,
};

/// Columns of the label before a fact, and before a change.
const LABEL: usize = 8;
const PART: usize = 15;
/// Changes of each part that are shown.
const SHOWN: usize = 3;

/// The view.
pub fn job(
    analysis: &Analysis,
    recommendations: &[Recommendation],
    all: bool,
    style: &TerminalStyle,
) -> String {
    let Some(job) = &analysis.job else {
        return paragraph(style, 0, Ink::Plain, NO_JOB);
    };
    let mut out = heading(style, "Job");
    let ranks = many(u64::from(job.ranks), if job.ranks > 1 { RANK } else { PROCESS });
    let values = [ranks, many(u64::from(job.hosts.max(1)), HOST), time(job.elapsed_seconds)];
    let text = filled(JOB_OF, values.each_ref().map(String::as_str));
    out.push_str(&labelled(style, 0, "Ranks", LABEL, Ink::Strong, &text));
    out.push_str(&parts(job, style));
    out.push_str(&waiting(analysis, job, style));
    out.push_str(&clusters(job, style));
    out.push_str(&advice(analysis, recommendations, if all { usize::MAX } else { SHOWN }, style));
    out + &steps(&job.steps, style)
}

/// The name of a part.
pub(crate) fn part(kind: JobPartKind) -> &'static str {
    match kind {
        JobPartKind::Computation => "Computation",
        JobPartKind::Communication => "Communication",
        JobPartKind::InputOutput => "Input/output",
    }
}

/// The verb that collects.
fn verb(collection: JobCollection) -> &'static str {
    match collection {
        JobCollection::Survey => "survey",
        JobCollection::Tripcounts => "tripcounts",
        JobCollection::Comm => "comm",
        JobCollection::Io => "io",
        JobCollection::Heap => "heap",
    }
}

fn parts(job: &JobFacts, style: &TerminalStyle) -> String {
    let mut table = Table::<&JobPart>::new()
        .column(Column::left("Part"), |each| Cell::new(part(each.kind), Ink::Strong))
        .column(Column::right("Time"), |each| Cell::plain(time(each.seconds)))
        .column(Column::right("% of run"), |each| Cell::plain(percent(each.share)));
    if job.ranks > 1 {
        table = table
            .column(Column::right("Longest").expendable(2), |each| {
                Cell::known(each.imbalance.map(|imbalance| time(imbalance.max)))
            })
            .column(Column::right("Imb. time").expendable(1), |each| {
                Cell::known(each.imbalance.map(|imbalance| time(imbalance.excess)))
            })
            .column(Column::right("Imb. %"), |each| {
                Cell::known(each.imbalance.map(|imbalance| percent(imbalance.share)))
            })
            .column(Column::right("Slowest rank").expendable(3), |each| {
                Cell::known(each.imbalance.map(|_| each.worst_rank.to_string()))
            });
    }
    format!("\n{}", table.render(&job.parts, style, 0))
}

fn waiting(analysis: &Analysis, job: &JobFacts, style: &TerminalStyle) -> String {
    let seconds = job.parts.iter().find_map(|part| part.waiting_seconds).filter(|seconds| *seconds > 0.0);
    let timed = analysis.comm.as_ref().is_some_and(|comm| comm.barriers);
    seconds.map_or_else(String::new, |seconds| {
        let text = filled(if timed { JOB_WAITED } else { JOB_WAITING }, [&time(seconds)]);
        paragraph(style, 0, Ink::Plain, &format!("{} {text}.", part(JobPartKind::Communication)))
    })
}

fn clusters(job: &JobFacts, style: &TerminalStyle) -> String {
    if job.clusters.is_empty() {
        return String::new();
    }
    let has = |kind| job.parts.iter().any(|part| part.kind == kind);
    let numbers = |each: &&RankCluster| {
        let range = |[first, last]: &[u32; 2]| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        Cell::plain(each.ranges.iter().map(range).collect::<Vec<_>>().join(","))
    };
    let mut table = Table::<&RankCluster>::new()
        .column(Column::right("Ranks"), |each| Cell::new(each.ranks.to_string(), Ink::Strong))
        .column(Column::left("Which").shorten(Shorten::End, 12), numbers)
        .column(Column::right("Like rank"), |each| Cell::plain(each.medoid.to_string()))
        .column(Column::right("Time").expendable(1), |each| Cell::plain(time(each.elapsed_seconds)))
        .column(Column::right("Computation %"), |each| Cell::plain(percent(each.computation)));
    if has(JobPartKind::Communication) {
        table =
            table.column(Column::right("Communication %"), |each| Cell::plain(percent(each.communication)));
    }
    if has(JobPartKind::InputOutput) {
        table = table.column(Column::right("Input/output %"), |each| Cell::plain(percent(each.input_output)));
    }
    let table = table.column(Column::left("").expendable(2), |each| {
        Cell::known(each.outlier.then(|| "unlike the others".to_owned()))
    });
    heading(style, JOB_ALIKE) + &table.render(&job.clusters, style, 0)
}

/// Balance first: what ranks wait for each other is no property of the network. Then communication, computation, input and output,
/// and memory.
fn advice(
    analysis: &Analysis,
    recommendations: &[Recommendation],
    shown: usize,
    style: &TerminalStyle,
) -> String {
    let comm = analysis.comm.iter().flat_map(|comm| &comm.advice);
    let of_balance = |advice: &&CommAdvice| matches!(advice.change, CommChange::BalanceWork { .. });
    let (balance, others): (Vec<&CommAdvice>, Vec<&CommAdvice>) = comm.partition(of_balance);
    let lines = |label: &'static str| {
        move |advice: &&CommAdvice| crate::comm::advice::lines(advice, label, PART, style)
    };
    let plain = |label: &str, text: &str| labelled(style, 0, label, PART, Ink::Plain, text);
    let cards = cards(analysis, recommendations);
    let computation = cards.iter().filter(|card| !card.minor).map(|card| {
        let place = card.place.as_deref().map_or_else(String::new, |place| format!("{place}: "));
        let faster =
            card.program_gain.map_or_else(String::new, |of| format!(" (program {})", gain(of, style)));
        plain(part(JobPartKind::Computation), &format!("{place}{}{faster}", card.title))
    });
    let io =
        analysis.io.iter().flat_map(|io| io.advice.iter().map(move |advice| crate::io::advised(advice, io)));
    let heap = analysis
        .heap
        .iter()
        .flat_map(|heap| heap.advice.iter().map(|advice| crate::heap::advised(advice, heap)));
    let groups: [Vec<String>; 5] = [
        balance.iter().map(lines("Balance")).collect(),
        others.iter().map(lines(part(JobPartKind::Communication))).collect(),
        computation.collect(),
        io.map(|text| plain(part(JobPartKind::InputOutput), &text)).collect(),
        heap.map(|text| plain("Memory", &text)).collect(),
    ];
    let mut out = heading(style, JOB_ADVICE);
    if groups.iter().all(Vec::is_empty) {
        return out + &paragraph(style, 0, Ink::Plain, JOB_NO_ADVICE);
    }
    for group in groups {
        out.extend(group.iter().take(shown).map(String::as_str));
        out.push_str(&more(style, group.len().saturating_sub(shown)));
    }
    out
}

fn steps(steps: &[JobStep], style: &TerminalStyle) -> String {
    let state = |step: &&JobStep| match (step.collected, step.worth) {
        (true, _) => Cell::new("collected", Ink::Good),
        (false, true) => Cell::new("missing", Ink::Caution),
        (false, false) => Cell::plain("too little seen to be worth a run"),
    };
    let table = Table::<&JobStep>::new()
        .column(Column::left("Verb"), |step| Cell::new(verb(step.collection), Ink::Strong))
        .column(Column::right("Seen %"), |step| Cell::known(step.seen.map(percent)))
        .column(Column::left("State"), state);
    heading(style, JOB_COLLECTED) + &table.render(steps, style, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::assert_valid;
    use crate::fixture;
    use loopwright_analysis::model::{Imbalance, Provenance};

    fn facts() -> JobFacts {
        let each = |kind, seconds: f64, waiting_seconds| JobPart {
            kind,
            seconds,
            share: seconds / 10.0,
            imbalance: Some(Imbalance {
                threads: 4,
                max: 8.0,
                mean: seconds,
                excess: 8.0 - seconds,
                share: 0.25,
            }),
            worst_rank: 3,
            waiting_seconds,
        };
        let cluster = |ranges: &[[u32; 2]], ranks, outlier| RankCluster {
            ranges: ranges.to_vec(),
            ranks,
            medoid: ranges[0][0],
            computation: 0.6,
            communication: 0.3,
            input_output: 0.1,
            elapsed_seconds: 10.0,
            outlier,
        };
        let step = |collection, seen, worth, collected| JobStep { collection, seen, worth, collected };
        JobFacts {
            how: Provenance::Measured,
            elapsed_seconds: 10.0,
            ranks: 4,
            hosts: 2,
            parts: vec![
                each(JobPartKind::Computation, 6.0, None),
                each(JobPartKind::Communication, 3.0, Some(2.0)),
                each(JobPartKind::InputOutput, 1.0, None),
            ],
            clusters: vec![cluster(&[[0, 1], [3, 3]], 3, false), cluster(&[[2, 2]], 1, true)],
            steps: vec![
                step(JobCollection::Survey, None, true, true),
                step(JobCollection::Tripcounts, None, true, false),
                step(JobCollection::Comm, Some(0.3), true, true),
                step(JobCollection::Io, Some(0.1), true, true),
                step(JobCollection::Heap, Some(0.001), false, false),
            ],
        }
    }

    #[test]
    fn the_job_is_shown_part_by_part_with_what_to_change() {
        let mut analysis = fixture::analysis();
        analysis.job = Some(facts());
        analysis.comm = Some(crate::comm::tests::facts());
        let gain_seconds = [0.0, 2.0];
        let balance =
            CommChange::BalanceWork { slowest_rank: 3, busy_seconds: 8.0, mean_busy_seconds: 6.0, places: 1 };
        let advice = |change, function: &str| CommAdvice {
            change,
            function: function.to_owned(),
            place: "halo.c:14".to_owned(),
            measured_seconds: 2.5,
            gain_seconds,
            gain_share: [0.0, 0.2],
        };
        let barrier = CommChange::RemoveBarrier { calls: 100, beside: None };
        analysis.comm.as_mut().unwrap().advice =
            vec![advice(barrier, "MPI_Barrier"), advice(balance, "MPI_Allreduce")];
        for style in fixture::styles() {
            fixture::assert_fits(&job(&analysis, &fixture::recommendations(), true, &style), &style);
        }
        assert_valid("JobFacts", &serde_json::to_value(facts()).unwrap());
        let text = job(&analysis, &fixture::recommendations(), false, &TerminalStyle::plain(200));
        insta::assert_snapshot!(text);
        let of = |text: &str, word: &str| text.find(word).unwrap_or_else(|| panic!("{word}: {text}"));
        assert!(of(&text, "MPI_Allreduce halo.c:14") < of(&text, "MPI_Barrier halo.c:14"));
    }

    #[test]
    fn a_job_without_counted_calls_says_how_to_have_them() {
        let words = |analysis: &Analysis| {
            let text = job(analysis, &[], false, &TerminalStyle::plain(120));
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let mut analysis = fixture::analysis();
        assert!(words(&analysis).contains("loopwright job -- mpirun -n 4 {} PROGRAM"));
        analysis.job = Some(facts());
        assert!(words(&analysis).contains(JOB_NO_ADVICE), "{}", words(&analysis));
    }
}
