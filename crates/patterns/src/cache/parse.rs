//! Cache geometries as text: `12x64:full`, `32K:8:64:plru+1M:16`, `L1=32K:8+DTLB=64x4096:4:tlb`.
//!
//! ```text
//! hierarchy = level { ("+" | ",") level }              nearest first
//! level     = [ NAME "=" ] size ":" ways [ ":" LINE ] { ":" word }
//! size      = LINES "x" LINE | BYTES ["K" | "M" | "G"]
//! ways      = number | "full"
//! word      = "lru" | "fifo" | "plru" | "nru" | "srrip" | "random" | "victim" | "tlb"
//! ```
//! A line has 64 bytes by default, a page of a TLB 4096.

use super::MOST_LEVELS;
use crate::facts::{CacheGeometry, Hierarchy, Replacement};

/// Most lines of a level: 2^24, a gigabyte of 64-byte lines.
const MOST_LINES: u64 = 1 << 24;

/// A geometry that cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "cache `{level}`: {why}; a level is LINESxBYTES:WAYS or SIZE:WAYS[:BYTES], with :full for WAYS, then \
     :lru|fifo|plru|nru|srrip|random, :victim or :tlb; levels are joined by `+`, nearest first \
     (12x64:full, 32K:8:64+1M:8, L1=48K:12+DTLB=64x4096:4:tlb)"
)]
pub struct CacheError {
    /// The level (or the whole text) that is wrong.
    pub level: String,
    /// What is wrong with it.
    pub why: String,
}

/// Reads a hierarchy; it gets the text as its name.
pub fn parse(text: &str) -> Result<Hierarchy, CacheError> {
    let whole = text.trim();
    let mut levels: Vec<CacheGeometry> = Vec::new();
    for part in whole.split(['+', ',']) {
        let part = part.trim();
        let fail = |why: String| CacheError { level: part.to_owned(), why };
        let level = one(part, &levels).map_err(fail)?;
        behind(&level, &levels).map_err(fail)?;
        levels.push(level);
    }
    if levels.len() > MOST_LEVELS {
        let why = format!("{} levels are more than {MOST_LEVELS}", levels.len());
        return Err(CacheError { level: whole.to_owned(), why });
    }
    Ok(Hierarchy { name: whole.to_owned(), levels })
}

fn one(part: &str, before: &[CacheGeometry]) -> Result<CacheGeometry, String> {
    if part.is_empty() {
        return Err("it is empty".to_owned());
    }
    let (name, rest) = match part.split_once('=') {
        Some((name, rest)) => (Some(name.trim()), rest.trim()),
        None => (None, part),
    };
    let mut fields = rest.split(':').map(str::trim);
    let size = fields.next().unwrap_or_default();
    let ways = fields.next().filter(|w| !w.is_empty()).ok_or("the number of ways (or `full`) is missing")?;
    let mut line_bytes: Option<u64> = None;
    let mut policy = None;
    let (mut victim, mut translation) = (false, false);
    for word in fields {
        match word {
            "victim" => victim = true,
            "tlb" => translation = true,
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
                if line_bytes.replace(bytes(word)?).is_some() {
                    return Err("the bytes of a line are given twice".to_owned());
                }
            }
            _ => {
                let named = POLICIES.iter().find(|(name, _)| *name == word);
                let (_, named) = named.ok_or_else(|| format!("`{word}` is not known"))?;
                if policy.replace(*named).is_some() {
                    return Err("two replacement policies are given".to_owned());
                }
            }
        }
    }
    let (lines, line_bytes) = match size.split_once('x') {
        Some(_) if line_bytes.is_some() => return Err("the bytes of a line are given twice".to_owned()),
        Some((lines, line)) => (number(lines)?, bytes(line)?),
        None => {
            let line = line_bytes.unwrap_or(if translation { 4096 } else { 64 });
            let all = bytes(size)?;
            if line == 0 || all % line != 0 {
                return Err(format!("{all} bytes are not a whole number of lines of {line} bytes"));
            }
            (all / line, line)
        }
    };
    let smallest = if translation { 1 << 10 } else { 4 };
    let largest = if translation { 1 << 30 } else { 1 << 16 };
    if !line_bytes.is_power_of_two() || !(smallest..=largest).contains(&line_bytes) {
        return Err(format!("line size {line_bytes} is not a power of two from {smallest} to {largest}"));
    }
    if lines == 0 || lines > MOST_LINES {
        return Err(format!("{lines} lines are not between 1 and {MOST_LINES}"));
    }
    let ways = if ways == "full" { lines } else { number(ways)? };
    if ways == 0 || ways > lines || lines % ways != 0 {
        return Err(format!("{lines} lines cannot be divided into sets of {ways}"));
    }
    let policy = policy.unwrap_or_default();
    if policy == Replacement::Plru && !ways.is_power_of_two() {
        return Err(format!("tree pseudo-LRU needs a power of two of ways, not {ways}"));
    }
    if victim && translation {
        return Err("a TLB cannot be a victim cache".to_owned());
    }
    let name = match name {
        Some(name) if !is_name(name) => {
            return Err(format!("`{name}` is not a name (letters, digits, `-` and `_`, at most 16)"));
        }
        Some(name) if before.iter().any(|l| l.name == name) => {
            return Err(format!("the name `{name}` is taken"));
        }
        Some(name) => name.to_owned(),
        None => free_name(translation, before),
    };
    Ok(CacheGeometry {
        name,
        lines,
        line_bytes: line_bytes as u32,
        ways: ways as u32,
        policy,
        victim,
        translation,
    })
}

