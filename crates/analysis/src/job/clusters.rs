//! Ranks that spend their time alike, so that 10,000 of them are a few lines.

use super::RankTime;
use crate::model::RankCluster;

/// Clusters that are shown at most: more are not read.
const MOST: usize = 8;
/// Ranks are alike whose parts differ by less than this share of the longest rank's time; twice as much where they are too many.
const ALIKE: f64 = 0.05;
/// A cluster of at most this share of the ranks is an outlier.
const FEW: f64 = 0.01;
/// ... where there are more than this number of others for each of them: of two or three ranks none is the odd one.
const OTHERS: usize = 3;

/// The clusters, the largest first. A rank joins the first cluster whose founder it is like: one pass for each tolerance, whatever the
/// number of ranks.
pub(super) fn clusters(times: &[RankTime]) -> Vec<RankCluster> {
    let longest = times.iter().map(|time| time.elapsed).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    // Numbers of a foreign file may be none: between 0 and 1 all points are alike in the end.
    let part =
        |seconds: f64| Some(seconds / longest).filter(|part| part.is_finite()).unwrap_or(0.0).clamp(0.0, 1.0);
    let point = |t: &RankTime| [t.computation(), t.communication, t.input_output, t.elapsed].map(part);
    let points: Vec<[f64; 4]> = times.iter().map(point).collect();
    let mut tolerance = ALIKE;
    let mut found = assigned(&points, tolerance);
    while found.len() > MOST {
        tolerance *= 2.0;
        found = assigned(&points, tolerance);
    }
    let few = ((times.len() as f64 * FEW) as usize).max(1);
    let outlier = |members: &[usize]| members.len() <= few && members.len() * OTHERS < times.len();
    let mut clusters: Vec<RankCluster> =
        found.iter().filter_map(|members| cluster(members, times, &points, outlier(members))).collect();
    clusters.sort_by_key(|cluster| (std::cmp::Reverse(cluster.ranks), cluster.medoid));
    clusters
}

/// The members of each cluster, by their places in the list.
fn assigned(points: &[[f64; 4]], tolerance: f64) -> Vec<Vec<usize>> {
    let mut founders: Vec<[f64; 4]> = Vec::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for (k, point) in points.iter().enumerate() {
        let alike = |founder: &[f64; 4]| founder.iter().zip(point).all(|(a, b)| (a - b).abs() < tolerance);
        match founders.iter().position(alike) {
            Some(cluster) => members[cluster].push(k),
            None => {
                founders.push(*point);
                members.push(vec![k]);
                if founders.len() > MOST {
                    break;
                }
            }
        }
    }
    members
}

fn cluster(members: &[usize], times: &[RankTime], points: &[[f64; 4]], outlier: bool) -> Option<RankCluster> {
    let mut mean = [0.0; 4];
    for &k in members {
        mean.iter_mut().zip(points[k]).for_each(|(sum, x)| *sum += x / members.len() as f64);
    }
    let distance = |k: usize| points[k].iter().zip(mean).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let medoid = members.iter().min_by(|a, b| distance(**a).total_cmp(&distance(**b))).map(|&k| &times[k])?;
    let share = |seconds: f64| crate::calls::share_of_run(seconds, medoid.elapsed);
    Some(RankCluster {
        ranges: ranges(members.iter().map(|&k| times[k].rank)),
        ranks: members.len() as u32,
        medoid: medoid.rank,
        computation: share(medoid.computation()),
        communication: share(medoid.communication),
        input_output: share(medoid.input_output),
        elapsed_seconds: medoid.elapsed,
        outlier,
    })
}

/// Ascending numbers as ranges.
fn ranges(ranks: impl Iterator<Item = u32>) -> Vec<[u32; 2]> {
    let mut ranges: Vec<[u32; 2]> = Vec::new();
    for rank in ranks {
        match ranges.last_mut() {
            Some([_, last]) if last.checked_add(1) == Some(rank) => *last = rank,
            _ => ranges.push([rank, rank]),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(rank: u32, elapsed: f64, communication: f64) -> RankTime {
        RankTime { rank, elapsed, communication, input_output: 0.0 }
    }

    #[test]
    fn a_rank_that_is_unlike_the_others_is_an_outlier() {
        let ranks: Vec<RankTime> = (0..300)
            .map(|r| time(r, 10.0, if r == 7 { 0.1 } else { 4.0 + f64::from(r % 5) / 100.0 }))
            .collect();
        let found = clusters(&ranks);
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].ranks, &found[0].ranges[..], found[0].outlier),
            (299, &[[0, 6], [8, 299]][..], false)
        );
        // The medoid is one of those in the middle.
        assert_eq!(found[0].medoid % 5, 2);
        assert_eq!((found[1].medoid, found[1].ranks, found[1].outlier), (7, 1, true));
        assert!((found[1].communication - 0.01).abs() < 1e-12 && (found[1].computation - 0.99).abs() < 1e-12);
    }

    #[test]
    fn ranks_that_are_all_different_are_few_clusters() {
        let ranks: Vec<RankTime> = (0..10_000).map(|r| time(r, 10.0, f64::from(r) / 1000.0)).collect();
        let found = clusters(&ranks);
        assert!((2..=MOST).contains(&found.len()), "{found:?}");
        assert_eq!(found.iter().map(|cluster| cluster.ranks).sum::<u32>(), 10_000);
        // Of four ranks one can be the odd one, of three none.
        let odd = |ranks: u32| {
            let ranks: Vec<RankTime> =
                (0..ranks).map(|r| time(r, 10.0, if r == 0 { 9.0 } else { 1.0 })).collect();
            clusters(&ranks).iter().filter(|cluster| cluster.outlier).count()
        };
        assert_eq!((odd(2), odd(3), odd(4)), (0, 0, 1));
        // Nothing took any time.
        assert_eq!(clusters(&[time(0, 0.0, 0.0), time(1, 0.0, 0.0)]).len(), 1);
        let odd: Vec<RankTime> =
            (0..20).map(|r| time(r, if r % 2 == 0 { f64::INFINITY } else { f64::NAN }, -1e300)).collect();
        assert!(clusters(&odd).len() <= MOST);
    }
}
