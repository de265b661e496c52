use super::cpuid::ask;
use super::permission::{AVX_STATE, AVX512_STATE};
use super::row::{self, Needs, Presence};
use super::*;
use std::collections::HashSet;

#[test]
fn every_row_is_complete_and_its_own() {
    let mut ids = HashSet::new();
    let mut names = HashSet::new();
    let mut bits = HashSet::new();
    for row in TABLE {
        assert!(ids.insert(row.id), "{} twice", row.id);
        assert!(names.insert(row.name), "{} twice", row.name);
        assert!(
            row.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
            "{}",
            row.id
        );
        assert!(row.purpose.len() >= 10 && !row.purpose.ends_with('.'), "{}: purpose", row.id);
        assert!(row.purpose.len() <= 100, "{}: the purpose is one line", row.id);
        assert!(!row.flags.is_empty(), "{}: recorded machines know it by a flag", row.id);
        if let Presence::Bit(bit) = row.presence {
            assert!(bit.bit < 32 && bits.insert(bit), "{}: CPUID bit", row.id);
        }
        match row.group {
            row::Group::Avx512 if row.id != "avx10" => {
                assert_eq!(row.needs, Needs::State(AVX512_STATE), "{}", row.id);
            }
            row::Group::Matrix => assert_eq!(row.needs, Needs::Tiles, "{}", row.id),
            _ => (),
        }
        if row.name.starts_with("AVX") {
            assert!(matches!(row.needs, Needs::State(s) if s & AVX_STATE == AVX_STATE), "{}", row.id);
        }
    }
}

/// The kernel reads the same bits: where it lists a flag, CPUID must show it too.
#[test]
fn cpuid_agrees_with_the_kernel() {
    let tree = Tree::live();
    let info = CpuInfo::read(&tree);
    if info.flags.is_empty() || !cfg!(target_arch = "x86_64") {
        eprintln!("skipped: no /proc/cpuinfo flags");
        return;
    }
    let mut agreed = 0;
    for row in TABLE {
        let Presence::Bit(bit) = row.presence else { continue };
        if row.flags.iter().any(|flag| info.flags.contains(*flag)) {
            assert_eq!(ask(bit), Some(true), "the kernel lists {:?}, CPUID lacks {}", row.flags, row.id);
            agreed += 1;
        }
    }
    assert!(agreed >= 10, "only {agreed} features in common");
    // The compiler's run-time detection reads CPUID and XCR0 as well.
    #[cfg(target_arch = "x86_64")]
    {
        let features = read(&tree, &info);
        let usable = |id: &str| features.iter().any(|f| f.id == id && f.usable());
        assert_eq!(usable("avx2"), is_x86_feature_detected!("avx2"));
        assert_eq!(usable("fma"), is_x86_feature_detected!("fma"));
        assert_eq!(usable("avx512f"), is_x86_feature_detected!("avx512f"));
        assert_eq!(usable("avx512_vnni"), is_x86_feature_detected!("avx512vnni"));
        assert_eq!(usable("sha"), is_x86_feature_detected!("sha"));
        assert_eq!(usable("gfni"), is_x86_feature_detected!("gfni"));
        assert_eq!(usable("bmi2"), is_x86_feature_detected!("bmi2"));
        assert_eq!(usable("rdseed"), is_x86_feature_detected!("rdseed"));
        assert_eq!(usable("adx"), is_x86_feature_detected!("adx"));
    }
}

fn row(id: &str) -> &'static row::Row {
    TABLE.iter().find(|row| row.id == id).unwrap()
}

#[test]
fn register_state_decides_over_vectors() {
    let sse_and_avx = Host { xcr0: Some(0b111), ..Host::default() };
    assert_eq!(row("avx2").needs.check(row("avx2"), &sse_and_avx), Ok(None));
    let refused = row("avx512f").needs.check(row("avx512f"), &sse_and_avx).unwrap_err();
    assert!(refused.contains("0xe0"), "{refused}");
    // Every x86-64 kernel provides what SSE needs.
    assert!(row("sse4_2").needs.check(row("sse4_2"), &Host::default()).is_ok());
}

#[test]
fn tiles_need_state_and_permission() {
    let tiles = row("amx_tile");
    let with = |xcr0, tile_permission| Host { xcr0: Some(xcr0), tile_permission, ..Host::default() };
    assert!(tiles.needs.check(tiles, &with(0x7, Some(true))).is_err());
    assert!(tiles.needs.check(tiles, &with(0x6_00e7, Some(false))).unwrap_err().contains("5.16"));
    let note = tiles.needs.check(tiles, &with(0x6_00e7, Some(true))).unwrap();
    assert!(note.unwrap().contains("arch_prctl"));
}

#[test]
fn transactions_can_be_switched_off_in_three_ways() {
    let rtm = row("rtm");
    let flags = |list: &[&str]| list.iter().map(|f| (*f).to_owned()).collect();
    let on = Host { flags: flags(&["rtm"]), ..Host::default() };
    assert!(rtm.needs.check(rtm, &on).is_ok());
    assert!(rtm.needs.check(rtm, &Host::default()).is_err());
    let aborting = Host { flags: flags(&["rtm", "rtm_always_abort"]), ..Host::default() };
    assert!(rtm.needs.check(rtm, &aborting).is_err());
    let mitigated = Host {
        flags: flags(&["rtm"]),
        tsx_vulnerability: "Mitigation: TSX disabled".to_owned(),
        ..Host::default()
    };
    assert!(rtm.needs.check(rtm, &mitigated).is_err());
}

#[test]
fn processor_trace_needs_its_driver_and_permission() {
    let trace = row("intel_pt");
    assert!(trace.needs.check(trace, &Host::default()).unwrap_err().contains("driver"));
    let drivers = ["intel_pt".to_owned()].into_iter().collect();
    let strict = Host { perf_drivers: drivers, paranoid: Some(3), ..Host::default() };
    assert!(trace.needs.check(trace, &strict).unwrap_err().contains("sysctl"));
    assert!(trace.needs.check(trace, &Host { paranoid: Some(2), ..strict }).is_ok());
}
