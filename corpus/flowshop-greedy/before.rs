// Iterated greedy for the permutation flow shop: destroy, reinsert every
// removed job at its best place, keep the schedule if it is no worse.

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 33) as usize) % n
    }
}

struct Shop {
    machines: usize,
    time: Vec<Vec<u32>>, // time[job][machine]
}

impl Shop {
    fn random(jobs: usize, machines: usize, rng: &mut Rng) -> Shop {
        let time = (0..jobs)
            .map(|_| (0..machines).map(|_| 1 + rng.below(99) as u32).collect())
            .collect();
        Shop { machines, time }
    }

    fn makespan(&self, order: &[usize]) -> u32 {
        let mut done = vec![0u32; self.machines];
        for &job in order {
            let t = &self.time[job];
            let mut ready = 0;
            for m in 0..self.machines {
                ready = done[m].max(ready) + t[m];
                done[m] = ready;
            }
        }
        done[self.machines - 1]
    }

    // Puts the job where the makespan is smallest (the first such place).
    fn insert_best(&self, order: &mut Vec<usize>, job: usize) -> u32 {
        let mut best = u32::MAX;
        let mut best_pos = 0;
        for pos in 0..=order.len() {
            order.insert(pos, job);
            let span = self.makespan(order);
            if span < best {
                best = span;
                best_pos = pos;
            }
            order.remove(pos);
        }
        order.insert(best_pos, job);
        best
    }

    // Nawaz, Enscore and Ham: longest jobs first.
    fn construct(&self) -> (Vec<usize>, u32) {
        let mut jobs: Vec<usize> = (0..self.time.len()).collect();
        jobs.sort_by_key(|&j| (u32::MAX - self.time[j].iter().sum::<u32>(), j));
        let mut order = Vec::new();
        let mut span = 0;
        for job in jobs {
            span = self.insert_best(&mut order, job);
        }
        (order, span)
    }
}

fn improve(shop: &Shop, start: Vec<usize>, start_span: u32, rounds: usize, rng: &mut Rng) -> (Vec<usize>, u32, usize) {
    let mut current = start;
    let mut span = start_span;
    let mut accepted = 0;
    for _ in 0..rounds {
        let mut trial = current.clone();
        let mut removed = Vec::new();
        for _ in 0..4 {
            let at = rng.below(trial.len());
            removed.push(trial.remove(at));
        }
        let mut trial_span = 0;
        for job in removed {
            trial_span = shop.insert_best(&mut trial, job);
        }
        if trial_span <= span {
            if trial != current {
                accepted += 1;
            }
            current = trial;
            span = trial_span;
        }
    }
    (current, span, accepted)
}

fn main() {
    let mut rng = Rng(0x9E3779B97F4A7C15);
    let mut total = 0u64;
    let mut hash = 0xcbf29ce484222325u64;
    for instance in 0..4 {
        let jobs = 40 + 5 * instance;
        let shop = Shop::random(jobs, 12, &mut rng);
        let (order, first) = shop.construct();
        let (best, span, accepted) = improve(&shop, order, first, 4000, &mut rng);
        println!("instance {} jobs {} constructed {} improved {} accepted {}", instance, jobs, first, span, accepted);
        total += span as u64;
        for &j in &best {
            hash = (hash ^ j as u64).wrapping_mul(0x100000001b3);
        }
    }
    println!("total {} schedule {:016x}", total, hash);
}
