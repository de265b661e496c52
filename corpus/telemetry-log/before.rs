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

struct Reading {
    key: String,
    value: f64,
}

struct Record {
    time: u64,
    device: String,
    readings: Vec<Reading>,
}

fn parse_line(line: &str) -> Option<Record> {
    let fields: Vec<String> = line.split(' ').map(|f| f.to_string()).collect();
    if fields.len() < 2 {
        return None;
    }
    let time = fields[0].parse().ok()?;
    let mut readings = Vec::new();
    for field in &fields[2..] {
        let parts: Vec<String> = field.split('=').map(|p| p.to_string()).collect();
        if parts.len() == 2 {
            if let Ok(hundredths) = parts[1].parse::<i64>() {
                readings.push(Reading { key: parts[0].clone(), value: hundredths as f64 / 100.0 });
            }
        }
    }
    Some(Record { time, device: fields[1].clone(), readings })
}

fn summarise(log: &str) -> (HashMap<String, Stats>, u64) {
    let mut table: HashMap<String, Stats> = HashMap::new();
    let mut last = 0;
    for line in log.lines() {
        if let Some(record) = parse_line(line) {
            last = record.time;
            for r in &record.readings {
                let name = format!("{}/{}", record.device, r.key);
                let s = table.entry(name).or_default();
                s.count += 1;
                s.sum += r.value;
                s.max = s.max.max(r.value);
            }
        }
    }
    (table, last)
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
