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

#[derive(Default)]
struct Work {
    head: Vec<u32>,
    tail: Vec<u32>,
}

impl Shop {
    fn random(jobs: usize, machines: usize, rng: &mut Rng) -> Shop {
        let time = (0..jobs)
            .map(|_| (0..machines).map(|_| 1 + rng.below(99) as u32).collect())
            .collect();
        Shop { machines, time }
    }

    // Puts the job where the makespan is smallest (the first such place).
    // head[k][m]: when machine m has done the first k jobs; tail[k][m]: from
    // the start of job k on machine m to the end of the schedule. A place
    // then costs one pass over the machines (Taillard).
    fn insert_best(&self, order: &mut Vec<usize>, job: usize, work: &mut Work) -> u32 {
        let mm = self.machines;
        let n = order.len();
        work.head.clear();
        work.head.resize((n + 1) * mm, 0);
        work.tail.clear();
        work.tail.resize((n + 1) * mm, 0);
        for k in 0..n {
            let t = &self.time[order[k]];
            let (before, after) = work.head.split_at_mut((k + 1) * mm);
            let (prev, cur) = (&before[k * mm..], &mut after[..mm]);
            let mut ready = 0;
            for m in 0..mm {
                ready = prev[m].max(ready) + t[m];
                cur[m] = ready;
            }
        }
        for k in (0..n).rev() {
            let t = &self.time[order[k]];
            let (before, after) = work.tail.split_at_mut((k + 1) * mm);
            let (cur, next) = (&mut before[k * mm..], &after[..mm]);
            let mut rest = 0;
            for m in (0..mm).rev() {
                rest = next[m].max(rest) + t[m];
                cur[m] = rest;
            }
        }
        let t = &self.time[job];
        let mut best = u32::MAX;
        let mut best_pos = 0;
        for pos in 0..=n {
            let head = &work.head[pos * mm..(pos + 1) * mm];
            let tail = &work.tail[pos * mm..(pos + 1) * mm];
            let mut ready = 0;
            let mut span = 0;
            for m in 0..mm {
                ready = head[m].max(ready) + t[m];
                span = span.max(ready + tail[m]);
            }
            if span < best {
                best = span;
                best_pos = pos;
            }
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
        let mut work = Work::default();
        for job in jobs {
            span = self.insert_best(&mut order, job, &mut work);
        }
        (order, span)
    }
}

fn improve(shop: &Shop, start: Vec<usize>, start_span: u32, rounds: usize, rng: &mut Rng) -> (Vec<usize>, u32, usize) {
    let mut current = start;
    let mut span = start_span;
    let mut accepted = 0;
    let mut work = Work::default();
    for _ in 0..rounds {
        let mut trial = current.clone();
        let mut removed = Vec::new();
        for _ in 0..4 {
            let at = rng.below(trial.len());
            removed.push(trial.remove(at));
        }
        let mut trial_span = 0;
        for job in removed {
            trial_span = shop.insert_best(&mut trial, job, &mut work);
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
