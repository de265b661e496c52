// Spelling suggestions: the dictionary words nearest to each unknown word of a text.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}

fn make_dictionary(n: usize, rng: &mut Rng) -> Vec<String> {
    let syllables = [
        "ab", "ac", "al", "an", "ar", "be", "ca", "ce", "com", "con", "de", "di", "el", "en", "er", "es", "ex", "fi",
        "ge", "hy", "in", "ist", "la", "le", "li", "ma", "me", "mo", "na", "ne", "on", "or", "per", "pre", "pro",
        "ra", "re", "ro", "se", "si", "sta", "te", "ti", "tion", "tor", "un", "ver", "vi",
    ];
    let mut words: Vec<String> = (0..n)
        .map(|_| (0..2 + rng.below(4)).map(|_| syllables[rng.below(syllables.len())]).collect())
        .collect();
    words.sort();
    words.dedup();
    words
}

fn misspell(word: &str, rng: &mut Rng) -> String {
    let mut w: Vec<u8> = word.bytes().collect();
    for _ in 0..1 + rng.below(3) {
        let p = rng.below(w.len());
        let letter = b'a' + rng.below(26) as u8;
        match rng.below(4) {
            0 => w[p] = letter,
            1 => w.insert(p, letter),
            2 if w.len() > 2 => {
                w.remove(p);
            }
            _ if p > 0 => w.swap(p - 1, p),
            _ => {}
        }
    }
    String::from_utf8(w).unwrap()
}

fn edit_distance(a: &[u8], b: &[u8], row: &mut Vec<usize>) -> usize {
    row.clear();
    row.extend(0..=b.len());
    for i in 0..a.len() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for j in 0..b.len() {
            let cost = if a[i] == b[j] { 0 } else { 1 };
            let value = (diagonal + cost).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = value;
        }
    }
    row[b.len()]
}

fn suggest<'a>(word: &str, dictionary: &'a [String], count: usize) -> Vec<(usize, &'a str)> {
    let mut row = Vec::new();
    let mut best: Vec<(usize, &str)> = Vec::new();
    for entry in dictionary {
        let d = edit_distance(word.as_bytes(), entry.as_bytes(), &mut row);
        if best.len() < count || d < best[count - 1].0 {
            let at = best.partition_point(|x| x.0 <= d);
            best.insert(at, (d, entry));
            best.truncate(count);
        }
    }
    best
}

fn main() {
    let mut rng = Rng(2024);
    let dictionary = make_dictionary(40_000, &mut rng);
    let mut histogram = [0usize; 12];
    let mut checksum = 0u64;
    let mut examples = Vec::new();
    for q in 0..220 {
        let typo = misspell(&dictionary[rng.below(dictionary.len())], &mut rng);
        let found = suggest(&typo, &dictionary, 5);
        histogram[found[0].0.min(11)] += 1;
        for (d, w) in &found {
            checksum = checksum.wrapping_mul(1099511628211).wrapping_add((w.len() * 31 + d) as u64 + w.as_bytes()[0] as u64);
        }
        if q % 55 == 0 {
            examples.push(format!("{} -> {:?}", typo, found));
        }
    }
    println!("dictionary {}", dictionary.len());
    println!("best distances {:?}", histogram);
    println!("checksum {:016x}", checksum);
    for e in examples {
        println!("{}", e);
    }
}
