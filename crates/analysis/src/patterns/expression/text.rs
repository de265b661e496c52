//! A source text as tokens that can be asked by line and column.

use super::lex::{Grammar, Lexed, Sort, lex};
use std::collections::HashMap;

/// Tokens of a text.
pub(crate) struct Text<'a> {
    text: &'a str,
    language: Grammar,
    lexed: Lexed,
    /// The tokens that are written so, ascending: sizes and constants are asked for name by name.
    uses: HashMap<&'a str, Vec<usize>>,
    /// What each macro without parameters is defined as, in the text's order.
    definitions: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Text<'a> {
    /// Takes a text apart.
    pub fn new(text: &'a str, language: Grammar) -> Self {
        let lexed = lex(text, language);
        let mut uses: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, token) in lexed.tokens.iter().enumerate() {
            if let Some(word) = text.get(token.start..token.end).filter(|_| token.sort == Sort::Name) {
                uses.entry(word).or_default().push(at);
            }
        }
        let mut definitions: HashMap<&str, Vec<&str>> = HashMap::new();
        for (name, value) in text.lines().filter_map(definition) {
            definitions.entry(name).or_default().push(value);
        }
        Self { text, language, lexed, uses, definitions }
    }

    pub fn language(&self) -> Grammar {
        self.language
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.lexed.tokens.len()
    }

    /// A token as written; empty beyond the end.
    pub fn word(&self, at: usize) -> &'a str {
        self.lexed.tokens.get(at).and_then(|t| self.text.get(t.start..t.end)).unwrap_or_default()
    }

    /// What a token is.
    pub fn sort(&self, at: usize) -> Option<Sort> {
        self.lexed.tokens.get(at).map(|t| t.sort)
    }

    /// Line and column of a token; 0 beyond the end.
    pub fn position(&self, at: usize) -> (u32, u32) {
        self.lexed.tokens.get(at).map_or((0, 0), |t| (t.line, t.column))
    }

    /// The tokens of a line; ends of statements are none.
    pub fn on_line(&self, line: u32) -> impl Iterator<Item = usize> {
        let tokens = &self.lexed.tokens;
        let range = tokens.partition_point(|t| t.line < line)..tokens.partition_point(|t| t.line <= line);
        range.filter(|&at| tokens[at].sort != Sort::End)
    }

    /// The token that holds a place.
    pub fn token_at(&self, line: u32, column: u32) -> Option<usize> {
        let tokens = &self.lexed.tokens;
        let at = tokens.partition_point(|t| (t.line, t.column) <= (line, column)).checked_sub(1)?;
        let token = &tokens[at];
        let inside = token.line == line && ((column - token.column) as usize) < token.end - token.start;
        (inside && token.sort != Sort::End).then_some(at)
    }

    /// The token names a macro that the text defines.
    pub fn is_macro(&self, at: usize) -> bool {
        let word = self.word(at);
        self.lexed.macros.iter().any(|name| name == word)
    }

    /// The tokens that are this name, ascending.
    pub fn uses(&self, name: &str) -> &[usize] {
        self.uses.get(name).map_or(&[], Vec::as_slice)
    }

    /// What the text defines a macro without parameters as, each time it does.
    pub fn definitions(&self, name: &str) -> &[&'a str] {
        self.definitions.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Name and value of a macro without parameters that a line defines.
fn definition(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
    let (name, value) = line.trim_start().split_once([' ', '\t'])?;
    Some((name, value.split("/*").next().unwrap_or_default().split("//").next().unwrap_or_default().trim()))
}
