//! The arguments of `loopwright reproduce`.

use super::trying::{AnswerArgs, time};
use clap::Args;
use loopwright_trial::reproduce::Side;
use std::ffi::OsString;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// The build whose answer counts: options behind those of the project, and another compiler before them (`clang-19 -O2`). Without it
    /// options that change no digits: -O2 -fno-fast-math -ffp-contract=off.
    #[arg(long, value_name = "OPTIONS", value_parser = side, allow_hyphen_values = true)]
    pub good: Option<Side>,
    /// The build that is compared with it. Without it the project's own options.
    #[arg(long, value_name = "OPTIONS", value_parser = side, allow_hyphen_values = true)]
    pub bad: Option<Side>,
    /// Most time for everything: 90s, 10m, 1h. Without it 10 to 30 minutes by how long the program builds and runs.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub budget: Option<Duration>,
    #[command(flatten)]
    pub answer: AnswerArgs,
    /// Print JSON instead of the table.
    #[arg(long)]
    pub json: bool,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

/// Options of a build, in quotes as a shell reads them; a first word that is none is a compiler.
fn side(text: &str) -> Result<Side, String> {
    let mut options =
        shlex::split(text).ok_or_else(|| "a quotation mark of the options has no end".to_owned())?;
    let has_compiler = options.first().is_some_and(|first| !first.starts_with('-'));
    let compiler = has_compiler.then(|| options.remove(0));
    let values = ["--param", "-mllvm", "-Xclang"];
    let pairs =
        options.windows(2).any(|pair| !pair[1].starts_with('-') && !values.contains(&pair[0].as_str()));
    let first = options.first().is_some_and(|first| !first.starts_with('-'));
    if pairs || first {
        return Err("options of a compiler are wanted, such as '-Ofast -march=native'".to_owned());
    }
    let is_of_files = |word: &String| word == "-o" || word == "-c" || word.starts_with('@');
    if compiler.iter().chain(&options).any(is_of_files) {
        return Err("options for code are wanted, not for files".to_owned());
    }
    Ok(Side { compiler, options })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_options_with_a_compiler_before_them() {
        let of = |text: &str| side(text).map(|side| (side.compiler, side.options.join(" ")));
        assert_eq!(of("-Ofast -march=native"), Ok((None, "-Ofast -march=native".into())));
        assert_eq!(of("clang-19 -O3"), Ok((Some("clang-19".into()), "-O3".into())));
        assert_eq!(of("clang-19"), Ok((Some("clang-19".into()), String::new())));
        assert_eq!(of("--param x=1 -O2"), Ok((None, "--param x=1 -O2".into())));
        assert_eq!(of(""), Ok((None, String::new())));
        for wrong in ["-O2 file.c", "gcc clang", "-O2 '", "-o x", "@file"] {
            assert!(side(wrong).is_err(), "{wrong}");
        }
    }
}
