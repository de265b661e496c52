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

// Myers' bit-parallel edit distance: a column of the table is two words of vertical
// differences; the pattern has at most 64 letters.
struct Pattern {
    masks: [u64; 256],
    len: usize,
}

impl Pattern {
    fn new(word: &[u8]) -> Pattern {
        assert!(!word.is_empty() && word.len() <= 64);
        let mut masks = [0; 256];
        for (i, &c) in word.iter().enumerate() {
            masks[c as usize] |= 1 << i;
        }
        Pattern { masks, len: word.len() }
    }

    fn distance(&self, text: &[u8]) -> usize {
        let last = self.len - 1;
        let (mut pv, mut mv) = (!0u64, 0u64);
        let mut score = self.len;
        for &c in text {
            let eq = self.masks[c as usize];
            let xv = eq | mv;
            let xh = ((eq & pv).wrapping_add(pv) ^ pv) | eq;
            let ph = mv | !(xh | pv);
            let mh = pv & xh;
            score += (ph >> last & 1) as usize;
            score -= (mh >> last & 1) as usize;
            let ph = ph << 1 | 1;
            let mh = mh << 1;
            pv = mh | !(xv | ph);
            mv = ph & xv;
        }
        score
    }
}

fn suggest<'a>(word: &str, dictionary: &'a [String], count: usize) -> Vec<(usize, &'a str)> {
    let pattern = Pattern::new(word.as_bytes());
    let mut best: Vec<(usize, &str)> = Vec::new();
    for entry in dictionary {
        let d = pattern.distance(entry.as_bytes());
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
