// Builds one-minute bars (open, high, low, close, volume) from a stream of trades.
use std::collections::HashMap;

#[derive(Clone, Copy)]
struct Trade {
    instrument: u32,
    second: u32,
    price: f32,
    quantity: u32,
}

#[derive(Clone, Copy)]
struct Bar {
    open: f32,
    high: f32,
    low: f32,
    close: f32,
    volume: u64,
    turnover: f64,
}

impl Bar {
    fn new(t: &Trade) -> Bar {
        Bar { open: t.price, high: t.price, low: t.price, close: t.price, volume: 0, turnover: 0.0 }
    }

    fn add(&mut self, t: &Trade) {
        self.high = self.high.max(t.price);
        self.low = self.low.min(t.price);
        self.close = t.price;
        self.volume += t.quantity as u64;
        self.turnover += t.price as f64 * t.quantity as f64;
    }
}

const INSTRUMENTS: u32 = 600;
const SECONDS: u32 = 390 * 60;

fn make_trades(count: usize) -> Vec<Trade> {
    let mut state = 0x1234_5678_9ABC_DEFFu64;
    let mut price: Vec<f32> = (0..INSTRUMENTS).map(|i| 20.0 + (i % 97) as f32).collect();
    let mut trades = Vec::with_capacity(count);
    for k in 0..count {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let r = (state >> 33) as u32;
        let instrument = (r % INSTRUMENTS).min((r >> 11) % INSTRUMENTS);
        let step = ((state >> 20) & 7) as f32 - 3.5;
        let p = &mut price[instrument as usize];
        *p = (*p + 0.01 * step).max(1.0);
        trades.push(Trade {
            instrument,
            second: (k as u64 * SECONDS as u64 / count as u64) as u32,
            price: *p,
            quantity: 1 + (r >> 7) % 500,
        });
    }
    trades
}

fn build_bars(trades: &[Trade]) -> HashMap<(u32, u32), Bar> {
    let mut bars: HashMap<(u32, u32), Bar> = HashMap::new();
    for t in trades {
        let key = (t.instrument, t.second / 60);
        bars.entry(key).or_insert_with(|| Bar::new(t)).add(t);
    }
    bars
}

fn main() {
    let days: usize = std::env::args().nth(1).map_or(7, |a| a.parse().unwrap());
    let trades = make_trades(4_000_000);
    for day in 0..days {
        // every day the market opens with another part of the tape
        let tape = &trades[day * 50_000..];
        let bars = build_bars(tape);
        let mut keys: Vec<(u32, u32)> = bars.keys().copied().collect();
        keys.sort_unstable();
        let (mut volume, mut turnover, mut range) = (0u64, 0.0f64, 0.0f64);
        for key in &keys {
            let b = &bars[key];
            volume += b.volume;
            turnover += b.turnover;
            range += (b.high - b.low) as f64;
        }
        println!("day {}: {} bars, volume {}, turnover {:.4}, range {:.6}", day, keys.len(), volume, turnover, range);
        let b = &bars[&(3, 200)];
        println!("  instrument 3 minute 200: {:.2} {:.2} {:.2} {:.2} {}", b.open, b.high, b.low, b.close, b.volume);
    }
}
