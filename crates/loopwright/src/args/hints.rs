//! Tips for an invalid command line: the program to run follows `--`.

use super::{Cli, Verb};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Subcommand};
use std::ffi::OsString;
use std::path::Path;

/// The error, with a tip where a program was given without the `--` before it.
pub fn with_hint(mut error: clap::Error, words: impl Iterator<Item = OsString>) -> clap::Error {
    let words: Vec<OsString> = words.skip(1).collect();
    if words.iter().any(|word| word == "--") {
        return error;
    }
    let refused = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.clone()),
        _ => None,
    };
    let tip = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            refused(ContextKind::InvalidSubcommand).filter(|word| is_program(word)).map(|program| {
                format!("to run a program, name what to do first: loopwright advise -- {program}")
            })
        }
        ErrorKind::UnknownArgument => {
            let verb = words.iter().find_map(|word| runs_programs(word.to_str()?));
            let program = refused(ContextKind::InvalidArg).filter(|word| !word.starts_with('-'));
            verb.zip(program).map(|(verb, program)| {
                format!("the program to run follows `--`: loopwright {verb} -- {program}")
            })
        }
        _ => None,
    };
    if let Some(tip) = tip {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The verb of this name, if it runs a program.
fn runs_programs(name: &str) -> Option<String> {
    if !Verb::has_subcommand(name) {
        return None;
    }
    let command = Cli::command();
    let verb = command.find_subcommand(name)?;
    verb.get_arguments().any(|argument| argument.is_last_set()).then(|| name.to_owned())
}

/// The word names a file, or a program on PATH.
fn is_program(word: &str) -> bool {
    let path = Path::new(word);
    if word.contains('/') || path.is_file() {
        return true;
    }
    std::env::var_os("PATH")
        .is_some_and(|all| std::env::split_paths(&all).any(|one| one.join(path).is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn said(line: &str) -> String {
        let words = || line.split(' ').map(OsString::from);
        with_hint(Cli::try_parse_from(words()).unwrap_err(), words()).to_string()
    }

    #[test]
    fn a_program_without_its_dashes_is_recognised() {
        let text = said("loopwright survey --rate 100 ls -l");
        assert!(text.contains("tip: the program to run follows `--`: loopwright survey -- ls"), "{text}");
        let text = said("loopwright ./prog");
        assert!(
            text.contains("tip: to run a program, name what to do first: loopwright advise -- ./prog"),
            "{text}"
        );
        assert!(said("loopwright sh").contains("loopwright advise -- sh"));
    }

    #[test]
    fn other_mistakes_get_no_such_tip() {
        for line in [
            "loopwright sruvey",
            "loopwright survey --rat 5 -- ls",
            "loopwright explain a b",
            "loopwright survey",
        ] {
            let text = said(line);
            assert!(
                !text.contains("follows `--`") && !text.contains("name what to do first"),
                "{line}: {text}"
            );
        }
    }
}