/// Whether a level can follow those before it.
fn behind(level: &CacheGeometry, before: &[CacheGeometry]) -> Result<(), String> {
    let nearer = before.iter().rfind(|l| l.translation == level.translation);
    match nearer {
        None if level.victim => Err("a victim cache needs a level before it".to_owned()),
        Some(nearer) if nearer.line_bytes > level.line_bytes => {
            Err(format!("its lines are shorter than those of {} before it", nearer.name))
        }
        Some(nearer) if (level.victim || nearer.victim) && nearer.line_bytes != level.line_bytes => {
            Err(format!("a victim cache has lines as long as those of {} beside it", nearer.name))
        }
        _ => Ok(()),
    }
}

const POLICIES: [(&str, Replacement); 6] = [
    ("lru", Replacement::Lru),
    ("fifo", Replacement::Fifo),
    ("plru", Replacement::Plru),
    ("nru", Replacement::Nru),
    ("srrip", Replacement::Srrip),
    ("random", Replacement::Random),
];

fn number(text: &str) -> Result<u64, String> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let parsed = digits.then(|| text.parse::<u64>().ok()).flatten();
    parsed.ok_or_else(|| format!("`{text}` is not a number"))
}

fn bytes(text: &str) -> Result<u64, String> {
    let upper = text.strip_suffix("iB").or(text.strip_suffix('B')).unwrap_or(text);
    let (digits, unit) = match upper.char_indices().next_back() {
        Some((at, 'K' | 'k')) => (&upper[..at], 1 << 10),
        Some((at, 'M' | 'm')) => (&upper[..at], 1 << 20),
        Some((at, 'G' | 'g')) => (&upper[..at], 1 << 30),
        _ => (upper, 1_u64),
    };
    number(digits)
        .ok()
        .and_then(|n| n.checked_mul(unit))
        .ok_or_else(|| format!("`{text}` is not a number of bytes"))
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (1..=16).contains(&name.len()) && name.chars().all(fits)
}

/// `L1`, `L2`, ... and `DTLB`, `STLB`, `TLB3`, ... by position.
fn default_name(translation: bool, position: usize) -> String {
    match (translation, position) {
        (false, n) => format!("L{}", n + 1),
        (true, 0) => "DTLB".to_owned(),
        (true, 1) => "STLB".to_owned(),
        (true, n) => format!("TLB{}", n + 1),
    }
}

fn free_name(translation: bool, before: &[CacheGeometry]) -> String {
    let position = before.iter().filter(|l| l.translation == translation).count();
    let names = (position..).map(|n| default_name(translation, n));
    names.into_iter().find(|name| before.iter().all(|l| l.name != *name)).unwrap_or_default()
}

