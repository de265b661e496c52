//! Makes the functions of one source exchangeable between two builds of it, in the text that compilers give to the assembler.
//!
//! Both texts become objects that are linked into one (`ld -r`). Each function that both have is a weak symbol in both; the one whose
//! symbol is made strong is the one that the program calls (ELF specification, *Symbol Table*). Functions and variables of the file
//! alone become symbols that both objects share, so that the halves have one state: a variable is that of the first object. Copies that
//! a compiler made of a function for certain arguments stay with their callers.
//!
//! The text is that of GCC and clang for x86-64 in AT&T syntax (GNU as manual, *Symbols*, *Pseudo Ops*, *x86-Dependent Features*).

use std::collections::{BTreeMap, BTreeSet};

/// Parts of the names of functions that a compiler derived from another one.
const DERIVED: [&str; 6] = [".cold", ".part.", ".constprop.", ".isra.", ".llvm.", ".localalias"];
/// Joins the name of what a file has for itself with what makes it unique in the program.
const OWN: &str = ".loopwright";
/// Directives whose text holds no symbols.
const TEXT: [&str; 7] = [".string", ".ascii", ".asciz", ".ident", ".file", ".loc", ".base64"];
/// Sections whose entries run before or after the program: once is enough.
const RUN_ONCE: [&str; 4] = [".init_array", ".fini_array", ".ctors", ".dtors"];

/// Two texts whose functions can be exchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exchangeable {
    pub good: String,
    pub bad: String,
    /// The functions that both have, in the order of the first text.
    pub functions: Vec<Function>,
    /// Symbols that are strong in the first object whatever is exchanged.
    pub strong: Vec<String>,
}

/// One function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// As the compiler names it.
    pub name: String,
    /// Its symbols in both objects, other names of it among them.
    pub symbols: Vec<String>,
}

/// Which compiler wrote a text: clang may change how functions of the file alone are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Locals {
    /// They are called as their source says, so that those of both texts can be exchanged.
    Exchanged,
    /// They stay with their callers.
    Kept,
}

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Function,
    Object,
    Other,
}

/// One symbol that a text defines.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Symbol {
    kind: Kind,
    is_global: bool,
    is_writable: bool,
    size: Option<String>,
    /// Reserved by `.comm`, which merges by itself.
    is_common: bool,
    /// Its section is one of several in the program with the same contents (`comdat`), by the name of their group.
    group: Option<String>,
}

/// Prepares both texts.
///
/// # Errors
/// Why the functions of this file cannot be exchanged.
pub(crate) fn exchangeable(good: &str, bad: &str, locals: Locals) -> Result<Exchangeable, String> {
    let (left, right) = (Symbols::of(good)?, Symbols::of(bad)?);
    let mut renamed: BTreeMap<&str, String> = BTreeMap::new();
    let mut functions: Vec<Function> = Vec::new();
    let mut weak: BTreeSet<String> = BTreeSet::new();
    let mut strong = Vec::new();
    for name in &left.order {
        let (one, Some(other)) = (&left.all[name.as_str()], right.all.get(name.as_str())) else { continue };
        if one.kind != other.kind || one.is_global != other.is_global {
            return Err(format!("{name} is another kind of symbol in both builds"));
        }
        match one.kind {
            Kind::Function => {
                let is_derived = DERIVED.iter().any(|part| name.contains(part));
                if is_derived || (!one.is_global && locals == Locals::Kept) {
                    continue;
                }
                let symbol = shared(name, one, &mut renamed);
                weak.insert(symbol.clone());
                functions.push(Function { name: name.clone(), symbols: vec![symbol] });
            }
            Kind::Object if one.group.is_none() && (one.is_global || one.is_writable) => {
                if one.size != other.size {
                    return Err(format!("the variable {name} has another size in both builds"));
                }
                let symbol = shared(name, one, &mut renamed);
                if !one.is_common {
                    weak.insert(symbol.clone());
                    strong.push(symbol);
                }
            }
            _ => {}
        }
    }
    for (name, target) in &left.aliases {
        if right.aliases.get(name) != Some(target) {
            continue;
        }
        let Some(function) = functions.iter_mut().find(|one| one.name == *target) else { continue };
        if left.globals.contains(name.as_str()) {
            weak.insert(name.clone());
            function.symbols.push(name.clone());
        }
    }
    let names: BTreeSet<&str> = functions.iter().map(|function| function.name.as_str()).collect();
    let texts = [(good, &left, false), (bad, &right, true)];
    let [good, bad] = texts.map(|(text, symbols, is_second)| {
        let groups = symbols.all.iter().filter(|(name, _)| names.contains(name.as_str()));
        let groups = groups.filter_map(|(_, symbol)| symbol.group.as_deref()).collect();
        // Another name of a function that is the file's own would lead past what is exchanged.
        let own = symbols.aliases.iter().filter(|(name, target)| {
            names.contains(target.as_str()) && !symbols.globals.contains(name.as_str())
        });
        let mut words: BTreeMap<&str, &str> = own
            .map(|(name, target)| (name.as_str(), renamed.get(target.as_str()).unwrap_or(target).as_str()))
            .collect();
        let dropped: BTreeSet<&str> = words.keys().copied().collect();
        words.extend(renamed.iter().map(|(name, new)| (*name, new.as_str())));
        Rewriting { words, dropped, groups, weak: &weak, is_second }.text(text)
    });
    Ok(Exchangeable { good, bad, functions, strong })
}

