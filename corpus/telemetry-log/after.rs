// Summarises a telemetry log: every line holds a time stamp, a device name and
// key=value readings; prints count, mean and extremes per device and key.
use std::collections::BTreeMap;
use std::collections::HashMap;
use std::fmt::Write;

#[derive(Default, Clone)]
struct Stats {
    count: u64,
    sum: f64,
    max: f64,
}

fn summarise(log: &str) -> (HashMap<String, Stats>, u64) {
    let mut table: HashMap<&str, HashMap<&str, Stats>> = HashMap::new();
    let mut last = 0;
    for line in log.lines() {
        let mut fields = line.split(' ');
        let (Some(time), Some(device)) = (fields.next(), fields.next()) else { continue };
        let Ok(time) = time.parse() else { continue };
        last = time;
        let series = table.entry(device).or_default();
        for field in fields {
            let Some((key, value)) = field.split_once('=') else { continue };
            let Ok(value) = value.parse::<i64>() else { continue };
            let value = value as f64 / 100.0;
            let s = series.entry(key).or_default();
            s.count += 1;
            s.sum += value;
            s.max = s.max.max(value);
        }
    }
    let mut named = HashMap::new();
    for (device, series) in &table {
        for (key, s) in series {
            named.insert(format!("{}/{}", device, key), s.clone());
        }
    }
    (named, last)
}

fn make_log(lines: usize) -> String {
    let keys = ["temperature", "pressure", "vibration_rms", "flow", "valve_position"];
    let mut seed: u64 = 42;
    let mut next = move |n: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % n
    };
    let mut log = String::new();
    for i in 0..lines {
        write!(log, "{} pump-{:02}", 1_700_000_000 + i, next(40)).unwrap();
        for key in keys.iter().take(2 + next(4) as usize) {
            write!(log, " {}={}", key, next(100_000)).unwrap();
        }
        log.push('\n');
    }
    log
}

fn main() {
    let log = make_log(1_100_000);
    let (table, last) = summarise(&log);
    let sorted: BTreeMap<_, _> = table.iter().collect();
    println!("{} bytes, {} series, last {}", log.len(), sorted.len(), last);
    for (name, s) in sorted.iter().step_by(13) {
        println!("{} {} {:.6} {:.2}", name, s.count, s.sum / s.count as f64, s.max);
    }
}
