// Meshes an implicit surface (a gyroid shell cut by a sphere) by marching
// tetrahedra on a regular grid; vertices on shared grid edges are welded.
use std::collections::HashMap;

const N: usize = 224; // cells per axis

struct Grid {
    n: usize, // points per axis
    f: Vec<f32>,
}

impl Grid {
    fn sample() -> Grid {
        let n = N + 1;
        // the gyroid is a sum of products of one-dimensional waves
        let wave: Vec<(f32, f32, f32)> = (0..n)
            .map(|i| {
                let x = 2.0 * i as f32 / N as f32 - 1.0;
                (x, (14.0 * x).sin(), (14.0 * x).cos())
            })
            .collect();
        let mut f = Vec::with_capacity(n * n * n);
        for &(z, sz, cz) in &wave {
            for &(y, sy, cy) in &wave {
                for &(x, sx, cx) in &wave {
                    let g = (sx * cy + sy * cz + sz * cx).abs() - 0.35;
                    let ball = ((x * x + y * y + z * z).sqrt() - 0.93) * 4.0;
                    f.push(g.max(ball));
                }
            }
        }
        Grid { n, f }
    }

    fn index(&self, x: usize, y: usize, z: usize) -> usize {
        (z * self.n + y) * self.n + x
    }

    fn position(&self, i: usize) -> [f32; 3] {
        let h = 2.0 / N as f32;
        [
            (i % self.n) as f32 * h - 1.0,
            (i / self.n % self.n) as f32 * h - 1.0,
            (i / self.n / self.n) as f32 * h - 1.0,
        ]
    }
}

#[derive(Default)]
struct Mesh {
    vertices: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

// the six tetrahedra around the main diagonal of a cell; corner bits are x, y, z
const TETS: [[usize; 4]; 6] = [
    [0, 1, 3, 7],
    [0, 3, 2, 7],
    [0, 2, 6, 7],
    [0, 6, 4, 7],
    [0, 4, 5, 7],
    [0, 5, 1, 7],
];

struct Mesher<'a> {
    grid: &'a Grid,
    welded: HashMap<(usize, usize), u32>,
    mesh: Mesh,
}

impl<'a> Mesher<'a> {
    fn new(grid: &'a Grid) -> Self {
        Mesher { grid, welded: HashMap::new(), mesh: Mesh::default() }
    }

    fn vertex(&mut self, a: usize, b: usize) -> u32 {
        let key = (a.min(b), a.max(b));
        if let Some(&v) = self.welded.get(&key) {
            return v;
        }
        let (fa, fb) = (self.grid.f[key.0], self.grid.f[key.1]);
        let t = fa / (fa - fb);
        let (p, q) = (self.grid.position(key.0), self.grid.position(key.1));
        let v = self.mesh.vertices.len() as u32;
        self.mesh.vertices.push([0, 1, 2].map(|k| p[k] + t * (q[k] - p[k])));
        self.welded.insert(key, v);
        v
    }

    fn tetrahedron(&mut self, p: [usize; 4]) {
        let mut inside = [0; 4];
        let mut outside = [0; 4];
        let (mut ni, mut no) = (0, 0);
        for i in p {
            if self.grid.f[i] < 0.0 {
                inside[ni] = i;
                ni += 1;
            } else {
                outside[no] = i;
                no += 1;
            }
        }
        match ni {
            1 => {
                let t = [0, 1, 2].map(|k| self.vertex(inside[0], outside[k]));
                self.mesh.triangles.push(t);
            }
            3 => {
                let t = [0, 1, 2].map(|k| self.vertex(outside[0], inside[k]));
                self.mesh.triangles.push(t);
            }
            2 => {
                let a = self.vertex(inside[0], outside[0]);
                let b = self.vertex(inside[0], outside[1]);
                let c = self.vertex(inside[1], outside[1]);
                let d = self.vertex(inside[1], outside[0]);
                self.mesh.triangles.push([a, b, c]);
                self.mesh.triangles.push([a, c, d]);
            }
            _ => {}
        }
    }

    fn run(mut self) -> Mesh {
        for z in 0..N {
            for y in 0..N {
                for x in 0..N {
                    let corner: [usize; 8] = std::array::from_fn(|c| {
                        self.grid.index(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))
                    });
                    for t in TETS {
                        self.tetrahedron(t.map(|c| corner[c]));
                    }
                }
            }
        }
        self.mesh
    }
}

fn main() {
    let grid = Grid::sample();
    let mesh = Mesher::new(&grid).run();

    let mut area = 0.0f64;
    for t in &mesh.triangles {
        let [p, q, r] = t.map(|i| mesh.vertices[i as usize].map(|c| c as f64));
        let u = [0, 1, 2].map(|k| q[k] - p[k]);
        let v = [0, 1, 2].map(|k| r[k] - p[k]);
        let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        area += 0.5 * (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
    }
    println!("{} vertices, {} triangles", mesh.vertices.len(), mesh.triangles.len());
    println!("area {:.9}", area);
    println!("last vertex {:?}", mesh.vertices[mesh.vertices.len() - 1]);
}
