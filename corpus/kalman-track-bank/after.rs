// Tracks a few hundred aircraft with one Kalman filter each: a constant
// velocity model in three dimensions, positions measured by a radar.
use std::ops::{Add, Mul, Sub};

// The dimensions are known when the program is compiled, so a matrix is a plain
// array on the stack: no allocation, and the short loops unroll.
#[derive(Clone, Copy, Debug)]
struct Matrix<const R: usize, const C: usize>([[f64; C]; R]);

impl<const R: usize, const C: usize> Matrix<R, C> {
    fn zeros() -> Self {
        Matrix([[0.0; C]; R])
    }

    #[inline]
    fn transpose(&self) -> Matrix<C, R> {
        let mut t = Matrix::<C, R>::zeros();
        for r in 0..R {
            for c in 0..C {
                t.0[c][r] = self.0[r][c];
            }
        }
        t
    }
}

impl<const N: usize> Matrix<N, N> {
    fn identity() -> Self {
        let mut m = Self::zeros();
        for i in 0..N {
            m.0[i][i] = 1.0;
        }
        m
    }

    // Gauss-Jordan without pivoting: the matrices here are positive definite
    #[inline]
    fn inverse(&self) -> Self {
        let mut a = *self;
        let mut inv = Self::identity();
        for p in 0..N {
            let d = 1.0 / a.0[p][p];
            for c in 0..N {
                a.0[p][c] *= d;
                inv.0[p][c] *= d;
            }
            for r in 0..N {
                if r != p {
                    let f = a.0[r][p];
                    for c in 0..N {
                        a.0[r][c] -= f * a.0[p][c];
                        inv.0[r][c] -= f * inv.0[p][c];
                    }
                }
            }
        }
        inv
    }
}

impl<const R: usize, const K: usize, const C: usize> Mul<&Matrix<K, C>> for &Matrix<R, K> {
    type Output = Matrix<R, C>;
    #[inline]
    fn mul(self, o: &Matrix<K, C>) -> Matrix<R, C> {
        let mut m = Matrix::<R, C>::zeros();
        for i in 0..R {
            for k in 0..K {
                for j in 0..C {
                    m.0[i][j] += self.0[i][k] * o.0[k][j];
                }
            }
        }
        m
    }
}

impl<const R: usize, const C: usize> Add for &Matrix<R, C> {
    type Output = Matrix<R, C>;
    #[inline]
    fn add(self, o: &Matrix<R, C>) -> Matrix<R, C> {
        let mut m = *self;
        for r in 0..R {
            for c in 0..C {
                m.0[r][c] += o.0[r][c];
            }
        }
        m
    }
}

impl<const R: usize, const C: usize> Sub for &Matrix<R, C> {
    type Output = Matrix<R, C>;
    #[inline]
    fn sub(self, o: &Matrix<R, C>) -> Matrix<R, C> {
        let mut m = *self;
        for r in 0..R {
            for c in 0..C {
                m.0[r][c] -= o.0[r][c];
            }
        }
        m
    }
}

struct Model {
    f: Matrix<6, 6>,
    ft: Matrix<6, 6>,
    q: Matrix<6, 6>,
    h: Matrix<3, 6>,
    ht: Matrix<6, 3>,
    r: Matrix<3, 3>,
}

struct Track {
    x: Matrix<6, 1>,
    p: Matrix<6, 6>,
}

impl Model {
    fn new(dt: f64) -> Self {
        let mut f = Matrix::<6, 6>::identity();
        let mut q = Matrix::<6, 6>::zeros();
        let mut h = Matrix::<3, 6>::zeros();
        let mut r = Matrix::<3, 3>::zeros();
        for a in 0..3 {
            f.0[a][a + 3] = dt;
            q.0[a][a] = 0.25 * dt.powi(4);
            q.0[a][a + 3] = 0.5 * dt.powi(3);
            q.0[a + 3][a] = 0.5 * dt.powi(3);
            q.0[a + 3][a + 3] = dt * dt;
            h.0[a][a] = 1.0;
            r.0[a][a] = 25.0 + 10.0 * a as f64;
        }
        Model { f, ft: f.transpose(), q, h, ht: h.transpose(), r }
    }

    fn predict(&self, t: &mut Track) {
        t.x = &self.f * &t.x;
        t.p = &(&(&self.f * &t.p) * &self.ft) + &self.q;
    }

    fn update(&self, t: &mut Track, z: &Matrix<3, 1>) {
        let y = z - &(&self.h * &t.x);
        let pht = &t.p * &self.ht;
        let s = &(&self.h * &pht) + &self.r;
        let k = &pht * &s.inverse();
        t.x = &t.x + &(&k * &y);
        t.p = &(&Matrix::<6, 6>::identity() - &(&k * &self.h)) * &t.p;
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
            let mut p = Matrix::<6, 6>::identity();
            for a in 0..6 {
                p.0[a][a] = 500.0;
            }
            Track { x: Matrix::zeros(), p }
        })
        .collect();
    let mut innovation = 0.0;
    for step in 0..nsteps {
        let time = dt * step as f64;
        for (n, t) in tracks.iter_mut().enumerate() {
            let mut z = Matrix::<3, 1>::zeros();
            for a in 0..3 {
                let v = 10.0 + n as f64 * 0.1 - a as f64 * 4.0;
                z.0[a][0] = 100.0 * a as f64 + v * time + 12.0 * noise(&mut seed);
            }
            model.predict(t);
            innovation += (z.0[0][0] - t.x.0[0][0]).abs();
            model.update(t, &z);
        }
    }
    println!("mean innovation {:.10}", innovation / (ntracks * nsteps) as f64);
    for n in [0, 123, 399] {
        let t = &tracks[n];
        println!("track {:3} x {:.6} vx {:.8} vz {:.8} pxx {:.8}", n, t.x.0[0][0], t.x.0[3][0], t.x.0[5][0], t.p.0[0][0]);
    }
    let sum: f64 = tracks.iter().map(|t| t.x.0.iter().map(|r| r[0]).sum::<f64>()).sum();
    println!("checksum {:.6}", sum);
}
