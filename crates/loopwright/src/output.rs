//! How much a run of the program writes, where that can be seen: standard output that goes to a file.

use std::fs::File;
use std::os::fd::AsFd;

/// Bytes of the file that standard output goes to; `None` where it goes elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output(Option<u64>);

impl Output {
    /// As it is now.
    pub fn now() -> Self {
        let file = std::io::stdout().as_fd().try_clone_to_owned().map(File::from);
        let data = file.and_then(|file| file.metadata());
        Self(data.ok().filter(|data| data.is_file()).map(|data| data.len()))
    }

    /// What has been written since then.
    pub fn since(self, before: Self) -> Self {
        Self(self.0.zip(before.0).map(|(now, then)| now.saturating_sub(then)))
    }

    /// Whether two runs wrote so different amounts that they did different things: times and addresses that they print
    /// may have more or fewer digits.
    pub fn differs(self, other: Self) -> bool {
        const LEAST: u64 = 256;
        let Some((a, b)) = self.0.zip(other.0) else { return false };
        a.abs_diff(b) > LEAST.max(a.max(b) / 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_digits_more_are_no_difference() {
        let bytes = |n| Output(Some(n));
        assert!(!bytes(0).differs(bytes(200)) && !bytes(100_000).differs(bytes(104_000)));
        assert!(bytes(0).differs(bytes(300)) && bytes(100_000).differs(bytes(50_000)));
        assert!(!bytes(1_000_000).differs(Output(None)), "what is not seen is not judged");
        assert_eq!(bytes(50).since(bytes(20)), bytes(30));
    }
}
