//! A model for machines whose counters cannot be read: a processor draws `idle` watts whatever it does, and `core` watts more for each
//! busy core. A run of `t` seconds that uses `c` seconds of CPU time takes `idle t + core c` joules: with n busy cores `t` is the work
//! over the performance, and the energy `(idle + n core) t`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EnergyModel")]
pub struct Model {
    /// Watts without work: everything that is on while the program runs.
    pub idle_watts: f64,
    /// Watts of each busy core more.
    pub core_watts: f64,
}

impl Model {
    /// Joules of a run of this length with this CPU time.
    pub fn joules(&self, seconds: f64, cpu_seconds: f64) -> f64 {
        self.idle_watts * seconds + self.core_watts * cpu_seconds
    }

    /// Whether both numbers can be powers.
    pub fn is_sound(&self) -> bool {
        let is_power = |watts: f64| watts.is_finite() && (0.0..1e6).contains(&watts);
        is_power(self.idle_watts) && is_power(self.core_watts) && self.idle_watts + self.core_watts > 0.0
    }
}

/// Power with this number of busy cores.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Busy cores.
    pub cores: u32,
    /// Watts of all sockets and their memory.
    pub watts: f64,
}

/// A model through measured points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// The model.
    pub model: Model,
    /// The largest distance of a point from it, as a share of the point's power.
    pub worst: f64,
}

/// The straight line through the points with the least squares; absent where they do not decide one, or it is no model.
pub fn fit(points: &[Point]) -> Option<Fit> {
    let n = points.len() as f64;
    let mean = |value: fn(&Point) -> f64| points.iter().map(value).sum::<f64>() / n;
    let (cores, watts) = (mean(|p| f64::from(p.cores)), mean(|p| p.watts));
    let spread: f64 = points.iter().map(|p| (f64::from(p.cores) - cores).powi(2)).sum();
    let together: f64 = points.iter().map(|p| (f64::from(p.cores) - cores) * (p.watts - watts)).sum();
    if points.len() < 2 || spread <= 0.0 {
        return None;
    }
    let core_watts = together / spread;
    let model = Model { idle_watts: watts - core_watts * cores, core_watts };
    let line = |cores: u32| model.idle_watts + model.core_watts * f64::from(cores);
    let worst = points.iter().map(|p| ((p.watts - line(p.cores)) / p.watts).abs()).fold(0.0, f64::max);
    (model.is_sound() && worst.is_finite()).then_some(Fit { model, worst })
}
