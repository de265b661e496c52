//! Every example runs, and prints something. Cargo builds them beside the tests.

use std::path::Path;
use std::process::Command;

#[test]
fn examples_run() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // target/debug/deps/examples-0123 -> target/debug/examples
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(Path::parent).unwrap().join("examples");
    let mut seen = 0;
    for entry in std::fs::read_dir(here.join("examples")).unwrap() {
        let source = entry.unwrap().path();
        let example = built.join(source.file_stem().unwrap());
        let output = Command::new(&example).output().unwrap_or_else(|e| {
            panic!("{}: {e}; run the tests of the package, not this one alone", example.display())
        });
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !output.stdout.is_empty(), "{}: {errors}", example.display());
        seen += 1;
    }
    assert!(seen >= 4);
}
