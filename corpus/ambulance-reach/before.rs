// How much of a district each ambulance station reaches, and in what time:
// shortest travel times over a road network whose junctions have map ids.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

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

    fn travel_times(&self, start: JunctionId, limit: u32) -> HashMap<JunctionId, u32> {
        let mut times: HashMap<JunctionId, u32> = HashMap::new();
        let mut done: HashSet<JunctionId> = HashSet::new();
        let mut queue = BinaryHeap::new();
        times.insert(start, 0);
        queue.push(Reverse((0u32, start)));
        while let Some(Reverse((time, junction))) = queue.pop() {
            if !done.insert(junction) {
                continue;
            }
            for road in &self.roads[&junction] {
                let arrival = time + road.seconds;
                if arrival > limit || done.contains(&road.to) {
                    continue;
                }
                let known = times.get(&road.to).copied().unwrap_or(u32::MAX);
                if arrival < known {
                    times.insert(road.to, arrival);
                    queue.push(Reverse((arrival, road.to)));
                }
            }
        }
        times
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

    let mut best: HashMap<JunctionId, (u32, usize)> = HashMap::new();
    let stations = 75;
    for station in 0..stations {
        let x = (rng.next() % (width as u64 / 12)) as usize * 12;
        let y = (rng.next() % height as u64) as usize;
        let times = net.travel_times(net.junctions[y * width + x], 2700);
        let total: u64 = times.values().map(|&t| t as u64).sum();
        if station % 15 == 0 {
            println!("station {:2}: reaches {} in {} s", station, times.len(), total);
        }
        for (&junction, &time) in &times {
            let entry = best.entry(junction).or_insert((time, station));
            if (time, station) < *entry {
                *entry = (time, station);
            }
        }
    }
    let mut served = vec![0u32; stations];
    let mut sum = 0u64;
    for &(time, station) in best.values() {
        served[station] += 1;
        sum += time as u64;
    }
    println!("mean time {:.4} s", sum as f64 / best.len() as f64);
    println!("busiest station serves {}", served.iter().max().unwrap());
}
