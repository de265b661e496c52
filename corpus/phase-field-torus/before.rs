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

    fn coords(&self, id: usize) -> (usize, usize, usize) {
        (id % self.nx, (id / self.nx) % self.ny, id / (self.nx * self.ny))
    }

    /// Cell at (x, y, z), wrapped around the box.
    fn at(&self, x: usize, y: usize, z: usize) -> usize {
        ((z % self.nz) * self.ny + y % self.ny) * self.nx + x % self.nx
    }
}

fn laplacian(g: &Grid, phi: &[f64], id: usize) -> f64 {
    let (x, y, z) = g.coords(id);
    let mut s = phi[g.at(x + g.nx - 1, y, z)] + phi[g.at(x + 1, y, z)];
    s += phi[g.at(x, y + g.ny - 1, z)] + phi[g.at(x, y + 1, z)];
    s += phi[g.at(x, y, z + g.nz - 1)] + phi[g.at(x, y, z + 1)];
    s - 6.0 * phi[id]
}

fn step(g: &Grid, phi: &[f64], next: &mut [f64], dt: f64, eps: f64) {
    for id in 0..g.len() {
        let p = phi[id];
        next[id] = p + dt * (eps * laplacian(g, phi, id) + p - p * p * p);
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
