// Summary of a web server's access log: traffic per host, per page and status,
// and the hosts that fetched the most.
use std::collections::HashMap;

#[derive(Default, Clone)]
struct Traffic {
    hits: u64,
    bytes: u64,
    millis: f64,
}

struct Record {
    host: String,
    method: String,
    page: String,
    status: u32,
    bytes: u64,
    millis: f64,
}

fn push_number(text: &mut String, mut n: u64) {
    let mut digits = [0u8; 20];
    let mut at = 20;
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    for d in &digits[at..] {
        text.push(*d as char);
    }
}

fn make_log(lines: usize) -> String {
    let pages = ["index.html", "search", "images/logo.png", "api/v1/items", "login", "about.html"];
    let mut log = String::with_capacity(lines * 130);
    let mut r: u64 = 0x9E3779B97F4A7C15;
    for n in 0..lines as u64 {
        r ^= r << 13;
        r ^= r >> 7;
        r ^= r << 17;
        let host = (r >> 8) % 3000;
        let page = pages[((r >> 24) % 6) as usize];
        let status = [200, 200, 200, 304, 404, 500][((r >> 32) % 6) as usize];
        let method = if (r >> 40) % 8 == 0 { "POST" } else { "GET" };
        log.push_str("10.0.");
        push_number(&mut log, host / 250);
        log.push('.');
        push_number(&mut log, host % 250);
        log.push_str(" - [12/Mar/2024:10:");
        push_number(&mut log, 10 + n * 50 / lines as u64);
        log.push_str("] ");
        log.push_str(method);
        log.push_str(" /site/");
        log.push_str(page);
        log.push_str("?id=");
        push_number(&mut log, (r >> 44) % 100);
        log.push(' ');
        push_number(&mut log, status);
        log.push(' ');
        push_number(&mut log, (r >> 16) % 60000);
        log.push(' ');
        push_number(&mut log, (r >> 50) % 900);
        log.push_str(".25 - Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101\n");
    }
    log
}

fn parse(line: &str) -> Option<Record> {
    let fields: Vec<String> = line.split_whitespace().map(|s| s.to_string()).collect();
    if fields.len() < 8 {
        return None;
    }
    let page: Vec<&str> = fields[4].split('?').collect();
    Some(Record {
        host: fields[0].clone(),
        method: fields[3].clone(),
        page: page[0].to_string(),
        status: fields[5].parse().ok()?,
        bytes: fields[6].parse().ok()?,
        millis: fields[7].parse().ok()?,
    })
}

fn main() {
    let log = make_log(1_200_000);

    let mut hosts: HashMap<String, Traffic> = HashMap::new();
    let mut pages: HashMap<String, Traffic> = HashMap::new();
    for line in log.lines() {
        if let Some(rec) = parse(line) {
            let host = hosts.entry(rec.host.clone()).or_default();
            host.hits += 1;
            host.bytes += rec.bytes;
            host.millis += rec.millis;
            let key = format!("{} {} {}", rec.method, rec.page, rec.status);
            let page = pages.entry(key).or_default();
            page.hits += 1;
            page.bytes += rec.bytes;
            page.millis += rec.millis;
        }
    }

    let mut top: Vec<(String, Traffic)> = hosts.into_iter().collect();
    top.sort_by(|a, b| b.1.bytes.cmp(&a.1.bytes).then(a.0.cmp(&b.0)));
    println!("hosts {}", top.len());
    for (host, t) in top.iter().take(5) {
        println!("{} hits {} bytes {} mean ms {:.3}", host, t.hits, t.bytes, t.millis / t.hits as f64);
    }
    let mut table: Vec<(String, Traffic)> = pages.into_iter().collect();
    table.sort_by(|a, b| a.0.cmp(&b.0));
    for (key, t) in table.iter().take(12) {
        println!("{} hits {} bytes {} mean ms {:.3}", key, t.hits, t.bytes, t.millis / t.hits as f64);
    }
}
