// Finds probable duplicates in a library catalogue: two records are reported
// when the edit distance of their titles is small against their length.

const WORDS: [&str; 40] = [
    "history", "of", "the", "northern", "sea", "introduction", "to", "algebra", "birds",
    "and", "their", "habits", "modern", "chemistry", "letters", "from", "a", "traveller",
    "garden", "plants", "in", "winter", "principles", "economics", "war", "peace",
    "collected", "poems", "atlas", "stars", "handbook", "for", "engineers", "music",
    "theory", "practice", "island", "voyages", "medieval", "towns",
];

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

struct Record {
    id: u32,
    year: u32,
    title: String,
}

fn make_title(rng: &mut Rng) -> String {
    let mut title = String::new();
    let limit = 36 + rng.below(24);
    while title.len() < limit {
        let word = WORDS[rng.below(WORDS.len())];
        if title.len() + word.len() + 1 > 60 {
            break;
        }
        if !title.is_empty() {
            title.push(' ');
        }
        title.push_str(word);
    }
    title
}

fn misspell(title: &str, rng: &mut Rng) -> String {
    let mut chars: Vec<char> = title.chars().collect();
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(chars.len());
        let letter = (b'a' + rng.below(26) as u8) as char;
        match rng.below(3) {
            0 => chars[at] = letter,
            1 => {
                chars.remove(at);
            }
            _ => chars.insert(at, letter),
        }
    }
    chars.into_iter().collect()
}

fn make_catalogue(count: usize) -> Vec<Record> {
    let mut rng = Rng(0x2545_F491_4F6C_DD1D);
    let mut records: Vec<Record> = Vec::new();
    for id in 0..count {
        let title = if id > 20 && rng.below(12) == 0 {
            let other = rng.below(records.len());
            misspell(&records[other].title, &mut rng)
        } else {
            make_title(&mut rng)
        };
        records.push(Record {
            id: id as u32,
            year: 1900 + rng.below(100) as u32,
            title,
        });
    }
    records
}

fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut current = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let cost = if ca == cb { 0 } else { 1 };
            let best = (previous[j] + cost)
                .min(previous[j + 1] + 1)
                .min(current[j] + 1);
            current.push(best);
        }
        previous = current;
    }
    previous[b.len()]
}

fn main() {
    let records = make_catalogue(440);
    let mut histogram = [0u64; 80];
    let mut pairs = 0u64;
    let mut id_sum = 0u64;
    let mut year_gap = 0u64;
    for i in 0..records.len() {
        for j in i + 1..records.len() {
            let (p, q) = (&records[i], &records[j]);
            let d = edit_distance(&p.title, &q.title);
            histogram[d.min(79)] += 1;
            if d * 6 < p.title.len().max(q.title.len()) {
                pairs += 1;
                id_sum += (p.id as u64) * 31 + q.id as u64;
                year_gap += p.year.abs_diff(q.year) as u64;
            }
        }
    }
    println!("duplicates {} ids {} year gap {}", pairs, id_sum, year_gap);
    let total: u64 = histogram.iter().enumerate().map(|(d, n)| d as u64 * n).sum();
    println!("distance total {}", total);
    for d in (0..60).step_by(10) {
        println!("distance {:2}: {} pairs", d, histogram[d]);
    }
}
