//! Order statistics: robust against the long tails of timings.

/// The `q` quantile (0..=1) by linear interpolation between order statistics (type 7 of Hyndman and
/// Fan, "Sample Quantiles in Statistical Packages", 1996). `None` when empty; NaN values are ignored.
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    if sorted.is_empty() {
        return None;
    }
    sorted.sort_by(f64::total_cmp);
    let position = q.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = position.ceil() as usize;
    let fraction = position - below as f64;
    Some(sorted[below] + (sorted[above] - sorted[below]) * fraction)
}

/// The median. `None` when empty.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Interquartile range over the median: a measure of spread that one disturbed run hardly changes.
pub fn relative_spread(values: &[f64]) -> Option<f64> {
    let middle = median(values)?;
    if middle == 0.0 {
        return None;
    }
    Some((quantile(values, 0.75)? - quantile(values, 0.25)?) / middle.abs())
}

/// Indices of values farther than 1.5 interquartile ranges from the quartiles (Tukey's fences).
pub fn outliers(values: &[f64]) -> Vec<usize> {
    let (Some(low), Some(high)) = (quantile(values, 0.25), quantile(values, 0.75)) else {
        return Vec::new();
    };
    let fence = 1.5 * (high - low);
    (0..values.len()).filter(|&i| values[i] < low - fence || values[i] > high + fence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!(median(&values), Some(2.5));
        assert_eq!(quantile(&values, 0.0), Some(1.0));
        assert_eq!(quantile(&values, 1.0), Some(4.0));
        assert_eq!(quantile(&values, 0.25), Some(1.75));
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[f64::NAN, 7.0]), Some(7.0));
    }

    #[test]
    fn spread_ignores_one_disturbed_run() {
        let mut runs = vec![1.0; 20];
        runs.push(100.0);
        assert_eq!(relative_spread(&runs), Some(0.0));
        assert_eq!(outliers(&runs), vec![20]);
        assert_eq!(relative_spread(&[0.0, 0.0]), None);
    }
}
