// How much of a district each ambulance station reaches, and in what time:
// shortest travel times over a road network whose junctions have map ids.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

type JunctionId = u64;

#[derive(Clone)]
struct Road {
    to: JunctionId,
    seconds: u32,
    name: String,
}

#[derive(Default)]
struct Network {
    junctions: Vec<JunctionId>,
    roads: HashMap<JunctionId, Vec<Road>>,
}

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 13
    }
}

impl Network {
    fn add_road(&mut self, a: JunctionId, b: JunctionId, seconds: u32, name: &str) {
        for (from, to) in [(a, b), (b, a)] {
            self.roads.entry(from).or_default().push(Road {
                to,
                seconds,
                name: name.to_string(),
            });
        }
    }
}

/// The network for searching: junctions are numbered 0.. in the order of the
/// list, roads of one junction lie side by side, without their names.
struct Graph {
    first: Vec<u32>,
    links: Vec<(u32, u32)>,
}

/// Working arrays that all searches share.
struct Search {
    times: Vec<u32>,
    reached: Vec<u32>,
    queue: BinaryHeap<Reverse<u64>>,
}

impl Graph {
    fn new(net: &Network) -> Graph {
        let number: HashMap<JunctionId, u32> =
            net.junctions.iter().enumerate().map(|(i, &id)| (id, i as u32)).collect();
        let mut first = vec![0u32];
        let mut links = Vec::new();
        for id in &net.junctions {
            if let Some(roads) = net.roads.get(id) {
                links.extend(roads.iter().map(|r| (number[&r.to], r.seconds)));
            }
            first.push(links.len() as u32);
        }
        Graph { first, links }
    }

    fn travel_times(&self, start: u32, limit: u32, s: &mut Search) {
        for &j in &s.reached {
            s.times[j as usize] = u32::MAX;
        }
        s.reached.clear();
        s.times[start as usize] = 0;
        s.reached.push(start);
        s.queue.push(Reverse(start as u64));
        while let Some(Reverse(key)) = s.queue.pop() {
            let (time, junction) = ((key >> 32) as u32, key as u32 as usize);
            if time > s.times[junction] {
                continue;
            }
            let range = self.first[junction] as usize..self.first[junction + 1] as usize;
            for &(to, seconds) in &self.links[range] {
                let arrival = time + seconds;
                let known = &mut s.times[to as usize];
                if arrival > limit || arrival >= *known {
                    continue;
                }
                if *known == u32::MAX {
                    s.reached.push(to);
                }
                *known = arrival;
                s.queue.push(Reverse((arrival as u64) << 32 | to as u64));
            }
        }
    }
}

fn make_network(width: usize, height: usize, rng: &mut Rng) -> Network {
    let mut net = Network::default();
    for i in 0..width * height {
        net.junctions.push(4_000_000_000 + (i as u64) * 4096 + rng.next() % 4096);
    }
    for y in 0..height {
        for x in 0..width {
            let here = net.junctions[y * width + x];
            let main_road = x % 12 == 0 || y % 12 == 0;
            for (dx, dy) in [(1, 0), (0, 1)] {
                if x + dx < width && y + dy < height && (main_road || rng.next() % 6 != 0) {
                    let there = net.junctions[(y + dy) * width + x + dx];
                    let base = if main_road { 8 } else { 20 };
                    let seconds = base + (rng.next() % 30) as u32;
                    net.add_road(here, there, seconds, if main_road { "main" } else { "lane" });
                }
            }
        }
    }
    net
}

fn main() {
    let mut rng = Rng(0x9E37_79B9_7F4A_7C15);
    let (width, height) = (228, 200);
    let net = make_network(width, height, &mut rng);
    let mut main_ends = 0u64;
    for roads in net.roads.values() {
        main_ends += roads.iter().filter(|r| r.name == "main").count() as u64;
    }
    println!("junctions {} main road ends {}", net.junctions.len(), main_ends);

    let graph = Graph::new(&net);
    let count = net.junctions.len();
    let mut search = Search {
        times: vec![u32::MAX; count],
        reached: Vec::with_capacity(count),
        queue: BinaryHeap::new(),
    };
    let mut best = vec![(u32::MAX, usize::MAX); count];
    let stations = 75;
    for station in 0..stations {
        let x = (rng.next() % (width as u64 / 12)) as usize * 12;
        let y = (rng.next() % height as u64) as usize;
        graph.travel_times((y * width + x) as u32, 2700, &mut search);
        let mut total = 0u64;
        for &j in &search.reached {
            let time = search.times[j as usize];
            total += time as u64;
            let entry = &mut best[j as usize];
            if (time, station) < *entry {
                *entry = (time, station);
            }
        }
        if station % 15 == 0 {
            println!("station {:2}: reaches {} in {} s", station, search.reached.len(), total);
        }
    }
    let mut served = vec![0u32; stations];
    let mut sum = 0u64;
    let mut covered = 0usize;
    for &(time, station) in best.iter().filter(|b| b.1 != usize::MAX) {
        served[station] += 1;
        sum += time as u64;
        covered += 1;
    }
    println!("mean time {:.4} s", sum as f64 / covered as f64);
    println!("busiest station serves {}", served.iter().max().unwrap());
}
