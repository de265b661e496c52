// Tokenises a stream of JSON event messages and gathers statistics on them:
// tokens of each kind, the sum of the numbers, a hash of the keys, nesting.
#[derive(Debug, PartialEq)]
enum Token<'a> {
    Punct(u8),
    Str(&'a str),
    Num(&'a str),
    Word(&'a str),
}

struct Lexer<'a> {
    text: &'a str,
    pos: usize,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, pos: 0 }
    }

    // Every byte that ends a token is ASCII, so slices fall on char boundaries.
    fn take_while<F: Fn(u8) -> bool>(&mut self, f: F) -> &'a str {
        let rest = &self.text.as_bytes()[self.pos..];
        let n = rest.iter().position(|&c| !f(c)).unwrap_or(rest.len());
        let s = &self.text[self.pos..self.pos + n];
        self.pos += n;
        s
    }

    fn tokens(&mut self, out: &mut Vec<Token<'a>>) {
        while let Some(&c) = self.text.as_bytes().get(self.pos) {
            match c {
                b' ' | b'\n' | b'\t' => self.pos += 1,
                b'{' | b'}' | b'[' | b']' | b',' | b':' => {
                    out.push(Token::Punct(c));
                    self.pos += 1;
                }
                b'"' => {
                    self.pos += 1;
                    out.push(Token::Str(self.take_while(|c| c != b'"')));
                    self.pos += 1;
                }
                b'-' | b'0'..=b'9' => {
                    out.push(Token::Num(self.take_while(|c| c == b'-' || c == b'.' || c.is_ascii_digit())))
                }
                _ => {
                    let w = self.take_while(|c| c.is_ascii_alphabetic() || c >= 0x80);
                    assert!(!w.is_empty(), "unexpected character {c}");
                    out.push(Token::Word(w));
                }
            }
        }
    }
}

#[derive(Default)]
struct Stats {
    punct: u64,
    strings: u64,
    string_bytes: u64,
    numbers: u64,
    sum: f64,
    words: u64,
    deepest: i32,
    keys: u64,
}

impl Stats {
    fn add(&mut self, tokens: &[Token<'_>]) {
        let mut depth = 0;
        for (i, t) in tokens.iter().enumerate() {
            match t {
                Token::Punct(c) => {
                    self.punct += 1;
                    match c {
                        b'{' | b'[' => depth += 1,
                        b'}' | b']' => depth -= 1,
                        _ => {}
                    }
                    self.deepest = self.deepest.max(depth);
                }
                Token::Str(s) => {
                    self.strings += 1;
                    self.string_bytes += s.len() as u64;
                    if tokens.get(i + 1) == Some(&Token::Punct(b':')) {
                        for b in s.bytes() {
                            self.keys = (self.keys ^ b as u64).wrapping_mul(0x100000001b3);
                        }
                    }
                }
                Token::Num(n) => {
                    self.numbers += 1;
                    self.sum += n.parse::<f64>().unwrap();
                }
                Token::Word(_) => self.words += 1,
            }
        }
    }
}

fn message(x: &mut u64, out: &mut String) {
    let mut r = |n: u64| {
        *x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*x >> 33) % n
    };
    let places = ["Malmö", "Reykjavík", "Lisbon", "Zürich", "Osaka"];
    out.push_str(&format!("{{\"event\": {}, \"place\": \"{}\", ", r(100000), places[r(5) as usize]));
    out.push_str("\"note\": \"the delivery was handed over to the carrier at the loading dock and ");
    out.push_str("signed for by the shift supervisor\", \"tags\": [\"outbound\", \"fragile\", \"insured\"],\n");
    out.push_str(&format!("  \"urgent\": {}, \"items\": [", r(2) == 0));
    for i in 0..3 + r(4) {
        if i > 0 {
            out.push_str(", ");
        }
        out.push_str(&format!("{{\"article\": \"part-{}\", \"weight\": {}, \"returned\": null}}", r(900), r(40)));
    }
    out.push_str("]}\n");
}

fn main() {
    let mut x = 7u64;
    let mut stats = Stats::default();
    let mut bytes = 0usize;
    for _ in 0..260_000 {
        let mut text = String::new();
        message(&mut x, &mut text);
        bytes += text.len();
        let mut tokens = Vec::with_capacity(128);
        Lexer::new(&text).tokens(&mut tokens);
        stats.add(&tokens);
    }
    println!("bytes {bytes} punct {} strings {} ({} bytes)", stats.punct, stats.strings, stats.string_bytes);
    println!("numbers {} sum {} words {} deepest {}", stats.numbers, stats.sum, stats.words, stats.deepest);
    println!("keys {:016x}", stats.keys);
}
