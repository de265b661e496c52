// Granular material settling under gravity: spheres with spring contacts, cell grid for neighbours.
const N: usize = 150_000;
const RADIUS: f64 = 0.5;
const SIDE: f64 = 52.0;
const CELLS: usize = 52;
const STIFFNESS: f64 = 2000.0;
const DAMPING: f64 = 4.0;
const DT: f64 = 1.0e-3;

#[derive(Clone, Copy)]
struct Body {
    pos: [f64; 3],
    vel: [f64; 3],
    force: [f64; 3],
    mass: f64,
    material: u32,
    contacts: u32,
}

struct World {
    bodies: Vec<Body>,
    cells: Vec<Vec<usize>>,
}

fn cell_of(x: f64) -> usize {
    (x * (CELLS as f64 / SIDE)).clamp(0.0, CELLS as f64 - 1.0) as usize
}

fn contact(a: &Body, b: &Body) -> Option<[f64; 3]> {
    let d = [a.pos[0] - b.pos[0], a.pos[1] - b.pos[1], a.pos[2] - b.pos[2]];
    let r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if r2 >= 4.0 * RADIUS * RADIUS || r2 == 0.0 {
        return None;
    }
    let r = r2.sqrt();
    let n = [d[0] / r, d[1] / r, d[2] / r];
    let vn = (a.vel[0] - b.vel[0]) * n[0] + (a.vel[1] - b.vel[1]) * n[1] + (a.vel[2] - b.vel[2]) * n[2];
    let f = STIFFNESS * (2.0 * RADIUS - r) - DAMPING * vn;
    Some([f * n[0], f * n[1], f * n[2]])
}

impl World {
    fn new() -> World {
        let mut seed = 7u64;
        let mut uniform = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        let bodies = (0..N)
            .map(|i| Body {
                pos: [SIDE * uniform(), SIDE * uniform(), SIDE * uniform()],
                vel: [uniform() - 0.5, uniform() - 0.5, uniform() - 0.5],
                force: [0.0; 3],
                mass: 1.0 + 0.5 * uniform(),
                material: (i % 3) as u32,
                contacts: 0,
            })
            .collect();
        World { bodies, cells: vec![Vec::new(); CELLS * CELLS * CELLS] }
    }

    fn fill_cells(&mut self) {
        for cell in &mut self.cells {
            cell.clear();
        }
        for (i, b) in self.bodies.iter().enumerate() {
            let c = (cell_of(b.pos[2]) * CELLS + cell_of(b.pos[1])) * CELLS + cell_of(b.pos[0]);
            self.cells[c].push(i);
        }
    }

    fn compute_forces(&mut self) {
        for i in 0..self.bodies.len() {
            let body = self.bodies[i];
            let mut force = [0.0, 0.0, -9.81 * body.mass];
            let mut contacts = 0;
            let (cx, cy, cz) = (cell_of(body.pos[0]), cell_of(body.pos[1]), cell_of(body.pos[2]));
            for z in cz.saturating_sub(1)..=(cz + 1).min(CELLS - 1) {
                for y in cy.saturating_sub(1)..=(cy + 1).min(CELLS - 1) {
                    for x in cx.saturating_sub(1)..=(cx + 1).min(CELLS - 1) {
                        for &j in &self.cells[(z * CELLS + y) * CELLS + x] {
                            if j == i {
                                continue;
                            }
                            if let Some(f) = contact(&body, &self.bodies[j]) {
                                force[0] += f[0];
                                force[1] += f[1];
                                force[2] += f[2];
                                contacts += 1;
                            }
                        }
                    }
                }
            }
            self.bodies[i].force = force;
            self.bodies[i].contacts = contacts;
        }
    }

    fn integrate(&mut self) {
        for b in &mut self.bodies {
            for k in 0..3 {
                b.vel[k] += DT * b.force[k] / b.mass;
                b.pos[k] += DT * b.vel[k];
                if b.pos[k] < 0.0 || b.pos[k] > SIDE {
                    b.pos[k] = b.pos[k].clamp(0.0, SIDE);
                    b.vel[k] *= -0.3;
                }
            }
        }
    }
}

fn main() {
    let mut world = World::new();
    for _ in 0..8 {
        world.fill_cells();
        world.compute_forces();
        world.integrate();
    }
    let energy: f64 = world.bodies.iter().map(|b| 0.5 * b.mass * b.vel.iter().map(|v| v * v).sum::<f64>()).sum();
    let height: f64 = world.bodies.iter().map(|b| b.pos[2]).sum::<f64>() / N as f64;
    let contacts: u64 = world.bodies.iter().filter(|b| b.material == 1).map(|b| b.contacts as u64).sum();
    println!("kinetic energy {:.9e}", energy);
    println!("mean height {:.12}", height);
    println!("contacts of material 1: {}", contacts);
    println!("body 4711 at {:.9?}", world.bodies[4711].pos);
}
