// Recognise recorded gestures: each query trace gets the label of the library
// trace nearest to it under dynamic time warping with a Sakoe-Chiba band.

const LENGTH: usize = 128;
const BAND: usize = 10;
const LIBRARY: usize = 2400;
const QUERIES: usize = 60;
const CLASSES: usize = 24;

struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

struct Trace {
    label: usize,
    values: Vec<f64>,
}

fn normalise(values: &mut [f64]) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
    let scale = 1.0 / variance.sqrt().max(1e-12);
    for v in values.iter_mut() {
        *v = (*v - mean) * scale;
    }
}

/// A template performed with a wandering tempo and a trembling hand.
fn perform(template: &[f64], label: usize, random: &mut Random) -> Trace {
    let phase = 6.3 * random.uniform();
    let strength = 4.0 * random.uniform();
    let mut tremble = 0.0;
    let mut values: Vec<f64> = (0..LENGTH)
        .map(|i| {
            let t = i as f64 + strength * (phase + 0.07 * i as f64).sin();
            let t = t.clamp(0.0, (LENGTH - 1) as f64);
            let k = (t as usize).min(LENGTH - 2);
            let f = t - k as f64;
            tremble = 0.8 * tremble + 0.7 * (random.uniform() - 0.5);
            template[k] * (1.0 - f) + template[k + 1] * f + tremble
        })
        .collect();
    normalise(&mut values);
    Trace { label, values }
}

fn make_template(random: &mut Random) -> Vec<f64> {
    let mut level = 0.0;
    let mut drift = 0.0;
    let mut values: Vec<f64> = (0..LENGTH)
        .map(|_| {
            drift = 0.9 * drift + random.uniform() - 0.5;
            level += drift;
            level
        })
        .collect();
    normalise(&mut values);
    values
}

/// Highest and lowest value of the query within the band around each position.
struct Envelope {
    upper: Vec<f64>,
    lower: Vec<f64>,
}

fn envelope(query: &[f64], band: usize) -> Envelope {
    let around = |i: usize| &query[i.saturating_sub(band)..(i + band + 1).min(query.len())];
    Envelope {
        upper: (0..query.len())
            .map(|i| around(i).iter().cloned().fold(f64::NEG_INFINITY, f64::max))
            .collect(),
        lower: (0..query.len())
            .map(|i| around(i).iter().cloned().fold(f64::INFINITY, f64::min))
            .collect(),
    }
}

/// No warping within the band can bring the trace nearer than this (LB_Keogh).
fn lower_bound(env: &Envelope, trace: &[f64], limit: f64) -> f64 {
    let mut sum = 0.0;
    for ((v, u), l) in trace.chunks(16).zip(env.upper.chunks(16)).zip(env.lower.chunks(16)) {
        for ((&x, &hi), &lo) in v.iter().zip(u).zip(l) {
            let excess = (x - hi).max(lo - x).max(0.0);
            sum += excess * excess;
        }
        if sum >= limit {
            break;
        }
    }
    sum
}

/// Gives up, with infinity, once every path costs at least `limit`.
fn dtw(a: &[f64], b: &[f64], band: usize, limit: f64) -> f64 {
    let n = a.len();
    let m = b.len();
    let mut previous = vec![f64::INFINITY; m + 1];
    let mut current = vec![f64::INFINITY; m + 1];
    previous[0] = 0.0;
    for i in 1..=n {
        let from = if i > band { i - band } else { 1 };
        let to = (i + band).min(m);
        current[from - 1] = f64::INFINITY;
        if to < m {
            current[to + 1] = f64::INFINITY;
        }
        let mut least = f64::INFINITY;
        for j in from..=to {
            let d = a[i - 1] - b[j - 1];
            let best = previous[j - 1].min(previous[j]).min(current[j - 1]);
            current[j] = d * d + best;
            least = least.min(current[j]);
        }
        if least >= limit {
            return f64::INFINITY;
        }
        std::mem::swap(&mut previous, &mut current);
    }
    previous[m]
}

fn nearest(query: &[f64], library: &[Trace]) -> (usize, f64) {
    let env = envelope(query, BAND);
    let mut best = (0, f64::INFINITY);
    for (k, trace) in library.iter().enumerate() {
        // the margin keeps rounding in the bound from deciding
        if lower_bound(&env, &trace.values, best.1 * (1.0 + 1e-12)) >= best.1 * (1.0 + 1e-12) {
            continue;
        }
        let d = dtw(query, &trace.values, BAND, best.1);
        if d < best.1 {
            best = (k, d);
        }
    }
    best
}

fn main() {
    let mut random = Random(0x9E3779B97F4A7C15);
    let templates: Vec<Vec<f64>> = (0..CLASSES).map(|_| make_template(&mut random)).collect();
    let library: Vec<Trace> = (0..LIBRARY)
        .map(|k| perform(&templates[k % CLASSES], k % CLASSES, &mut random))
        .collect();

    let mut correct = 0;
    let mut total = 0.0;
    for q in 0..QUERIES {
        let label = (q * 7) % CLASSES;
        let query = perform(&templates[label], label, &mut random);
        let (k, d) = nearest(&query.values, &library);
        if library[k].label == label {
            correct += 1;
        }
        total += d.sqrt();
        if q % 8 == 0 {
            println!("query {:2}: trace {:4}, distance {:.9}", q, k, d.sqrt());
        }
    }
    println!("{} of {} right, summed distance {:.9}", correct, QUERIES, total);
}
