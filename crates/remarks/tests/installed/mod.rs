//! Which compilers this machine has.

use std::process::Command;

/// Whether a program is installed; where nothing may be skipped, it must be.
pub fn available(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        assert!(std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "{program} is required but absent");
        eprintln!("skipped: {program} is not installed");
    }
    found
}
