// SELECT customer, count(*), sum(amount), max(amount) FROM sales GROUP BY
// customer, over batches of columns, then the best customers.
use std::collections::HashMap;

const BATCH: usize = 65_536;
const BATCHES: usize = 1000;
const CUSTOMERS: u64 = 6_000;

struct Batch {
    customer: Vec<u64>,
    amount: Vec<i64>,
}

#[derive(Clone, Copy, Default)]
struct Agg {
    count: u64,
    sum: i64,
    max: i64,
}

struct Source {
    state: u64,
}

impl Source {
    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    fn fill(&mut self, batch: &mut Batch) {
        for i in 0..BATCH {
            let x = self.next();
            let a = (x >> 32) % CUSTOMERS;
            let b = (x & 0xFFFF_FFFF) % CUSTOMERS;
            batch.customer[i] = 1_000_000_007 * (1 + a.min(b));
            batch.amount[i] = ((x >> 20) & 0xFFFF) as i64 - 1000;
        }
    }
}

type Groups = HashMap<u64, Agg>;

fn aggregate(groups: &mut Groups, batch: &Batch) {
    for (&c, &a) in batch.customer.iter().zip(&batch.amount) {
        let g = groups.entry(c).or_default();
        g.count += 1;
        g.sum += a;
        g.max = g.max.max(a);
    }
}

fn main() {
    let mut source = Source { state: 0x5DEECE66D };
    let mut batch = Batch { customer: vec![0; BATCH], amount: vec![0; BATCH] };
    let mut groups = Groups::default();
    for _ in 0..BATCHES {
        source.fill(&mut batch);
        aggregate(&mut groups, &batch);
    }
    let mut rows: Vec<(u64, Agg)> = groups.into_iter().collect();
    rows.sort_by_key(|&(c, g)| (-g.sum, c));
    println!("groups {}", rows.len());
    for (c, g) in rows.iter().take(8) {
        println!("{c} count {} sum {} max {}", g.count, g.sum, g.max);
    }
    let fold = rows.iter().fold(0u64, |h, (c, g)| {
        h.wrapping_mul(31).wrapping_add(c ^ g.count ^ (g.sum as u64) ^ ((g.max as u64) << 40))
    });
    println!("fold {fold:016x}");
}
