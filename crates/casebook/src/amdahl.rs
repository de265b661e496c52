//! The gain of a program by changes in several places.

/// The program's gain by a change in one place.
pub(crate) struct PlaceGain {
    pub(crate) program: [f64; 2],
    /// The gain of the place itself; `None` where the whole program is the place.
    pub(crate) own: Option<[f64; 2]>,
    /// Places of one group are changed once.
    pub(crate) group: Option<u64>,
}

/// The program's gain when several places gain (G. Amdahl, AFIPS 1967): each removes 1 - 1/gain of the time,
/// and all of them together cannot gain more than the place that gains most.
pub(crate) fn composed(gains: &[PlaceGain]) -> Option<[f64; 2]> {
    let largest = |i: usize, of: fn(&PlaceGain) -> Option<[f64; 2]>| {
        gains.iter().map(of).map(|gain| gain.map(|gain| gain[i])).try_fold(0.0, |a, b| Some(f64::max(a, b?)))
    };
    let end = |i: usize| {
        let left = 1.0 - gains.iter().map(|gain| 1.0 - 1.0 / gain.program[i]).sum::<f64>();
        let single = largest(i, |gain| Some(gain.program))?;
        let own = largest(i, |gain| gain.own).map(|own| own.max(single));
        // Shares that overlap (a nest and its inner loop) can take away more than all of it.
        Some(if left > 0.0 { (1.0 / left).min(own.unwrap_or(f64::INFINITY)) } else { own.unwrap_or(single) })
    };
    if gains.is_empty() { None } else { Some([end(0)?, end(1)?]) }
}