/// The name of a symbol that both objects share.
fn shared<'n>(name: &'n str, symbol: &Symbol, renamed: &mut BTreeMap<&'n str, String>) -> String {
    match symbol.is_global {
        true => name.to_owned(),
        false => renamed.entry(name).or_insert_with(|| format!("{name}{OWN}")).clone(),
    }
}

/// The symbols of a text.
#[derive(Default)]
struct Symbols {
    all: BTreeMap<String, Symbol>,
    /// Names in the order of their places.
    order: Vec<String>,
    globals: BTreeSet<String>,
    /// Other names, and of what.
    aliases: BTreeMap<String, String>,
}

impl Symbols {
    fn of(text: &str) -> Result<Self, String> {
        let mut this = Self::default();
        let mut kinds: BTreeMap<&str, Kind> = BTreeMap::new();
        let mut sizes: BTreeMap<&str, &str> = BTreeMap::new();
        let mut local = BTreeSet::new();
        let (mut is_writable, mut group) = (false, None);
        // Labels with their sections, until all kinds and sizes are known.
        let mut places: Vec<(&str, bool, bool, Option<String>)> = Vec::new();
        for line in text.lines() {
            let line = line.trim();
            if let Some(name) = label(line) {
                if let Some(of) = name.strip_prefix(".L").and_then(|name| name.strip_suffix("$local")) {
                    this.aliases.insert(name.to_owned(), of.to_owned());
                }
                places.push((name, is_writable, false, group.clone()));
                continue;
            }
            let (directive, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let rest = rest.split(" #").next().unwrap_or(rest).trim();
            let mut parts = rest.split(',').map(str::trim);
            let first = parts.next().unwrap_or_default();
            match directive {
                ".section" | ".text" | ".data" | ".bss" => {
                    is_writable = directive != ".text" && (directive != ".section" || is_data(rest));
                    group = group_of(rest);
                }
                ".globl" | ".global" | ".weak" => drop(this.globals.insert(first.to_owned())),
                ".local" => drop(local.insert(first)),
                ".comm" | ".lcomm" => {
                    sizes.insert(first, parts.next().unwrap_or_default());
                    kinds.entry(first).or_insert(Kind::Object);
                    places.push((first, true, true, None));
                }
                ".size" => drop(sizes.insert(first, parts.next().unwrap_or_default())),
                ".type" => {
                    let kind = match parts.next().unwrap_or_default() {
                        "@function" => Kind::Function,
                        "@object" | "@tls_object" => Kind::Object,
                        "@gnu_indirect_function" => {
                            return Err(format!("{first} chooses its code when the program starts"));
                        }
                        _ => Kind::Other,
                    };
                    kinds.insert(first, kind);
                }
                ".set" | ".equ" => {
                    let target = parts.next().unwrap_or_default();
                    this.aliases.insert(first.to_owned(), target.to_owned());
                }
                ".symver" | ".incbin" | ".macro" | ".intel_syntax" => {
                    return Err(format!("the assembler's text has {directive}"));
                }
                _ => {
                    if let Some((name, target)) = line.split_once(" = ") {
                        this.aliases.insert(name.trim().to_owned(), target.trim().to_owned());
                    }
                }
            }
        }
        for (name, is_writable, is_common, group) in places {
            let kind = kinds.get(name).copied().unwrap_or(Kind::Other);
            let is_global = this.globals.contains(name) || (is_common && !local.contains(name));
            let size = sizes.get(name).filter(|_| kind == Kind::Object).map(|size| (*size).to_owned());
            let symbol = Symbol { kind, is_global, is_writable, size, is_common, group };
            if !name.starts_with(".L") && this.all.insert(name.to_owned(), symbol).is_none() {
                this.order.push(name.to_owned());
            }
        }
        Ok(this)
    }
}

/// `name:` at the beginning of a line.
fn label(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(is_of_symbol);
    (is_name && (rest.is_empty() || rest.starts_with([' ', '\t', '#']))).then_some(name)
}

fn is_of_symbol(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// Whether `.section` begins one that can be written.
fn is_data(rest: &str) -> bool {
    let flags = rest.split(',').nth(1).unwrap_or_default();
    flags.contains('w') || rest.starts_with(".data") || rest.starts_with(".bss")
}

/// The group of a section that the linker keeps once.
fn group_of(rest: &str) -> Option<String> {
    let mut parts = rest.split(',').map(str::trim);
    let is_grouped = parts.clone().nth(1)?.contains('G');
    let last = parts.next_back()?;
    let name = if last == "comdat" { parts.next_back()? } else { last };
    is_grouped.then(|| name.to_owned())
}

/// How one of the texts is changed.
struct Rewriting<'a> {
    words: BTreeMap<&'a str, &'a str>,
    /// Names that are no symbols any more.
    dropped: BTreeSet<&'a str>,
    groups: BTreeSet<&'a str>,
    weak: &'a BTreeSet<String>,
    is_second: bool,
}

impl Rewriting<'_> {
    fn text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + text.len() / 8);
        for symbol in self.weak {
            out.push_str(&format!("\t.weak\t{symbol}\n"));
            if symbol.ends_with(OWN) {
                out.push_str(&format!("\t.hidden\t{symbol}\n"));
            }
        }
        let mut runs_once = false;
        for line in text.lines() {
            let trimmed = line.trim();
            if label(trimmed).is_some_and(|name| self.dropped.contains(name)) {
                continue;
            }
            let (directive, rest) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
            let first = rest.split([',', ' ']).next().unwrap_or_default();
            match directive {
                ".section" | ".text" | ".data" | ".bss" => {
                    runs_once = RUN_ONCE.iter().any(|section| rest.starts_with(section));
                    if let Some(plain) = self.ungrouped(rest) {
                        out.push_str(&format!("\t.section\t{plain}\n"));
                        continue;
                    }
                }
                ".globl" | ".global" | ".weak" | ".local" if self.weak.contains(self.renamed(first)) => {
                    continue;
                }
                // What both reserve is merged by its name.
                ".local" if self.words.contains_key(first) => {
                    out.push_str(&format!("\t.hidden\t{}\n", self.renamed(first)));
                    continue;
                }
                ".type" | ".set" | ".equ" | ".size" if self.dropped.contains(first) => continue,
                ".quad" | ".long" | ".8byte" if runs_once && self.is_second => continue,
                _ if TEXT.contains(&directive) => {
                    out.push_str(line);
                    out.push('\n');
                    continue;
                }
                _ => {}
            }
            self.line(line, &mut out);
            out.push('\n');
        }
        out
    }

    fn renamed<'s>(&'s self, name: &'s str) -> &'s str {
        self.words.get(name).copied().unwrap_or(name)
    }

    /// The same section outside of a group that holds what is exchanged.
    fn ungrouped(&self, rest: &str) -> Option<String> {
        let group = group_of(rest)?;
        if !self.groups.contains(group.as_str()) {
            return None;
        }
        let parts: Vec<&str> = rest.split(',').map(str::trim).collect();
        let flags = parts[1].replace('G', "");
        let kept = parts.len() - if parts.last() == Some(&"comdat") { 2 } else { 1 };
        let others = parts.get(2..kept).unwrap_or_default();
        Some([&[parts[0], flags.as_str()], others].concat().join(","))
    }

    /// A line with its symbols renamed; the name of an instruction or of a register is none.
    fn line(&self, line: &str, out: &mut String) {
        let start = line.len() - line.trim_start().len();
        let is_instruction = label(&line[start..]).is_none();
        let first = line[start..].find(char::is_whitespace).map_or(line.len(), |at| start + at);
        let mut from = 0;
        let mut previous = ' ';
        let bytes = line.as_bytes();
        while from < line.len() {
            let c = bytes[from] as char;
            if !is_of_symbol(c) {
                // Bytes of a longer character are no symbols, and are copied one by one up to its end.
                let next = line[from..].chars().next().map_or(1, char::len_utf8);
                out.push_str(&line[from..from + next]);
                previous = c;
                from += next;
                continue;
            }
            let end = line[from..].find(|c| !is_of_symbol(c)).map_or(line.len(), |at| from + at);
            let word = &line[from..end];
            let is_name = !(matches!(previous, '%' | '@') || is_instruction && from < first);
            // `$name` is an address as a number.
            let (dollar, name) = word.strip_prefix('$').map_or(("", word), |name| ("$", name));
            match self.words.get(name).filter(|_| is_name) {
                Some(new) => {
                    out.push_str(dollar);
                    out.push_str(new);
                }
                None => out.push_str(word),
            }
            previous = 'x';
            from = end;
        }
    }
}

#[cfg(test)]
mod tests;
