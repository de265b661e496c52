// Tracks a few hundred aircraft with one Kalman filter each: a constant
// velocity model in three dimensions, positions measured by a radar.
use std::ops::{Add, Mul, Sub};

#[derive(Clone, Debug)]
struct Matrix {
    rows: usize,
    cols: usize,
    data: Vec<f64>,
}

impl Matrix {
    fn zeros(rows: usize, cols: usize) -> Self {
        Matrix { rows, cols, data: vec![0.0; rows * cols] }
    }

    fn identity(n: usize) -> Self {
        let mut m = Matrix::zeros(n, n);
        for i in 0..n {
            m.set(i, i, 1.0);
        }
        m
    }

    fn get(&self, r: usize, c: usize) -> f64 {
        self.data[r * self.cols + c]
    }

    fn set(&mut self, r: usize, c: usize, v: f64) {
        self.data[r * self.cols + c] = v;
    }

    fn transpose(&self) -> Matrix {
        let mut t = Matrix::zeros(self.cols, self.rows);
        for r in 0..self.rows {
            for c in 0..self.cols {
                t.set(c, r, self.get(r, c));
            }
        }
        t
    }

    // Gauss-Jordan without pivoting: the matrices here are positive definite
    fn inverse(&self) -> Matrix {
        let n = self.rows;
        let mut a = self.clone();
        let mut inv = Matrix::identity(n);
        for p in 0..n {
            let d = 1.0 / a.get(p, p);
            for c in 0..n {
                a.set(p, c, a.get(p, c) * d);
                inv.set(p, c, inv.get(p, c) * d);
            }
            for r in 0..n {
                if r != p {
                    let f = a.get(r, p);
                    for c in 0..n {
                        a.set(r, c, a.get(r, c) - f * a.get(p, c));
                        inv.set(r, c, inv.get(r, c) - f * inv.get(p, c));
                    }
                }
            }
        }
        inv
    }
}

impl Mul for &Matrix {
    type Output = Matrix;
    fn mul(self, o: &Matrix) -> Matrix {
        assert_eq!(self.cols, o.rows);
        let mut m = Matrix::zeros(self.rows, o.cols);
        for i in 0..self.rows {
            for j in 0..o.cols {
                let mut s = 0.0;
                for k in 0..self.cols {
                    s += self.get(i, k) * o.get(k, j);
                }
                m.set(i, j, s);
            }
        }
        m
    }
}

impl Add for &Matrix {
    type Output = Matrix;
    fn add(self, o: &Matrix) -> Matrix {
        let data = self.data.iter().zip(&o.data).map(|(a, b)| a + b).collect();
        Matrix { rows: self.rows, cols: self.cols, data }
    }
}

impl Sub for &Matrix {
    type Output = Matrix;
    fn sub(self, o: &Matrix) -> Matrix {
        let data = self.data.iter().zip(&o.data).map(|(a, b)| a - b).collect();
        Matrix { rows: self.rows, cols: self.cols, data }
    }
}

struct Model {
    f: Matrix,
    q: Matrix,
    h: Matrix,
    r: Matrix,
}

struct Track {
    x: Matrix,
    p: Matrix,
}

impl Model {
    fn new(dt: f64) -> Self {
        let mut f = Matrix::identity(6);
        let mut q = Matrix::zeros(6, 6);
        let mut h = Matrix::zeros(3, 6);
        let mut r = Matrix::zeros(3, 3);
        for a in 0..3 {
            f.set(a, a + 3, dt);
            q.set(a, a, 0.25 * dt.powi(4));
            q.set(a, a + 3, 0.5 * dt.powi(3));
            q.set(a + 3, a, 0.5 * dt.powi(3));
            q.set(a + 3, a + 3, dt * dt);
            h.set(a, a, 1.0);
            r.set(a, a, 25.0 + 10.0 * a as f64);
        }
        Model { f, q, h, r }
    }

    fn predict(&self, t: &mut Track) {
        t.x = &self.f * &t.x;
        t.p = &(&(&self.f * &t.p) * &self.f.transpose()) + &self.q;
    }

    fn update(&self, t: &mut Track, z: &Matrix) {
        let ht = self.h.transpose();
        let y = z - &(&self.h * &t.x);
        let s = &(&(&self.h * &t.p) * &ht) + &self.r;
        let k = &(&t.p * &ht) * &s.inverse();
        t.x = &t.x + &(&k * &y);
        t.p = &(&Matrix::identity(6) - &(&k * &self.h)) * &t.p;
    }
}

fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

fn main() {
    let (ntracks, nsteps, dt) = (400, 2000, 0.5);
    let model = Model::new(dt);
    let mut seed = 12345u64;
    let mut tracks: Vec<Track> = (0..ntracks)
        .map(|_| {
            let mut p = Matrix::identity(6);
            for a in 0..6 {
                p.set(a, a, 500.0);
            }
            Track { x: Matrix::zeros(6, 1), p }
        })
        .collect();
    let mut innovation = 0.0;
    for step in 0..nsteps {
        let time = dt * step as f64;
        for (n, t) in tracks.iter_mut().enumerate() {
            let mut z = Matrix::zeros(3, 1);
            for a in 0..3 {
                let v = 10.0 + n as f64 * 0.1 - a as f64 * 4.0;
                z.set(a, 0, 100.0 * a as f64 + v * time + 12.0 * noise(&mut seed));
            }
            model.predict(t);
            innovation += (z.get(0, 0) - t.x.get(0, 0)).abs();
            model.update(t, &z);
        }
    }
    println!("mean innovation {:.10}", innovation / (ntracks * nsteps) as f64);
    for n in [0, 123, 399] {
        let t = &tracks[n];
        println!("track {:3} x {:.6} vx {:.8} vz {:.8} pxx {:.8}", n, t.x.get(0, 0), t.x.get(3, 0), t.x.get(5, 0), t.p.get(0, 0));
    }
    let sum: f64 = tracks.iter().map(|t| t.x.data.iter().sum::<f64>()).sum();
    println!("checksum {:.6}", sum);
}
