//! The allowed forms of a flag's value. No form matches a path, a list of files, or a word that a compiler
//! reads as another option or as a response file (`-x`, `@x`).

/// The form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One of these.
    OneOf(&'static [&'static str]),
    /// A plain decimal number, or the empty word where the flag has a default.
    Number,
    /// Numbers separated by `:` or `,`: `32:16:8`.
    Numbers,
    /// The name of a processor, a standard or a model: letters, digits, `.`, `_`, `+`, `-`.
    Word,
    /// Words separated by `,`.
    Words,
    /// `NAME=NUMBER`, as `--param` takes it.
    Parameter,
    /// `NAME`, `NAME=VALUE` or `NAME(x,y)=VALUE` of a macro; the value is the program's text.
    Definition,
    /// A C identifier.
    Identifier,
    /// A target that this tool supports: x86 and a system.
    Triple,
}

/// Most characters of a word; definitions may be longer.
const LONGEST_WORD: usize = 128;
/// Most characters of a definition. Linux takes no single argument above 128 KiB.
const LONGEST_DEFINITION: usize = 16 << 10;

impl Shape {
    /// Whether a value has this form.
    pub fn fits(self, value: &str) -> bool {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match self {
            Self::OneOf(known) => known.contains(&value),
            Self::Number => value.is_empty() || (value.len() <= 20 && digits(value)),
            Self::Numbers => value.len() <= LONGEST_WORD && value.split([':', ',']).all(digits),
            Self::Word => is_word(value),
            Self::Words => value.len() <= 4 * LONGEST_WORD && value.split(',').all(is_word),
            Self::Parameter => value.split_once('=').is_some_and(|(name, number)| {
                is_word(name) && digits(number.strip_prefix('-').unwrap_or(number)) && number.len() <= 20
            }),
            Self::Definition => is_definition(value),
            Self::Identifier => is_identifier(value),
            Self::Triple => is_triple(value),
        }
    }
}

fn is_word(value: &str) -> bool {
    value.len() <= LONGEST_WORD
        && value.starts_with(|c: char| c.is_ascii_alphanumeric())
        && value.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c))
        && !value.contains("..")
}

fn is_identifier(value: &str) -> bool {
    value.len() <= LONGEST_DEFINITION
        && value.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
        && value.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

fn is_definition(value: &str) -> bool {
    let (head, text) = value.split_once('=').unwrap_or((value, ""));
    let (name, parameters) = head.split_once('(').map_or((head, ")"), |(name, rest)| (name, rest));
    is_identifier(name)
        && parameters.ends_with(')')
        && parameters.chars().all(|c| c.is_alphanumeric() || "_$,. )".contains(c))
        && text.len() <= LONGEST_DEFINITION
        && !text.chars().any(char::is_control)
}

fn is_triple(value: &str) -> bool {
    let mut parts = value.split('-');
    let machine = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let known = ["x86_64", "amd64", "i386", "i486", "i586", "i686"].contains(&machine);
    let plain = |part: &&str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
    };
    known && (1..=3).contains(&rest.len()) && rest.iter().all(plain) && value.len() <= LONGEST_WORD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_fit_what_people_type() {
        for (shape, value) in [
            (Shape::Word, "x86-64-v3"),
            (Shape::Word, "gnu++2a"),
            (Shape::Words, "address,undefined"),
            (Shape::Number, ""),
            (Shape::Number, "16"),
            (Shape::Numbers, "32:16:8"),
            (Shape::Parameter, "l1-cache-size=32"),
            (Shape::Definition, "NDEBUG"),
            (Shape::Definition, "MAX(a, b)=((a)>(b)?(a):(b))"),
            (Shape::Definition, "DATA=\"/usr/share/x y\""),
            (Shape::Identifier, "_WIN32"),
            (Shape::Triple, "x86_64-pc-linux-gnu"),
            (Shape::OneOf(&["c", "c++"]), "c++"),
        ] {
            assert!(shape.fits(value), "{shape:?} {value}");
        }
    }

    #[test]
    fn no_shape_but_a_definition_takes_a_path_an_option_or_a_response_file() {
        use Shape::{Identifier, Number, Numbers, OneOf, Parameter, Triple, Word, Words};
        let shapes = [OneOf(&["c"]), Number, Numbers, Word, Words, Parameter, Identifier, Triple];
        for value in [
            "/etc/passwd",
            "a/b",
            "../x",
            "..",
            "-o",
            "-fplugin=x",
            "@x",
            "a,@x",
            "a,-x",
            "a b",
            "a\nb",
            "a=b=c",
            "x;y",
            "$(x)",
            "`x`",
            "a,/b",
            "1,/b",
        ] {
            for shape in shapes {
                assert!(!shape.fits(value), "{shape:?} {value}");
            }
        }
        for value in
            ["", "1X", "@X", "-X", "X\n=1", "X=1\n#include \"/etc/passwd\"", "X(=1", "X(a;b)=1", "/X=1"]
        {
            assert!(!Shape::Definition.fits(value), "{value}");
        }
    }
}
