//! `loopwright energy`: counters of recorded machines that move while a program runs, models, and what it refuses.

use crate::tool::Scratch;
use serde_json::Value;

const PACKAGE: &str = "sys/class/powercap/intel-rapl:0";

/// A recorded machine of one socket with memory, and a program that lets its counters move: by this number of microjoules for each thread.
fn recorded(microjoules: u64) -> Scratch {
    let scratch = Scratch::new();
    for (zone, name) in [("intel-rapl:0", "package-0"), ("intel-rapl:0:0", "dram")] {
        let folder = scratch.file("sys/class/powercap").join(zone);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("name"), name).unwrap();
        std::fs::write(folder.join("max_energy_range_uj"), "262143328850").unwrap();
        std::fs::write(folder.join("energy_uj"), "1000").unwrap();
    }
    let script = format!(
        "sleep 0.05\nread -r now < {PACKAGE}/energy_uj\necho $((now + ${{OMP_NUM_THREADS:-4}} * {microjoules})) > {PACKAGE}/energy_uj\n\
         echo 501000 > sys/class/powercap/intel-rapl:0:0/energy_uj\n"
    );
    std::fs::write(scratch.file("prog.sh"), script).unwrap();
    scratch
}

fn found(scratch: &Scratch) -> Value {
    crate::contract::document(&scratch.ok(["show", "energy", "--json"]))["energy"].clone()
}

#[test]
fn joules_are_those_that_counters_show_between_start_and_end() {
    let scratch = recorded(1_500_000);
    let text = scratch.ok(["energy", "--sysfs", ".", "--", "sh", "prog.sh"]);
    assert!(text.contains("6.50 J") && text.contains("read through powercap"), "{text}");
    let found = found(&scratch);
    assert_eq!(found["source"]["interface"], "powercap");
    let joules = found["run"]["joules"].as_f64().unwrap();
    assert!((joules - 6.5).abs() < 1e-9, "{found}");
    assert_eq!(found["run"]["domains"][0]["joules"], 6.0, "{found}");
}

#[test]
fn other_numbers_of_threads_are_measured_in_rounds_and_a_counter_that_ends_begins_again() {
    let scratch = recorded(500_000);
    std::fs::write(scratch.file("sys/class/powercap/intel-rapl:0:0/energy_uj"), "501000").unwrap();
    let arguments =
        ["energy", "--sysfs", ".", "--threads", "1,3", "--rounds", "2", "--json", "--", "sh", "prog.sh"];
    let text = scratch.ok(arguments);
    let found = crate::contract::document(&text)["energy"].clone();
    let threads = found["threads"].as_array().unwrap();
    assert_eq!(threads.len(), 2, "{found}");
    for (one, number) in threads.iter().zip([1, 3]) {
        assert_eq!((&one["threads"], &one["runs"]), (&number.into(), &2.into()), "{found}");
        let joules = one["joules"].as_f64().unwrap();
        assert!(
            (joules - 0.5 * f64::from(number)).abs() < 1e-9,
            "the memory's counter does not move: {found}"
        );
    }
    assert_eq!(found["least_energy"], 0, "{found}");
    // From just below its end to behind it.
    std::fs::write(scratch.file(PACKAGE).join("energy_uj"), "262143000000").unwrap();
    std::fs::write(scratch.file("prog.sh"), format!("sleep 0.05\necho 671149 > {PACKAGE}/energy_uj\n"))
        .unwrap();
    scratch.ok(["energy", "--sysfs", ".", "--", "sh", "prog.sh"]);
    let found = self::found(&scratch);
    assert!((found["run"]["joules"].as_f64().unwrap() - 1.0).abs() < 1e-6, "{found}");
}

#[test]
fn a_counter_that_does_not_move_gives_no_number() {
    let scratch = recorded(0);
    let text = scratch.ok(["energy", "--sysfs", ".", "--", "sh", "prog.sh"]);
    assert!(text.contains("did not move") && text.contains("cannot be believed"), "{text}");
    let found = found(&scratch);
    assert!(found["run"].get("joules").is_none() && found.get("loops").is_none(), "{found}");
}

#[test]
fn without_counters_a_model_is_named_as_one_and_nothing_runs_without_either() {
    let scratch = Scratch::new();
    std::fs::write(scratch.file("prog.sh"), "touch ran; sleep 0.1").unwrap();
    let said = scratch.run(["energy", "--sysfs", ".", "--", "sh", "prog.sh"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    for part in ["perf's power events", "/sys/class/powercap", "/dev/cpu/*/msr", "--idle-watts"] {
        assert!(said.err.contains(part), "{part} is missing in {}", said.err);
    }
    assert!(!scratch.file("ran").exists());
    let model = ["energy", "--sysfs", ".", "--idle-watts", "100", "--core-watts", "0", "--", "sh", "prog.sh"];
    let text = scratch.ok(model);
    assert!(text.contains("a model, not measured: 100 W"), "{text}");
    let found = found(&scratch);
    let seconds = found["run"]["seconds"].as_f64().unwrap();
    assert!((found["run"]["joules"].as_f64().unwrap() - 100.0 * seconds).abs() < 1e-9, "{found}");
    let refused = |arguments: &[&str], part: &str| {
        let said = scratch.run(arguments.iter().copied());
        assert!(said.status == Some(2) && said.err.contains(part), "{arguments:?}: {}", said.err);
    };
    refused(&["energy"], "PROGRAM");
    refused(&["energy", "--idle-watts", "5", "--", "true"], "--core-watts");
    refused(&["energy", "--threads", "0", "--", "true"], "0");
}

#[test]
fn a_calibration_needs_counters_that_move() {
    let scratch = recorded(0);
    let said = scratch.run(["energy", "--calibrate", "--sysfs", "nowhere"]);
    assert!(said.status == Some(1) && said.err.contains("no energy counter"), "{}", said.err);
}
