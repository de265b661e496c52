//! Time in small reads and writes.

use crate::prelude::*;
use crate::purposes;
use loopwright_analysis::model::{Purpose, PurposeFacts};

/// Id of its recommendation.
pub const BATCH_IO: &str = "batch-io";

pub(crate) static RULE: Rule = Rule {
    id: "small-io",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("small_io.md")),
};

/// Of the time: less in the kernel, and no small calls are what takes it.
const MOSTLY_KERNEL: f64 = 0.3;
/// Functions that handle one character or line, or empty a buffer.
const SMALL: [&str; 13] = [
    "getc",
    "fgetc",
    "getchar",
    "putc",
    "fputc",
    "putchar",
    "fflush",
    "fgets",
    "puts",
    "std::endl",
    "std::flush",
    "std::basic_ostream::put",
    "std::basic_istream::get",
];

fn check(facts: &Facts) -> Option<Recommendation> {
    let small = |found: &&PurposeFacts| {
        let hottest = found.functions.first().map_or("", |f| f.function.trim_start_matches(['_', 'I', 'O']));
        found.kernel_share >= MOSTLY_KERNEL * found.share || SMALL.contains(&hottest)
    };
    let found = purposes::worth(facts, Purpose::InputOutput).filter(small)?;
    Some(
        purposes::about(facts, &RULE, found)
            .named(BATCH_IO, "Read and write larger blocks")
            .saving(found.share, estimates::LARGER_BLOCKS)
            .confidence(Confidence::Low)
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, purpose, with_purposes};

    fn io(function: &str, kernel: f64) -> PurposeFacts {
        let mut found = purpose(Purpose::InputOutput, 0.5);
        found.functions[0].function = function.into();
        found.kernel_share = kernel;
        found
    }

    #[test]
    fn fires_for_system_calls_and_for_single_characters() {
        assert_eq!(fired(&RULE, &with_purposes(vec![io("write", 0.4)])).unwrap().id, BATCH_IO);
        assert!(fired(&RULE, &with_purposes(vec![io("_IO_putc", 0.0)])).is_some());
    }

    #[test]
    fn silent_on_buffered_blocks_and_little_time() {
        assert!(fired(&RULE, &with_purposes(vec![io("fread", 0.01)])).is_none());
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::InputOutput, 0.02)])).is_none());
    }

    #[test]
    fn without_callers_it_asks_for_the_tree() {
        let mut found = io("write", 0.4);
        found.callers.clear();
        let r = fired(&RULE, &with_purposes(vec![found])).unwrap();
        assert_eq!(r.next.as_deref(), Some("loopwright show tree"));
    }
}
