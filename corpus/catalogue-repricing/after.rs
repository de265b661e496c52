// Nightly repricing of a shop's catalogue: a configurable chain of pricing rules for every item.
const BLOCK: usize = 512;

#[derive(Default)]
struct Items {
    category: Vec<u32>,
    cost: Vec<f64>,
    weight: Vec<f64>,
    stock: Vec<f64>,
    age_days: Vec<f64>,
    demand: Vec<f64>,
    price: Vec<f64>,
}

// The columns of a block of items.
struct Block<'a> {
    category: &'a [u32],
    cost: &'a [f64],
    weight: &'a [f64],
    stock: &'a [f64],
    age_days: &'a [f64],
    demand: &'a [f64],
}

// A rule is called once a block and walks over the block itself.
trait Rule {
    fn apply(&self, block: &Block, price: &mut [f64]);
}

struct Markup(f64);
struct CategoryDiscount { category: u32, factor: f64 }
struct Clearance { stock: f64, factor: f64 }
struct Ageing { from_day: f64, per_day: f64 }
struct Demand { pivot: f64, strength: f64 }
struct Shipping { per_kg: f64, free_below: f64 }
struct MinimumMargin(f64);
struct Ceiling(f64);

impl Rule for Markup {
    fn apply(&self, block: &Block, price: &mut [f64]) {
        for (p, cost) in price.iter_mut().zip(block.cost) {
            *p = cost * self.0;
        }
    }
}
impl Rule for CategoryDiscount {
    fn apply(&self, block: &Block, price: &mut [f64]) {
        for (p, &category) in price.iter_mut().zip(block.category) {
            *p *= if category == self.category { self.factor } else { 1.0 };
        }
    }
}
impl Rule for Clearance {
    fn apply(&self, block: &Block, price: &mut [f64]) {
        for (p, &stock) in price.iter_mut().zip(block.stock) {
            *p *= if stock > self.stock { self.factor } else { 1.0 };
        }
    }
}
impl Rule for Ageing {
    fn apply(&self, block: &Block, price: &mut [f64]) {
        for (p, age) in price.iter_mut().zip(block.age_days) {
            *p *= 1.0 - self.per_day * (age - self.from_day).max(0.0);
        }
    }
}
impl Rule for Demand {
    fn apply(&self, block: &Block, price: &mut [f64]) {
        for (p, demand) in price.iter_mut().zip(block.demand) {
            *p *= 1.0 + self.strength * (demand - self.pivot);
        }
    }
}
impl Rule for Shipping {
    fn apply(&self, block: &Block, price: &mut [f64]) {
        for (p, weight) in price.iter_mut().zip(block.weight) {
            *p += self.per_kg * (weight - self.free_below).max(0.0);
        }
    }
}
impl Rule for MinimumMargin {
    fn apply(&self, block: &Block, price: &mut [f64]) {
        for (p, cost) in price.iter_mut().zip(block.cost) {
            *p = p.max(cost * self.0);
        }
    }
}
impl Rule for Ceiling {
    fn apply(&self, block: &Block, price: &mut [f64]) {
        for (p, cost) in price.iter_mut().zip(block.cost) {
            *p = p.min(cost * self.0);
        }
    }
}

fn make_rules() -> Vec<Box<dyn Rule>> {
    let mut rules: Vec<Box<dyn Rule>> = vec![Box::new(Markup(1.6))];
    for c in 0..8 {
        rules.push(Box::new(CategoryDiscount { category: c * 3, factor: 0.99 - 0.01 * c as f64 }));
    }
    rules.push(Box::new(Clearance { stock: 400.0, factor: 0.93 }));
    rules.push(Box::new(Clearance { stock: 800.0, factor: 0.90 }));
    rules.push(Box::new(Ageing { from_day: 90.0, per_day: 0.0004 }));
    rules.push(Box::new(Demand { pivot: 0.5, strength: 0.3 }));
    rules.push(Box::new(Shipping { per_kg: 0.35, free_below: 2.0 }));
    rules.push(Box::new(MinimumMargin(1.08)));
    rules.push(Box::new(Ceiling(2.4)));
    rules
}

fn make_items(n: usize) -> Items {
    let mut seed = 88172645463325252u64;
    let mut uniform = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut items = Items::default();
    for _ in 0..n {
        items.category.push((uniform() * 30.0) as u32);
        items.cost.push(1.0 + 99.0 * uniform());
        items.weight.push(12.0 * uniform());
        items.stock.push(1000.0 * uniform());
        items.age_days.push(300.0 * uniform());
        items.demand.push(uniform());
        items.price.push(0.0);
    }
    items
}

fn reprice(items: &mut Items, rules: &[Box<dyn Rule>]) {
    for (b, price) in items.price.chunks_mut(BLOCK).enumerate() {
        let range = b * BLOCK..b * BLOCK + price.len();
        let block = Block {
            category: &items.category[range.clone()],
            cost: &items.cost[range.clone()],
            weight: &items.weight[range.clone()],
            stock: &items.stock[range.clone()],
            age_days: &items.age_days[range.clone()],
            demand: &items.demand[range],
        };
        for rule in rules {
            rule.apply(&block, price);
        }
    }
}

fn sell(items: &mut Items, night: usize) {
    for i in 0..items.price.len() {
        let wave = ((i * 7 + night * 13) % 101) as f64 / 101.0;
        items.demand[i] = 0.9 * items.demand[i] + 0.1 * wave;
        items.stock[i] = (items.stock[i] - 4.0 * items.demand[i]).max(20.0);
        items.age_days[i] += 1.0;
    }
}

fn main() {
    let mut items = make_items(20_000);
    let rules = make_rules();
    let mut turnover = 0.0;
    for night in 0..1200 {
        reprice(&mut items, &rules);
        for (price, demand) in items.price.iter().zip(&items.demand) {
            turnover += price * demand;
        }
        sell(&mut items, night);
    }
    println!("turnover {:.6}", turnover);
    for i in [0, 777, 19_999] {
        println!("item {} price {:.10} stock {:.6}", i, items.price[i], items.stock[i]);
    }
}
