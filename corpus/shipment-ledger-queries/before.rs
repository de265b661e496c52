// Dashboard figures of a parcel carrier: many selections over the ledger of shipments.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Status {
    Booked,
    Collected,
    InTransit,
    Delivered,
    Returned,
}

#[derive(Clone)]
#[allow(dead_code)]
struct Shipment {
    id: u64,
    tracking_code: [u8; 20],
    sender_name: [u8; 32],
    sender_postcode: [u8; 8],
    receiver_name: [u8; 32],
    receiver_postcode: [u8; 8],
    booked_minute: u32,
    day: u16,
    depot: u16,
    status: Status,
    weight_g: u32,
    price_cents: u32,
    insured_cents: u32,
    length_mm: u16,
    width_mm: u16,
    height_mm: u16,
    driver: u32,
}

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }
}

const SHIPMENTS: usize = 900_000;
const DEPOTS: u64 = 60;
const DAYS: u64 = 365;

fn make_ledger(rng: &mut Rng) -> Vec<Shipment> {
    const STATUS: [Status; 5] = [
        Status::Booked,
        Status::Collected,
        Status::InTransit,
        Status::Delivered,
        Status::Returned,
    ];
    (0..SHIPMENTS)
        .map(|i| {
            let a = rng.next();
            let b = rng.next();
            Shipment {
                id: i as u64,
                tracking_code: [b'A' + (a % 26) as u8; 20],
                sender_name: [b'a' + (a >> 8) as u8 % 26; 32],
                sender_postcode: a.to_le_bytes(),
                receiver_name: [b'a' + (b >> 8) as u8 % 26; 32],
                receiver_postcode: b.to_le_bytes(),
                booked_minute: (a >> 20) as u32 % 1440,
                day: ((a >> 32) % DAYS) as u16,
                depot: ((b >> 24) % DEPOTS) as u16,
                status: STATUS[(b >> 40) as usize % 5],
                weight_g: 50 + (b >> 16) as u32 % 30_000,
                price_cents: 350 + (a >> 12) as u32 % 4000,
                insured_cents: (a >> 40) as u32 % 100_000,
                length_mm: 100 + (a >> 7) as u16 % 1000,
                width_mm: 100 + (b >> 7) as u16 % 600,
                height_mm: 10 + (b >> 3) as u16 % 500,
                driver: (a >> 50) as u32,
            }
        })
        .collect()
}

struct Query {
    depot: u16,
    first_day: u16,
    last_day: u16,
    min_weight_g: u32,
}

#[derive(Default)]
struct Figures {
    count: u64,
    delivered: u64,
    weight_g: u64,
    revenue_cents: u64,
}

fn evaluate(ledger: &[Shipment], q: &Query) -> Figures {
    let mut f = Figures::default();
    for s in ledger {
        if s.depot == q.depot
            && s.day >= q.first_day
            && s.day <= q.last_day
            && s.weight_g >= q.min_weight_g
        {
            f.count += 1;
            f.weight_g += s.weight_g as u64;
            f.revenue_cents += s.price_cents as u64;
            if s.status == Status::Delivered {
                f.delivered += 1;
            }
        }
    }
    f
}

fn main() {
    let mut rng = Rng(0x2545F4914F6CDD1D);
    let ledger = make_ledger(&mut rng);
    let queries: Vec<Query> = (0..120)
        .map(|_| {
            let first = rng.below(DAYS - 31) as u16;
            Query {
                depot: rng.below(DEPOTS) as u16,
                first_day: first,
                last_day: first + 30,
                min_weight_g: rng.below(20_000) as u32,
            }
        })
        .collect();
    let mut total = Figures::default();
    for (i, q) in queries.iter().enumerate() {
        let f = evaluate(&ledger, q);
        if i % 30 == 0 {
            println!(
                "query {:3}: depot {:2} days {}-{}: {} shipments, {} g, {} cents, {} delivered",
                i, q.depot, q.first_day, q.last_day, f.count, f.weight_g, f.revenue_cents, f.delivered
            );
        }
        total.count += f.count;
        total.delivered += f.delivered;
        total.weight_g += f.weight_g;
        total.revenue_cents += f.revenue_cents;
    }
    println!(
        "all: {} shipments, {} g, {} cents, {} delivered, ledger of {}",
        total.count, total.weight_g, total.revenue_cents, total.delivered, ledger.len()
    );
}
