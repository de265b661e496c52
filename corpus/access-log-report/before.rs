// Report from a fixed-column access log: requests, bytes and latency per service and per hour.
// Columns: date 0-9, time 11-22, level 24-28, service 30-41, status 43-45, bytes 47-55,
// millis 57-63, user (may hold any script) from 65 on.
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Default)]
struct Summary {
    requests: u64,
    errors: u64,
    bytes: u64,
    millis: u64,
    slowest: u64,
}

fn make_log(lines: usize) -> String {
    let services = ["auth", "billing", "catalogue", "checkout", "search", "storefront", "images"];
    let users = ["anna", "jörg", "frédéric", "małgorzata", "Ольга", "user-1729", "李雷"];
    let mut log = String::new();
    let mut seed = 12345u64;
    for i in 0..lines {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let r = seed >> 33;
        let ms = i as u64 * 86_400_000 / lines as u64;
        let status = [200, 200, 200, 304, 200, 404, 200, 500][(r % 8) as usize];
        writeln!(
            log,
            "2024-05-17 {:02}:{:02}:{:02}.{:03} {:<5} {:<12} {:>3} {:>9} {:>7} {}",
            ms / 3_600_000,
            ms / 60_000 % 60,
            ms / 1000 % 60,
            ms % 1000,
            if status >= 500 { "ERROR" } else { "INFO" },
            services[(r / 8 % 7) as usize],
            status,
            r % 250_000,
            r % 900 + 1,
            users[(r / 64 % 7) as usize],
        )
        .unwrap();
    }
    log
}

fn column(line: &str, start: usize, len: usize) -> String {
    line.chars().skip(start).take(len).collect::<String>().trim().to_string()
}

fn number(line: &str, start: usize, len: usize) -> u64 {
    column(line, start, len).parse().unwrap_or(0)
}

fn add(summary: &mut Summary, status: u64, bytes: u64, millis: u64) {
    summary.requests += 1;
    if status >= 400 {
        summary.errors += 1;
    }
    summary.bytes += bytes;
    summary.millis += millis;
    summary.slowest = summary.slowest.max(millis);
}

fn analyse(log: &str) -> (BTreeMap<String, Summary>, BTreeMap<u64, Summary>, BTreeMap<String, u64>) {
    let mut services: BTreeMap<String, Summary> = BTreeMap::new();
    let mut hours: BTreeMap<u64, Summary> = BTreeMap::new();
    let mut failures: BTreeMap<String, u64> = BTreeMap::new();
    for line in log.lines() {
        let hour = number(line, 11, 2);
        let level = column(line, 24, 5);
        let service = column(line, 30, 12);
        let status = number(line, 43, 3);
        let bytes = number(line, 47, 9);
        let millis = number(line, 57, 7);
        add(services.entry(service).or_default(), status, bytes, millis);
        add(hours.entry(hour).or_default(), status, bytes, millis);
        if level == "ERROR" {
            let user = column(line, 65, 64);
            *failures.entry(user).or_insert(0) += 1;
        }
    }
    (services, hours, failures)
}

fn main() {
    let log = make_log(60_000);
    let mut checksum = 0u64;
    for round in 0..32 {
        let (services, hours, failures) = analyse(&log);
        for s in services.values().chain(hours.values()) {
            checksum = checksum.wrapping_mul(31).wrapping_add(s.bytes + s.slowest + s.millis);
        }
        if round == 0 {
            for (name, s) in &services {
                println!("{:<12} {:>7} {:>6} {:>12} {:>8.2}", name, s.requests, s.errors, s.bytes,
                    s.millis as f64 / s.requests as f64);
            }
            println!("busiest hour {:?}", hours.iter().max_by_key(|(_, s)| s.bytes).map(|(h, _)| h));
            println!("failures {:?}", failures);
        }
    }
    println!("checksum {}", checksum);
}
