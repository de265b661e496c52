// Prints a library catalogue in its filing order: titles sort without their
// leading article, without punctuation and without regard to case.
struct Book {
    id: u32,
    year: u16,
    title: String,
}

struct Lcg(u64);

impl Lcg {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(3935559000370003845).wrapping_add(2691343689449507681);
        (self.0 >> 32) % n
    }
}

fn make_books(n: u32, rng: &mut Lcg) -> Vec<Book> {
    let articles = ["The ", "A ", "An ", "", "", "\"", "the "];
    let first = ["Quiet", "BURNING", "Last", "northern", "Glass", "Silver", "Hidden", "empty"];
    let second = ["garden", "River", "House", "winter", "Republic", "Atlas", "orchard", "Engine"];
    let joins = [" of the ", " and ", ", or, ", ": ", " - "];
    (0..n)
        .map(|id| {
            let mut title = String::new();
            title.push_str(articles[rng.below(7) as usize]);
            title.push_str(first[rng.below(8) as usize]);
            title.push(' ');
            title.push_str(second[rng.below(8) as usize]);
            title.push_str(joins[rng.below(5) as usize]);
            title.push_str(first[rng.below(8) as usize]);
            title.push(' ');
            title.push_str(second[rng.below(8) as usize]);
            title.push_str(&format!(", vol. {}", rng.below(30)));
            Book { id, year: 1900 + rng.below(120) as u16, title }
        })
        .collect()
}

fn filing_key(title: &str) -> String {
    let lower = title.to_lowercase();
    let trimmed = lower.trim_start_matches('"');
    let rest = ["the ", "an ", "a "]
        .iter()
        .find_map(|a| trimmed.strip_prefix(a))
        .unwrap_or(trimmed);
    let mut key = String::with_capacity(rest.len());
    for word in rest.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
        if !key.is_empty() {
            key.push(' ');
        }
        key.push_str(word);
    }
    key
}

fn fold(books: &[Book]) -> u64 {
    books.iter().fold(17u64, |h, b| h.wrapping_mul(1_000_003) ^ (b.id as u64))
}

fn main() {
    let mut rng = Lcg(11);
    let mut books = make_books(160_000, &mut rng);
    books.sort_by_key(|b| b.year);
    println!("by year {:016x}", fold(&books));

    books.sort_by_key(|b| filing_key(&b.title));
    println!("by title {:016x}", fold(&books));
    for b in books.iter().step_by(16_000) {
        println!("{} ({}) #{}", b.title, b.year, b.id);
    }
    let mut same = 0;
    for w in books.windows(2) {
        same += (w[0].title == w[1].title) as u32;
    }
    println!("repeated titles {same}");
}
