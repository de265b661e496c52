// Allen-Cahn phase separation on a periodic box: explicit time stepping of an
// order parameter, with the box size given on the command line.

struct Grid {
    nx: usize,
    ny: usize,
    nz: usize,
}

impl Grid {
    fn len(&self) -> usize {
        self.nx * self.ny * self.nz
    }

    /// Cell at (x, y, z), wrapped around the box.
    fn at(&self, x: usize, y: usize, z: usize) -> usize {
        ((z % self.nz) * self.ny + y % self.ny) * self.nx + x % self.nx
    }
}

fn step(g: &Grid, phi: &[f64], next: &mut [f64], dt: f64, eps: f64) {
    let nx = g.nx;
    let row = |y: usize, z: usize| &phi[(z * g.ny + y) * nx..][..nx];
    for z in 0..g.nz {
        let zm = if z == 0 { g.nz - 1 } else { z - 1 };
        let zp = if z + 1 == g.nz { 0 } else { z + 1 };
        for y in 0..g.ny {
            let ym = if y == 0 { g.ny - 1 } else { y - 1 };
            let yp = if y + 1 == g.ny { 0 } else { y + 1 };
            let (c, s, n, d, u) = (row(y, z), row(ym, z), row(yp, z), row(y, zm), row(y, zp));
            let out = &mut next[(z * g.ny + y) * nx..][..nx];
            let mut cell = |x: usize, xm: usize, xp: usize| {
                let p = c[x];
                let mut l = c[xm] + c[xp];
                l += s[x] + n[x];
                l += d[x] + u[x];
                out[x] = p + dt * (eps * (l - 6.0 * p) + p - p * p * p);
            };
            cell(0, nx - 1, 1 % nx);
            for x in 1..nx - 1 {
                cell(x, x - 1, x + 1);
            }
            cell(nx - 1, nx - 2, 0);
        }
    }
}

fn interface_area(g: &Grid, phi: &[f64]) -> usize {
    let mut n = 0;
    for z in 0..g.nz {
        for y in 0..g.ny {
            let row = &phi[(z * g.ny + y) * g.nx..][..g.nx];
            n += row.windows(2).filter(|w| w[0] * w[1] < 0.0).count();
        }
    }
    n
}

fn main() {
    let dims: Vec<usize> = std::env::args().skip(1).map(|a| a.parse().expect("box size")).collect();
    let g = Grid { nx: dims[0], ny: dims[1], nz: dims[2] };
    let mut seed: u64 = 88172645463325252;
    let mut phi: Vec<f64> = (0..g.len())
        .map(|_| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        })
        .collect();
    let mut next = vec![0.0; g.len()];
    for t in 1..=80 {
        step(&g, &phi, &mut next, 0.05, 2.0);
        std::mem::swap(&mut phi, &mut next);
        if t % 20 == 0 {
            let mean = phi.iter().sum::<f64>() / g.len() as f64;
            println!("step {} mean {:.12e} interface {}", t, mean, interface_area(&g, &phi));
        }
    }
    println!("{:.12e} {:.12e} {:.12e}", phi[0], phi[g.at(5, 6, 7)], phi[g.len() - 1]);
}
