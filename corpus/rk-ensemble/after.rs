//! Ensemble of stiff-ish oscillators: an embedded Runge-Kutta 3(2) integrator
//! (Bogacki-Shampine) with step-size control, applied to predator-prey chains
//! with different growth rates.

/// The state lives in fixed-size arrays on the stack; the system is a generic
/// parameter, so that the compiler inlines it.
struct Solver<F> {
    system: F,
    tolerance: f64,
    accepted: usize,
    rejected: usize,
}

fn axpy<const N: usize, const S: usize>(y: &[f64; N], terms: [(f64, &[f64; N]); S]) -> [f64; N] {
    let mut out = *y;
    for (a, k) in terms {
        for i in 0..N {
            out[i] += a * k[i];
        }
    }
    out
}

impl<F> Solver<F> {
    fn new(system: F, tolerance: f64) -> Self {
        Solver { system, tolerance, accepted: 0, rejected: 0 }
    }

    fn error_norm<const N: usize>(&self, y: &[f64; N], high: &[f64; N], low: &[f64; N]) -> f64 {
        let mut sum = 0.0;
        for i in 0..N {
            let e = (high[i] - low[i]) / (self.tolerance * (1.0 + y[i].abs().max(high[i].abs())));
            sum += e * e;
        }
        (sum / N as f64).sqrt()
    }

    fn integrate<const N: usize>(&mut self, y0: &[f64; N], t_end: f64) -> [f64; N]
    where
        F: Fn(f64, &[f64; N]) -> [f64; N],
    {
        let mut t = 0.0;
        let mut h: f64 = 1e-3;
        let mut y = *y0;
        while t < t_end {
            h = h.min(t_end - t);
            let k1 = (self.system)(t, &y);
            let k2 = (self.system)(t + 0.5 * h, &axpy(&y, [(0.5 * h, &k1)]));
            let k3 = (self.system)(t + 0.75 * h, &axpy(&y, [(0.75 * h, &k2)]));
            let high = axpy(&y, [(2.0 / 9.0 * h, &k1), (h / 3.0, &k2), (4.0 / 9.0 * h, &k3)]);
            let k4 = (self.system)(t + h, &high);
            let low = axpy(&y, [(7.0 / 24.0 * h, &k1), (0.25 * h, &k2), (h / 3.0, &k3), (0.125 * h, &k4)]);
            let error = self.error_norm(&y, &high, &low);
            if error <= 1.0 {
                t += h;
                y = high;
                self.accepted += 1;
            } else {
                self.rejected += 1;
            }
            let factor = 0.9 / error.max(1e-8).sqrt().max(0.2);
            h *= factor.clamp(0.3, 3.0);
        }
        y
    }
}

/// Each species eats the one before it.
fn food_chain<const N: usize>(growth: f64) -> impl Fn(f64, &[f64; N]) -> [f64; N] {
    move |_t, y| {
        let mut dy = [0.0; N];
        for i in 0..N {
            let gain = if i == 0 { growth * (1.0 - 0.1 * y[0]) } else { 0.6 * y[i - 1] - 0.3 };
            let loss = if i + 1 < N { 0.5 * y[i + 1] } else { 0.1 };
            dy[i] = y[i] * (gain - loss);
        }
        dy
    }
}

fn main() {
    let (mut accepted, mut rejected) = (0, 0);
    let mut mean = [0.0; 4];
    let members = 8000;
    for m in 0..members {
        let growth = 0.8 + m as f64 / members as f64;
        let mut solver = Solver::new(food_chain(growth), 1e-6);
        let y = solver.integrate(&[1.0, 0.8, 0.5, 0.3], 60.0);
        accepted += solver.accepted;
        rejected += solver.rejected;
        for i in 0..y.len() {
            mean[i] += y[i] / members as f64;
        }
        if m % 2000 == 0 {
            println!("growth {:.4}: {:.8} {:.8} {:.8} {:.8}", growth, y[0], y[1], y[2], y[3]);
        }
    }
    println!("accepted {} rejected {}", accepted, rejected);
    println!("mean {:.8} {:.8} {:.8} {:.8}", mean[0], mean[1], mean[2], mean[3]);
}
