//! The figures of a score, from the records of pairs.
//!
//! * **Hit**: a recommendation that means the expert's remedy is among the first three.
//! * **Coverage**: of the hits, those whose measured gain lies in the predicted range. A range is met when it overlaps the
//!   measured 95 % interval: a difference within the noise is no miss.
//! * **Width**: the upper end of the range over its lower end.
//! * **Interval score** (T. Gneiting and A. Raftery, JASA 102, 2007, equation 43), of the logarithm of the gain, for a range
//!   that promises 80 %: its width, and ten times the distance by which the gain is outside. Smaller is better. It punishes both
//!   wide ranges, which coverage alone rewards, and missed gains.

use crate::judge::{Judgement, Verdict};
use crate::pair::Pair;
use crate::record::PairRecord;
use loopwright_casebook::record::{Estimate, Fired};
use loopwright_stats::median;
use std::collections::BTreeMap;

/// Recommendations that a reader looks at.
pub const SHOWN: usize = 3;
/// Share of gains that a range promises to contain.
const PROMISED: f64 = 0.8;
/// A build this much slower is slower: the same program against itself differs by less.
const SLOWER: f64 = 0.98;

/// One pair compared with the advice.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<'a> {
    /// The pair.
    pub pair: &'a Pair,
    /// Its record.
    pub record: &'a PairRecord,
    /// The first recommendation that means the remedy, with its rank from 1.
    pub found: Option<(usize, &'a Fired)>,
    /// Whether the measured gain lies in the range of `found`.
    pub covered: Option<bool>,
    /// The interval score of `found`.
    pub interval_score: Option<f64>,
}

impl Row<'_> {
    /// The remedy is among the first three.
    pub fn is_hit(&self) -> bool {
        self.found.is_some_and(|(rank, _)| rank <= SHOWN)
    }
}

/// Compares a pair with its advice.
pub fn row<'a>(pair: &'a Pair, record: &'a PairRecord) -> Row<'a> {
    let all = record.recommendations.iter().enumerate();
    let found =
        all.map(|(at, fired)| (at + 1, fired)).find(|(_, fired)| fired.is_one_of(&pair.remedy.accepts));
    let range = found.and_then(|(_, fired)| fired.program_gain);
    let measured = range.zip(record.gain);
    Row {
        pair,
        record,
        found,
        covered: measured.map(|(range, gain)| contains(range, gain)),
        interval_score: measured.map(|(range, gain)| interval_score(range, gain.median)),
    }
}

fn contains([low, high]: [f64; 2], gain: Estimate) -> bool {
    gain.high >= low && gain.low <= high
}

/// The interval score of a range for a gain, both as factors.
pub fn interval_score([low, high]: [f64; 2], gain: f64) -> f64 {
    let (low, high, gain) = (low.ln(), high.ln(), gain.ln());
    let outside = (low - gain).max(0.0) + (gain - high).max(0.0);
    (high - low) + 2.0 / (1.0 - PROMISED) * outside
}

/// The figures of some pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Pairs that were measured.
    pub pairs: usize,
    /// Pairs that failed.
    pub failed: usize,
    /// Hits.
    pub hits: usize,
    /// The remedy is recommended, at whatever rank.
    pub named: usize,
    /// Hits with a predicted range.
    pub predicted: usize,
    /// Of these, the gain is in it.
    pub covered: usize,
    /// Median width of the ranges at rank 1.
    pub width: Option<f64>,
    /// Ranges at rank 1, and how many of them begin at 1.00.
    pub first: (usize, usize),
    /// Mean interval score of the hits.
    pub interval_score: Option<f64>,
    /// Recommendations among the first three that were carried out, and those that made the program slower or wrong.
    pub tried: (usize, usize),
    /// Recommendations among the first three that somebody read against the source or carried out.
    pub judged: usize,
    /// Of these, those that are false or silly.
    pub false_statements: usize,
    /// By recommendation.
    pub rules: BTreeMap<String, Rule>,
}

/// How a recommendation did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// Times among the first three.
    pub shown: usize,
    /// Times at rank 1.
    pub first: usize,
    /// Times it was the expert's remedy and among the first three.
    pub hits: usize,
    /// Of these with a range, times it was right, and times it was not.
    pub covered: (usize, usize),
    /// Times somebody carried it out, and times it made the program slower or wrong, or said something false.
    pub tried: (usize, usize),
}

/// Adds rows up.
pub fn figures(rows: &[Row<'_>], judgements: &[Judgement]) -> Figures {
    let mut figures = Figures::default();
    let (mut widths, mut scores) = (Vec::new(), Vec::new());
    for row in rows {
        if row.record.failed.is_some() {
            figures.failed += 1;
            continue;
        }
        figures.pairs += 1;
        figures.hits += usize::from(row.is_hit());
        figures.named += usize::from(row.found.is_some());
        if let (true, Some(covered), Some(score)) = (row.is_hit(), row.covered, row.interval_score) {
            figures.predicted += 1;
            figures.covered += usize::from(covered);
            scores.push(score);
        }
        if let Some([low, high]) = row.record.recommendations.first().and_then(|fired| fired.program_gain) {
            widths.push(high / low);
            figures.first.0 += 1;
            figures.first.1 += usize::from(low < 1.005);
        }
        for (at, fired) in row.record.recommendations.iter().take(SHOWN).enumerate() {
            let rule = figures.rules.entry(fired.id.clone()).or_default();
            rule.shown += 1;
            rule.first += usize::from(at == 0);
            if row.is_hit() && row.found.is_some_and(|(rank, _)| rank == at + 1) {
                rule.hits += 1;
                if let Some(covered) = row.covered {
                    rule.covered.0 += usize::from(covered);
                    rule.covered.1 += usize::from(!covered);
                }
            }
            figures.judged += usize::from(
                judgements.iter().any(|j| j.pair == row.pair.name && fired.ids().any(|id| j.id == id)),
            );
            let Some(verdict) = verdict(row, fired, judgements) else { continue };
            rule.tried.0 += 1;
            rule.tried.1 += usize::from(verdict.is_bad());
            match verdict {
                Verdict::False | Verdict::Silly => figures.false_statements += 1,
                Verdict::Sound => {}
                _ => {
                    figures.tried.0 += 1;
                    figures.tried.1 += usize::from(verdict.is_bad());
                }
            }
        }
    }
    figures.width = median(&widths);
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    figures.interval_score = (!scores.is_empty()).then_some(mean);
    figures
}

/// What is known of a recommendation for a pair: judgements first, then what a trial of its flags showed.
fn verdict(row: &Row<'_>, fired: &Fired, judgements: &[Judgement]) -> Option<Verdict> {
    let of = |j: &&Judgement| j.pair == row.pair.name && fired.ids().any(|id| j.id == id);
    let judged = judgements.iter().filter(of);
    // The worst of several counts.
    let judged = judged.map(|j| j.verdict).max_by_key(|v| v.is_bad());
    judged.or_else(|| {
        let trial = row.record.trials.iter().find(|trial| trial.id == fired.id)?;
        let gain = trial.gain?;
        Some(match gain {
            _ if gain.high < SLOWER => Verdict::Slower,
            _ if gain.low > 1.0 => Verdict::Helps,
            _ => Verdict::Neutral,
        })
    })
}

#[cfg(test)]
mod tests;
