//! Files are swapped as arrays are, and every refusal leaves the other files as they were.

use loopwright_kernels::byteswap::{SwapFileError, Width, swap_file};
use loopwright_kernels::internals::byteswap::{Failure, WINDOW, pass};
use std::path::{Path, PathBuf};

fn swapped<const WIDTH: usize>(bytes: &[u8]) -> Vec<u8> {
    bytes.as_chunks::<WIDTH>().0.iter().flat_map(|word| word.iter().rev()).copied().collect()
}

fn two(folder: &Path) -> (PathBuf, PathBuf) {
    (folder.join("in.dat"), folder.join("out.dat"))
}

#[test]
fn files_of_every_length_around_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = two(folder.path());
    for length in [0, 8, WINDOW - 8, WINDOW, WINDOW + 8, 3 * WINDOW + 24] {
        let bytes: Vec<u8> = (0..length).map(|i| ((i * 31) >> 3) as u8).collect();
        std::fs::write(&input, &bytes).unwrap();
        assert_eq!(swap_file(&input, &output, Width::Two).unwrap(), length as u64);
        assert!(std::fs::read(&output).unwrap() == swapped::<2>(&bytes), "{length}");
        assert_eq!(swap_file(&input, &output, Width::Eight).unwrap(), length as u64);
        assert!(std::fs::read(&output).unwrap() == swapped::<8>(&bytes), "{length}");
    }
}

#[test]
fn refusals_name_the_file_and_leave_the_others_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = two(folder.path());
    let told = |done: Result<u64, SwapFileError>| done.unwrap_err().to_string();
    let missing = told(swap_file(&input, &output, Width::Four));
    assert!(missing.starts_with(&format!("{}: cannot be read", input.display())), "{missing}");
    assert!(!output.exists());

    std::fs::write(&input, [1; 10]).unwrap();
    std::fs::write(&output, b"before").unwrap();
    let odd = told(swap_file(&input, &output, Width::Four));
    assert!(odd.starts_with(&format!("{}: 10 bytes are not a multiple of 4", input.display())), "{odd}");
    assert_eq!(std::fs::read(&output).unwrap(), b"before");

    let same = told(swap_file(&input, &input, Width::Two));
    assert!(same.contains("same file"), "{same}");
    assert_eq!(std::fs::read(&input).unwrap(), [1; 10]);

    let nowhere = folder.path().join("none/out.dat");
    let refused = told(swap_file(&input, &nowhere, Width::Two));
    assert!(refused.starts_with(&format!("{}: cannot be written", nowhere.display())), "{refused}");
    let directory = told(swap_file(folder.path(), &output, Width::Two));
    assert!(directory.starts_with(&format!("{}: cannot be read", folder.path().display())), "{directory}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_hard_link_is_the_same_file_and_a_full_device_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = two(folder.path());
    std::fs::write(&input, [1; 16]).unwrap();
    std::fs::hard_link(&input, &output).unwrap();
    assert!(matches!(swap_file(&input, &output, Width::Two), Err(SwapFileError::Same { .. })));
    assert_eq!(std::fs::read(&input).unwrap(), [1; 16]);
    let full = swap_file(&input, "/dev/full", Width::Two).unwrap_err().to_string();
    assert!(full.starts_with("/dev/full: cannot be written: "), "{full}");
    assert!(Path::new("/dev/full").exists());
}

#[test]
fn an_input_that_ends_within_a_word_is_told() {
    let mut out = Vec::new();
    let done = pass(&mut [1u8; 13].as_slice(), &mut out, Width::Four);
    assert!(matches!(done, Err(Failure::Length(13))));
    assert!(out.is_empty());
}
