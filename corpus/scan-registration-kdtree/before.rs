// Rigid registration of a laser scan against a reference cloud with the iterative
// closest point method; nearest neighbours come from a k-d tree.

type Point = [f64; 3];

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

struct Node {
    point: Point,
    axis: usize,
    left: Option<u32>,
    right: Option<u32>,
}

struct KdTree {
    nodes: Vec<Node>,
    root: Option<u32>,
}

impl KdTree {
    fn new(points: &[Point]) -> KdTree {
        let mut tree = KdTree { nodes: Vec::with_capacity(points.len()), root: None };
        let mut work = points.to_vec();
        tree.root = tree.build(&mut work, 0);
        tree
    }

    fn build(&mut self, points: &mut [Point], depth: usize) -> Option<u32> {
        if points.is_empty() {
            return None;
        }
        let axis = depth % 3;
        let mid = points.len() / 2;
        points.select_nth_unstable_by(mid, |a, b| a[axis].total_cmp(&b[axis]));
        let id = self.nodes.len();
        self.nodes.push(Node { point: points[mid], axis, left: None, right: None });
        let (low, high) = points.split_at_mut(mid);
        let left = self.build(low, depth + 1);
        let right = self.build(&mut high[1..], depth + 1);
        self.nodes[id].left = left;
        self.nodes[id].right = right;
        Some(id as u32)
    }

    fn nearest(&self, query: &Point) -> (u32, f64) {
        let mut best = (u32::MAX, f64::INFINITY);
        self.visit(self.root, query, &mut best);
        best
    }

    fn visit(&self, id: Option<u32>, query: &Point, best: &mut (u32, f64)) {
        let Some(id) = id else { return };
        let node = &self.nodes[id as usize];
        let d2 = distance2(&node.point, query);
        if d2 < best.1 {
            *best = (id, d2);
        }
        let diff = query[node.axis] - node.point[node.axis];
        let (near, far) = if diff < 0.0 { (node.left, node.right) } else { (node.right, node.left) };
        self.visit(near, query, best);
        if diff * diff < best.1 {
            self.visit(far, query, best);
        }
    }
}

fn distance2(a: &Point, b: &Point) -> f64 {
    let (x, y, z) = (a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    x * x + y * y + z * z
}

/// A point of a rolling landscape of 1000 by 1000 metres.
fn terrain(rng: &mut Rng) -> Point {
    let (x, y) = (rng.unit() * 1000.0, rng.unit() * 1000.0);
    let z = 12.0 * (x / 60.0).sin() * (y / 85.0).cos() + 5.0 * (x / 17.0 + y / 23.0).sin();
    [x, y, z]
}

/// Rotation about the vertical axis and translation that best map `from` to `to`.
fn fit(from: &[Point], to: &[Point]) -> (f64, Point) {
    let n = from.len() as f64;
    let (mut cf, mut ct) = ([0.0; 3], [0.0; 3]);
    for (f, t) in from.iter().zip(to) {
        for k in 0..3 {
            cf[k] += f[k] / n;
            ct[k] += t[k] / n;
        }
    }
    let (mut dot, mut cross) = (0.0, 0.0);
    for (f, t) in from.iter().zip(to) {
        let (fx, fy) = (f[0] - cf[0], f[1] - cf[1]);
        let (tx, ty) = (t[0] - ct[0], t[1] - ct[1]);
        dot += fx * tx + fy * ty;
        cross += fx * ty - fy * tx;
    }
    let angle = cross.atan2(dot);
    let (s, c) = angle.sin_cos();
    let shift = [ct[0] - (c * cf[0] - s * cf[1]), ct[1] - (s * cf[0] + c * cf[1]), ct[2] - cf[2]];
    (angle, shift)
}

fn transform(points: &mut [Point], angle: f64, shift: &Point) {
    let (s, c) = angle.sin_cos();
    for p in points {
        *p = [c * p[0] - s * p[1] + shift[0], s * p[0] + c * p[1] + shift[1], p[2] + shift[2]];
    }
}

fn main() {
    let mut rng = Rng(0x9E3779B97F4A7C15);
    let reference: Vec<Point> = (0..400_000).map(|_| terrain(&mut rng)).collect();
    let mut scan: Vec<Point> = (0..200_000).map(|_| terrain(&mut rng)).collect();
    transform(&mut scan, 0.002, &[0.8, -0.5, 0.3]);

    let tree = KdTree::new(&reference);
    let mut matched = vec![[0.0; 3]; scan.len()];
    for iteration in 1..=5 {
        let mut error = 0.0;
        for (p, m) in scan.iter().zip(matched.iter_mut()) {
            let (id, d2) = tree.nearest(p);
            *m = tree.nodes[id as usize].point;
            error += d2;
        }
        let (angle, shift) = fit(&scan, &matched);
        transform(&mut scan, angle, &shift);
        println!(
            "iteration {} rms {:.8} angle {:.8} shift {:.6} {:.6} {:.6}",
            iteration, (error / scan.len() as f64).sqrt(), angle, shift[0], shift[1], shift[2]
        );
    }
    let sum = scan.iter().fold([0.0; 3], |s, p| [s[0] + p[0], s[1] + p[1], s[2] + p[2]]);
    println!("checksum {:.4} {:.4} {:.4}", sum[0], sum[1], sum[2]);
}