/// A hierarchy as text that [`parse()`] reads back.
pub fn text(levels: &[CacheGeometry]) -> String {
    let mut parts = Vec::new();
    for (at, level) in levels.iter().enumerate() {
        let mut part = String::new();
        if level.name != free_name(level.translation, &levels[..at]) {
            part = format!("{}=", level.name);
        }
        let ways =
            if u64::from(level.ways) == level.lines { "full".to_owned() } else { level.ways.to_string() };
        part += &format!("{}x{}:{ways}", level.lines, level.line_bytes);
        if let Some((name, _)) = POLICIES.iter().find(|(_, p)| *p == level.policy && *p != Replacement::Lru) {
            part += &format!(":{name}");
        }
        part += if level.victim { ":victim" } else { "" };
        part += if level.translation { ":tlb" } else { "" };
        parts.push(part);
    }
    parts.join("+")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn level(text: &str) -> CacheGeometry {
        parse(text).unwrap().levels.remove(0)
    }

    #[test]
    fn the_documented_forms_are_read() {
        let full = level("12x64:full");
        assert_eq!((full.lines, full.line_bytes, full.ways, full.policy), (12, 64, 12, Replacement::Lru));
        let same = [level("512x64:8"), level("32K:8:64"), level("32768:8"), level(" L1 = 32kiB : 8 : lru ")];
        assert!(same.iter().all(|l| *l == same[0]), "{same:?}");
        assert_eq!(level("32K:8:plru:64").policy, Replacement::Plru);
        let zen = parse("32K:8+1M:8,L3=32M:16:victim+72x4096:full:tlb+3072x4096:12:tlb:nru").unwrap();
        let names: Vec<&str> = zen.levels.iter().map(|l| l.name.as_str()).collect();
        assert_eq!(names, ["L1", "L2", "L3", "DTLB", "STLB"]);
        assert!(zen.levels[2].victim && zen.levels[3].translation);
        assert_eq!(
            text(&zen.levels),
            "512x64:8+16384x64:8+524288x64:16:victim+72x4096:full:tlb+3072x4096:12:nru:tlb"
        );
        assert_eq!(level("24x4096:full:tlb").name, "DTLB");
        assert_eq!(level("1M:4:tlb").line_bytes, 4096);
    }

    #[test]
    fn nonsense_is_refused_with_one_message() {
        for (bad, why) in [
            ("", "empty"),
            ("32K:8+", "empty"),
            ("32K", "ways"),
            ("0x64:1", "0 lines"),
            ("12x64:5", "sets of 5"),
            ("12x64:0", "sets of 0"),
            ("12x64:24", "sets of 24"),
            ("12x48:full", "power of two"),
            ("12x2:full", "power of two"),
            ("1000:4", "whole number"),
            ("999999G:16", "lines are not between"),
            ("99999999999999999999:1", "not a number"),
            ("12x64:full:mru", "`mru`"),
            ("12x64:full:lru:fifo", "two replacement"),
            ("12x64:full:64", "twice"),
            ("12x64:12:plru", "power of two"),
            ("x64:1", "not a number"),
            ("-3x64:1", "not a number"),
            ("32K:8:victim", "before it"),
            ("32K:8:128+1M:8:64", "shorter"),
            ("a b=32K:8", "not a name"),
            ("A=32K:8+A=1M:8", "taken"),
            ("1K:1+2K:1+4K:1+8K:1+16K:1+32K:1+64K:1+128K:1+256K:1", "9 levels"),
            ("64x512:4:tlb", "power of two"),
            ("é:ü", "not a number"),
            ("32é:8", "not a number"),
        ] {
            let error = parse(bad).unwrap_err().to_string();
            assert!(error.contains(why), "{bad}: {error}");
            assert!(error.contains("12x64:full") && !error.contains('\n'), "{error}");
        }
    }

    fn any_level() -> impl Strategy<Value = CacheGeometry> {
        let policy = prop::sample::select(POLICIES.map(|(_, p)| p).to_vec());
        let name = prop::option::of("[A-Za-z][A-Za-z0-9_-]{0,9}");
        (name, 0_u32..10, 0_u32..8, policy, any::<bool>(), any::<bool>()).prop_map(
            |(name, sets, ways, policy, full, translation)| CacheGeometry {
                name: name.unwrap_or_default(),
                lines: 1 << (if full { 0 } else { sets } + ways),
                line_bytes: if translation { 4096 } else { 64 },
                ways: 1 << ways,
                policy,
                victim: false,
                translation,
            },
        )
    }

    proptest! {
        #[test]
        fn text_reads_back(mut levels in prop::collection::vec(any_level(), 1..6)) {
            for at in 0..levels.len() {
                let (before, rest) = levels.split_at_mut(at);
                let taken = before.iter().any(|l| l.name == rest[0].name);
                if rest[0].name.is_empty() || taken {
                    rest[0].name = free_name(rest[0].translation, before);
                }
            }
            let written = text(&levels);
            let read = parse(&written).unwrap();
            prop_assert_eq!(&read.levels, &levels);
            prop_assert_eq!(read.name, written);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[0-9xKMG:+,=a-z .é-]{0,40}") {
            let _ = parse(&text);
        }
    }
}
