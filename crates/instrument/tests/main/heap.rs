//! Allocations whose numbers are known: counted ones exactly, live ones within what the samples allow.

use loopwright_instrument::heap::{HeapSite, HeapUse, INTERVAL, LostAllocations};
use loopwright_instrument::listen::{self, ListenOptions, Listener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The program, built once; prints the reason when that is not possible.
fn program() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/main/heap/program.c");
        let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("heap");
        let made = Command::new("gcc")
            .args(["-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"])
            .arg(&built)
            .arg(source)
            .status();
        match made {
            Ok(status) => {
                assert!(status.success(), "gcc failed");
                Some(built)
            }
            Err(e) => {
                assert!(std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "gcc: {e}");
                println!("skipped: gcc: {e}");
                None
            }
        }
    };
    BUILT.get_or_init(build).as_deref()
}

fn heard(what: &str) -> Option<HeapUse> {
    let command = [program()?.as_os_str().to_owned(), what.into()];
    let listener = Listener { started: &mut |_| {}, tick: &mut |_| {} };
    let found = listen::heap(&command, &ListenOptions::default(), listener).unwrap();
    assert_eq!((found.run.exit_status, found.run.signal), (0, None), "{what}");
    assert_eq!(found.lost, LostAllocations::default(), "{what}");
    assert!(found.is_glibc, "{what}: {:?}", found.run.libraries);
    Some(found)
}

/// The allocations of the program itself of one size.
fn of_size(found: &HeapUse, bytes: u64) -> HeapSite {
    let own = |site: &&HeapSite| {
        site.called.module.ends_with("/heap") && site.called.bytes == bytes * site.called.calls
    };
    let sites: Vec<&HeapSite> = found.sites.iter().filter(own).collect();
    assert_eq!(sites.len(), 1, "{bytes}: {:?}", found.sites);
    sites[0].clone()
}

#[test]
fn a_thread_s_first_allocation_is_not_always_a_sample() {
    let Some(found) = heard("small") else { return };
    let site = of_size(&found, 10);
    assert_eq!((site.called.calls, site.called.bins), (1, [1, 0, 0, 0, 0, 0]));
    // The choice depends on the number of the thread's area alone, that of the first thread.
    assert_eq!((site.live_bytes, site.peak_bytes), (0, 0));
}

#[test]
fn what_is_left_is_found_by_samples() {
    let Some(found) = heard("leak") else { return };
    let (site, bytes) = (of_size(&found, 400 << 10), 400 * (400 << 10));
    assert_eq!((site.called.calls, site.called.bytes), (400, bytes));
    // Distances between samples are uniform from 256 to 768 KiB: 5 % are three standard deviations of the sum of 312.
    let near = |sampled: u64| sampled.abs_diff(bytes) < bytes / 20;
    assert!(near(site.live_bytes) && near(site.peak_bytes), "{site:?}");
    assert!(found.peak_bytes >= site.peak_bytes && found.peak_bytes < bytes + bytes / 20 + INTERVAL);
}

#[test]
fn another_thread_frees() {
    let Some(found) = heard("threads") else { return };
    let site = of_size(&found, 1 << 20);
    assert_eq!((site.called.calls, site.live_bytes, site.peak_bytes), (64, 0, 64 << 20));
}

#[test]
fn handlers_of_signals_allocate() {
    let Some(found) = heard("signals") else { return };
    assert_eq!(of_size(&found, 24).called.calls, 2000);
    assert_eq!(of_size(&found, 100).called.calls, 2000);
}

#[test]
fn a_child_frees_its_copy() {
    let Some(found) = heard("fork") else { return };
    let site = of_size(&found, 4 << 20);
    assert_eq!((site.called.calls, site.live_bytes, site.peak_bytes), (1, 0, 4 << 20));
    assert_eq!(of_size(&found, 64).called.calls, 1, "between fork and exec");
}
