// Relaxes a field on an unstructured triangle mesh that comes from a parallel mesh generator.

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) as usize) % n
    }
}

struct Mesh {
    start: Vec<u32>,
    adjacent: Vec<u32>,
}

impl Mesh {
    fn len(&self) -> usize {
        self.start.len() - 1
    }

    fn neighbours(&self, v: usize) -> &[u32] {
        &self.adjacent[self.start[v] as usize..self.start[v + 1] as usize]
    }
}

/// A side by side mesh of triangles; `label[k]` is the number given to grid vertex k.
fn generate(side: usize, label: &[u32]) -> Mesh {
    let n = side * side;
    let mut place = vec![0u32; n];
    for (k, &l) in label.iter().enumerate() {
        place[l as usize] = k as u32;
    }
    let offsets: [(i64, i64); 6] = [(-1, 0), (1, 0), (0, -1), (0, 1), (1, 1), (-1, -1)];
    let mut start = Vec::with_capacity(n + 1);
    let mut adjacent = Vec::with_capacity(6 * n);
    start.push(0);
    for v in 0..n {
        let (x, y) = (place[v] as usize % side, place[v] as usize / side);
        for (dx, dy) in offsets {
            let (nx, ny) = (x as i64 + dx, y as i64 + dy);
            if nx >= 0 && ny >= 0 && nx < side as i64 && ny < side as i64 {
                adjacent.push(label[ny as usize * side + nx as usize]);
            }
        }
        start.push(adjacent.len() as u32);
    }
    Mesh { start, adjacent }
}

fn relax(mesh: &Mesh, field: &mut Vec<f64>, source: &[f64], sweeps: usize) {
    let mut next = vec![0.0; field.len()];
    for _ in 0..sweeps {
        for v in 0..mesh.len() {
            let list = mesh.neighbours(v);
            let mut sum = 0.0;
            for &w in list {
                sum += field[w as usize];
            }
            next[v] = 0.3 * field[v] + 0.7 * (sum + source[v]) / list.len() as f64;
        }
        std::mem::swap(field, &mut next);
    }
}

/// Breadth-first numbering: order[new] = old, so that neighbours get near numbers.
fn breadth_first(mesh: &Mesh) -> Vec<u32> {
    let n = mesh.len();
    let mut seen = vec![false; n];
    let mut order: Vec<u32> = Vec::with_capacity(n);
    let root = (0..n).min_by_key(|&v| mesh.neighbours(v).len()).unwrap_or(0);
    for seed in std::iter::once(root).chain(0..n) {
        if seen[seed] {
            continue;
        }
        seen[seed] = true;
        order.push(seed as u32);
        let mut head = order.len() - 1;
        while head < order.len() {
            let v = order[head] as usize;
            head += 1;
            for &w in mesh.neighbours(v) {
                if !seen[w as usize] {
                    seen[w as usize] = true;
                    order.push(w);
                }
            }
        }
    }
    order
}

fn renumber(mesh: &Mesh, order: &[u32]) -> Mesh {
    let mut rank = vec![0u32; order.len()];
    for (new, &old) in order.iter().enumerate() {
        rank[old as usize] = new as u32;
    }
    let mut start = Vec::with_capacity(order.len() + 1);
    let mut adjacent = Vec::with_capacity(mesh.adjacent.len());
    start.push(0);
    for &old in order {
        adjacent.extend(mesh.neighbours(old as usize).iter().map(|&w| rank[w as usize]));
        start.push(adjacent.len() as u32);
    }
    Mesh { start, adjacent }
}

fn main() {
    let sweeps: usize = std::env::args().nth(1).map_or(45, |a| a.parse().unwrap());
    let side = 1200;
    let n = side * side;
    let mut rng = Rng(0x2545F4914F6CDD1D);
    let mut label: Vec<u32> = (0..n as u32).collect();
    for i in (1..n).rev() {
        label.swap(i, rng.below(i + 1));
    }
    let mesh = generate(side, &label);
    let mut field = vec![0.0; n];
    let mut source = vec![0.0; n];
    for v in 0..n {
        field[v] = (v % 1000) as f64 * 1e-3;
        source[v] = if v % 4096 == 0 { 1.0 } else { 0.0 };
    }

    let order = breadth_first(&mesh);
    let local = renumber(&mesh, &order);
    let mut permuted: Vec<f64> = order.iter().map(|&v| field[v as usize]).collect();
    let local_source: Vec<f64> = order.iter().map(|&v| source[v as usize]).collect();
    relax(&local, &mut permuted, &local_source, sweeps);
    for (new, &old) in order.iter().enumerate() {
        field[old as usize] = permuted[new];
    }

    let sum: f64 = field.iter().sum();
    let squares: f64 = field.iter().map(|f| f * f).sum();
    let largest = field.iter().cloned().fold(f64::MIN, f64::max);
    println!("vertices {} edges {}", mesh.len(), mesh.adjacent.len() / 2);
    println!("sum {:.9e}", sum);
    println!("sum of squares {:.9e}", squares);
    println!("largest {:.12e}", largest);
    println!("samples {:.12e} {:.12e} {:.12e}", field[0], field[n / 3], field[n - 1]);
}
