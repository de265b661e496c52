// Evolution of merging star clusters: gravity from a Barnes-Hut octree,
// leapfrog integration.

const THETA: f64 = 0.7;
const SOFT2: f64 = 1e-4;
const STARS: usize = 60_000;

#[derive(Clone, Copy)]
struct Star {
    pos: [f64; 3],
    vel: [f64; 3],
    acc: [f64; 3],
    mass: f64,
}

struct Node {
    centre: [f64; 3],
    half: f64,
    mass: f64,
    com: [f64; 3],
    star: Option<usize>,
    children: [Option<Box<Node>>; 8],
}

impl Node {
    fn new(centre: [f64; 3], half: f64) -> Node {
        Node { centre, half, mass: 0.0, com: [0.0; 3], star: None, children: Default::default() }
    }

    fn is_leaf(&self) -> bool {
        self.children.iter().all(|c| c.is_none())
    }

    fn child_for(&mut self, p: &[f64; 3]) -> &mut Box<Node> {
        let mut octant = 0;
        let mut centre = self.centre;
        let quarter = 0.5 * self.half;
        for d in 0..3 {
            if p[d] >= self.centre[d] {
                octant |= 1 << d;
                centre[d] += quarter;
            } else {
                centre[d] -= quarter;
            }
        }
        self.children[octant].get_or_insert_with(|| Box::new(Node::new(centre, quarter)))
    }

    fn insert(&mut self, index: usize, stars: &[Star]) {
        if self.star.is_none() && self.is_leaf() {
            self.star = Some(index);
            return;
        }
        if let Some(old) = self.star.take() {
            self.child_for(&stars[old].pos).insert(old, stars);
        }
        self.child_for(&stars[index].pos).insert(index, stars);
    }

    fn summarise(&mut self, stars: &[Star]) {
        if let Some(i) = self.star {
            self.mass = stars[i].mass;
            self.com = stars[i].pos;
            return;
        }
        for child in self.children.iter_mut().flatten() {
            child.summarise(stars);
            self.mass += child.mass;
            for d in 0..3 {
                self.com[d] += child.mass * child.com[d];
            }
        }
        for d in 0..3 {
            self.com[d] /= self.mass;
        }
    }

    // Stars in the order of the tree's leaves, which is an order along space.
    fn leaf_order(&self, order: &mut Vec<usize>) {
        if let Some(i) = self.star {
            order.push(i);
        }
        for child in self.children.iter().flatten() {
            child.leaf_order(order);
        }
    }

    fn pull(&self, p: &[f64; 3], acc: &mut [f64; 3]) {
        let dx = self.com[0] - p[0];
        let dy = self.com[1] - p[1];
        let dz = self.com[2] - p[2];
        let r2 = dx * dx + dy * dy + dz * dz;
        let size = 2.0 * self.half;
        if self.star.is_some() || size * size < THETA * THETA * r2 {
            let s = r2 + SOFT2;
            let f = self.mass / (s * s.sqrt());
            acc[0] += f * dx;
            acc[1] += f * dy;
            acc[2] += f * dz;
            return;
        }
        for child in self.children.iter().flatten() {
            child.pull(p, acc);
        }
    }
}

fn forces(stars: &mut [Star]) {
    let mut extent = 0.0f64;
    for s in stars.iter() {
        for d in 0..3 {
            extent = extent.max(s.pos[d].abs());
        }
    }
    let mut root = Node::new([0.0; 3], extent * 1.001);
    for i in 0..stars.len() {
        root.insert(i, stars);
    }
    root.summarise(stars);
    // Successive stars are close together and so walk almost the same nodes.
    let mut order = Vec::with_capacity(stars.len());
    root.leaf_order(&mut order);
    for i in order {
        let mut acc = [0.0; 3];
        root.pull(&stars[i].pos, &mut acc);
        stars[i].acc = acc;
    }
}

fn make_clusters() -> Vec<Star> {
    let mut state = 0x1234_5678_9abc_def1u64;
    let mut uniform = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut stars = Vec::with_capacity(STARS);
    for i in 0..STARS {
        let side = if i % 3 == 0 { 1.0 } else { -1.0 };
        let radius = 1.0 / ((uniform() * 0.98 + 0.01).powf(-2.0 / 3.0) - 1.0).sqrt();
        let cos_t = 2.0 * uniform() - 1.0;
        let sin_t = (1.0 - cos_t * cos_t).sqrt();
        let phi = 2.0 * std::f64::consts::PI * uniform();
        stars.push(Star {
            pos: [side * 3.0 + radius * sin_t * phi.cos(), side * 0.5 + radius * sin_t * phi.sin(), radius * cos_t],
            vel: [-side * 0.3 + 0.2 * (uniform() - 0.5), 0.2 * (uniform() - 0.5), 0.2 * (uniform() - 0.5)],
            acc: [0.0; 3],
            mass: (0.5 + uniform()) / STARS as f64,
        });
    }
    stars
}

fn main() {
    let mut stars = make_clusters();
    let dt = 0.01;
    forces(&mut stars);
    for _ in 0..2 {
        for s in stars.iter_mut() {
            for d in 0..3 {
                s.vel[d] += 0.5 * dt * s.acc[d];
                s.pos[d] += dt * s.vel[d];
            }
        }
        forces(&mut stars);
        for s in stars.iter_mut() {
            for d in 0..3 {
                s.vel[d] += 0.5 * dt * s.acc[d];
            }
        }
    }
    let kinetic: f64 = stars.iter().map(|s| 0.5 * s.mass * s.vel.iter().map(|v| v * v).sum::<f64>()).sum();
    let momentum: f64 = stars.iter().map(|s| s.mass * s.vel[0]).sum();
    println!("kinetic {:.12} momentum {:.12}", kinetic, momentum);
    for i in [0, STARS / 3, STARS - 1] {
        let s = &stars[i];
        println!("star {} pos {:.10} {:.10} {:.10} acc {:.8}", i, s.pos[0], s.pos[1], s.pos[2], s.acc[0]);
    }
}
