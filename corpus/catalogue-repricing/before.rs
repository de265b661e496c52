// Nightly repricing of a shop's catalogue: a configurable chain of pricing rules for every item.
struct Item {
    category: u32,
    cost: f64,
    weight: f64,
    stock: f64,
    age_days: f64,
    demand: f64,
    price: f64,
}

trait Rule {
    fn apply(&self, item: &Item, price: f64) -> f64;
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
    fn apply(&self, item: &Item, _: f64) -> f64 {
        item.cost * self.0
    }
}
impl Rule for CategoryDiscount {
    fn apply(&self, item: &Item, price: f64) -> f64 {
        if item.category == self.category { price * self.factor } else { price }
    }
}
impl Rule for Clearance {
    fn apply(&self, item: &Item, price: f64) -> f64 {
        if item.stock > self.stock { price * self.factor } else { price }
    }
}
impl Rule for Ageing {
    fn apply(&self, item: &Item, price: f64) -> f64 {
        price * (1.0 - self.per_day * (item.age_days - self.from_day).max(0.0))
    }
}
impl Rule for Demand {
    fn apply(&self, item: &Item, price: f64) -> f64 {
        price * (1.0 + self.strength * (item.demand - self.pivot))
    }
}
impl Rule for Shipping {
    fn apply(&self, item: &Item, price: f64) -> f64 {
        price + self.per_kg * (item.weight - self.free_below).max(0.0)
    }
}
impl Rule for MinimumMargin {
    fn apply(&self, item: &Item, price: f64) -> f64 {
        price.max(item.cost * self.0)
    }
}
impl Rule for Ceiling {
    fn apply(&self, item: &Item, price: f64) -> f64 {
        price.min(item.cost * self.0)
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

fn make_items(n: usize) -> Vec<Item> {
    let mut seed = 88172645463325252u64;
    let mut uniform = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..n)
        .map(|_| Item {
            category: (uniform() * 30.0) as u32,
            cost: 1.0 + 99.0 * uniform(),
            weight: 12.0 * uniform(),
            stock: 1000.0 * uniform(),
            age_days: 300.0 * uniform(),
            demand: uniform(),
            price: 0.0,
        })
        .collect()
}

fn reprice(items: &mut [Item], rules: &[Box<dyn Rule>]) {
    for item in items.iter_mut() {
        let mut price = 0.0;
        for rule in rules {
            price = rule.apply(item, price);
        }
        item.price = price;
    }
}

fn sell(items: &mut [Item], night: usize) {
    for (i, item) in items.iter_mut().enumerate() {
        let wave = ((i * 7 + night * 13) % 101) as f64 / 101.0;
        item.demand = 0.9 * item.demand + 0.1 * wave;
        item.stock = (item.stock - 4.0 * item.demand).max(20.0);
        item.age_days += 1.0;
    }
}

fn main() {
    let mut items = make_items(20_000);
    let rules = make_rules();
    let mut turnover = 0.0;
    for night in 0..1200 {
        reprice(&mut items, &rules);
        for item in &items {
            turnover += item.price * item.demand;
        }
        sell(&mut items, night);
    }
    println!("turnover {:.6}", turnover);
    for i in [0, 777, 19_999] {
        println!("item {} price {:.10} stock {:.6}", i, items[i].price, items[i].stock);
    }
}
