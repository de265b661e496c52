use super::*;
use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

const WAIT: Duration = Duration::from_millis(30);

/// A recorded machine.
struct Recorded(TempDir);

impl Recorded {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, text: &str) -> &Self {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
        self
    }

    fn zone(&self, zone: &str, name: &str, microjoules: u64) -> &Self {
        let folder = format!("sys/class/powercap/{zone}");
        self.file(&format!("{folder}/name"), &format!("{name}\n"));
        // The range of a counter of 32 bits in units of 2^-14 J.
        self.file(&format!("{folder}/max_energy_range_uj"), "262143328850\n");
        self.moved(zone, microjoules)
    }

    fn moved(&self, zone: &str, microjoules: u64) -> &Self {
        self.file(&format!("sys/class/powercap/{zone}/energy_uj"), &format!("{microjoules}\n"))
    }

    fn root(&self) -> &Path {
        self.0.path()
    }

    /// What is measured while `change` happens.
    fn measure(&self, change: impl FnOnce(&Self)) -> Measured {
        let running = find(self).unwrap().start();
        std::thread::sleep(WAIT);
        change(self);
        running.finish()
    }
}

fn find(machine: &Recorded) -> Result<Meter, Vec<Missing>> {
    Meter::find(machine.root(), &crate::Machine::detect_in(machine.root()))
}

fn of(measured: &Measured, domain: Domain) -> Result<f64, Fault> {
    let one = measured.domains.iter().find(|one| one.domain == domain).unwrap();
    one.joules.ok_or_else(|| one.fault.unwrap())
}

fn is_near(joules: Result<f64, Fault>, expected: f64) {
    assert!((joules.unwrap() - expected).abs() < 1e-3, "{joules:?} instead of {expected}");
}

const PACKAGES: [Domain; 2] = [Domain::Package { socket: 0 }, Domain::Package { socket: 1 }];

/// Two sockets with their memory and cores, and the board.
fn two_sockets() -> Recorded {
    let machine = Recorded::new();
    machine
        .zone("intel-rapl:0", "package-0", 1_000_000)
        .zone("intel-rapl:0:0", "dram", 500_000)
        .zone("intel-rapl:0:1", "core", 10)
        .zone("intel-rapl:1", "package-1", 2_000_000)
        .zone("intel-rapl:1:0", "dram", 0)
        .zone("intel-rapl:2", "psys", 7)
        .file("sys/class/powercap/dtpm/enabled", "0");
    machine
}

#[test]
fn sockets_and_memory_add_up_and_what_is_inside_or_around_them_does_not() {
    let measured = two_sockets().measure(|machine| {
        machine
            .moved("intel-rapl:0", 4_000_000)
            .moved("intel-rapl:0:0", 750_000)
            .moved("intel-rapl:0:1", 2_000_010)
            .moved("intel-rapl:1", 3_500_000)
            .moved("intel-rapl:1:0", 125_000)
            .moved("intel-rapl:2", 9_000_007);
    });
    assert_eq!(measured.interface, Interface::Powercap);
    is_near(of(&measured, PACKAGES[0]), 3.0);
    is_near(of(&measured, PACKAGES[1]), 1.5);
    is_near(of(&measured, Domain::Cores { socket: 0 }), 2.0);
    is_near(of(&measured, Domain::Platform), 9.0);
    assert!((measured.joules().unwrap() - 4.875).abs() < 1e-9);
    assert!(measured.seconds >= WAIT.as_secs_f64());
}

#[test]
fn a_counter_that_begins_again_is_followed() {
    let machine = two_sockets();
    machine.moved("intel-rapl:0", 262_143_000_000);
    let measured = machine.measure(|machine| {
        machine.moved("intel-rapl:0", 671_149).moved("intel-rapl:1", 2_000_001);
    });
    is_near(of(&measured, PACKAGES[0]), 1.0);
}

#[test]
fn a_counter_that_does_not_move_or_jumps_is_no_number() {
    let measured = two_sockets().measure(|machine| {
        // 900 J in some hundredths of a second; memory of the second socket without a counter behind it.
        machine.moved("intel-rapl:0", 901_000_000).moved("intel-rapl:1", 2_100_000);
    });
    assert_eq!(of(&measured, PACKAGES[0]), Err(Fault::Jumped));
    assert_eq!(of(&measured, Domain::Memory { socket: 1 }), Err(Fault::Frozen));
    is_near(of(&measured, PACKAGES[1]), 0.1);
    assert_eq!(measured.joules(), None, "a sum without a socket would be too small");
    // Memory without a counter leaves the sum of the rest.
    let measured = two_sockets().measure(|machine| {
        machine.moved("intel-rapl:0", 1_250_000).moved("intel-rapl:1", 2_250_000);
    });
    assert!((measured.joules().unwrap() - 0.5).abs() < 1e-9);
}

#[test]
fn a_counter_that_was_reset_or_lost_is_no_number() {
    let machine = two_sockets();
    machine.moved("intel-rapl:0", 100_000_000_000);
    let measured = machine.measure(|machine| {
        // Back at zero long before its end: the machine slept.
        machine.moved("intel-rapl:0", 5);
        fs::remove_file(machine.path("sys/class/powercap/intel-rapl:1/energy_uj")).unwrap();
    });
    assert_eq!(of(&measured, PACKAGES[0]), Err(Fault::Jumped));
    assert_eq!(of(&measured, PACKAGES[1]), Err(Fault::Lost));
}

#[test]
fn a_run_between_two_updates_has_no_energy() {
    let machine = two_sockets();
    let running = find(&machine).unwrap().start();
    machine.moved("intel-rapl:0", 1_001_000);
    let measured = running.finish();
    if measured.seconds < 0.02 {
        assert_eq!(of(&measured, PACKAGES[0]), Err(Fault::Brief));
    }
}

#[test]
fn dies_of_a_socket_are_one_and_a_second_driver_counts_nothing_twice() {
    let machine = Recorded::new();
    machine.zone("intel-rapl:0", "package-0-die-0", 0).zone("intel-rapl:1", "package-0-die-1", 0).zone(
        "intel-rapl-mmio:0",
        "package-0",
        0,
    );
    let measured = machine.measure(|machine| {
        machine
            .moved("intel-rapl:0", 1_000_000)
            .moved("intel-rapl:1", 2_000_000)
            .moved("intel-rapl-mmio:0", 3_000_000);
    });
    assert_eq!(measured.domains.len(), 1);
    assert_eq!(measured.joules(), Some(3.0));
}

#[test]
fn what_is_missing_is_named_for_each_interface() {
    let missing = find(&Recorded::new()).unwrap_err();
    let interfaces: Vec<Interface> = missing.iter().map(|one| one.interface).collect();
    assert_eq!(interfaces, [Interface::Perf, Interface::Powercap, Interface::Msr]);
    assert!(missing.iter().all(|one| one.why == Why::Absent));
    for why in [Why::Absent, Why::Forbidden, Why::Recorded, Why::Failed { error: "no".into() }] {
        for interface in interfaces.clone() {
            assert!(!Missing { interface, why: why.clone() }.to_string().is_empty());
        }
    }
    let forbidden = std::io::Error::from_raw_os_error(libc::EACCES);
    assert_eq!(missing::of_error(&forbidden), Why::Forbidden);
}

/// A machine of two sockets with two CPUs each, and perf's drivers.
fn with_topology(vendor: &str, family: u32, model: u32) -> Recorded {
    let machine = Recorded::new();
    machine.file("sys/devices/system/cpu/online", "0-3\n").file(
        "proc/cpuinfo",
        &format!("processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n"),
    );
    for cpu in 0..4 {
        let folder = format!("sys/devices/system/cpu/cpu{cpu}/topology");
        machine
            .file(&format!("{folder}/physical_package_id"), &(cpu / 2).to_string())
            .file(&format!("{folder}/core_id"), &cpu.to_string())
            .file(&format!("{folder}/thread_siblings_list"), &cpu.to_string());
    }
    machine
}

#[test]
fn events_are_read_as_drivers_describe_them() {
    let machine = with_topology("GenuineIntel", 6, 0x8f);
    let folder = "sys/bus/event_source/devices/power";
    machine
        .file(&format!("{folder}/type"), "21\n")
        .file(&format!("{folder}/cpumask"), "0,2\n")
        .file(&format!("{folder}/events/energy-pkg"), "event=0x02\n")
        .file(&format!("{folder}/events/energy-pkg.scale"), "2.3283064365386962890625e-10\n")
        .file(&format!("{folder}/events/energy-pkg.unit"), "Joules\n")
        .file(&format!("{folder}/events/energy-ram"), "event=0x03\n")
        .file(&format!("{folder}/events/energy-ram.scale"), "1\n")
        .file(&format!("{folder}/events/energy-ram.unit"), "Bananas\n");
    let tree = crate::tree::Tree::at(machine.root());
    let topology = crate::Machine::detect_in(machine.root()).topology;
    let events = perf_power::events(&tree, &topology);
    let expected = |socket, cpu| perf_power::Event {
        domain: Domain::Package { socket },
        kind: 21,
        number: 2,
        cpu,
        unit: 2f64.powi(-32),
    };
    assert_eq!(events, [expected(0, 0), expected(1, 2)]);
    let missing = find(&machine).unwrap_err();
    assert_eq!(missing[0], Missing { interface: Interface::Perf, why: Why::Recorded });
}

/// Writes a register of a CPU.
fn register(machine: &Recorded, cpu: u32, register: u64, value: u64) {
    let path = machine.path(&format!("dev/cpu/{cpu}/msr"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let file = fs::OpenOptions::new().create(true).write(true).truncate(false).open(path).unwrap();
    file.write_all_at(&value.to_le_bytes(), register * 8).unwrap();
}

#[test]
fn registers_of_intel_have_their_units_and_begin_again() {
    let machine = with_topology("GenuineIntel", 6, 0x8f);
    for cpu in [0, 2] {
        register(&machine, cpu, 0x606, 0x000a_0e03); // 2^-14 J
        register(&machine, cpu, 0x611, 0xffff_f000);
        register(&machine, cpu, 0x619, 0x100);
        register(&machine, cpu, 0x639, 0); // without a counter
    }
    let measured = machine.measure(|machine| {
        for cpu in [0, 2] {
            // The upper half is reserved.
            register(machine, cpu, 0x611, 0xdead_0000_0000_3000);
            register(machine, cpu, 0x619, 0x1_0100);
        }
    });
    assert_eq!(measured.interface, Interface::Msr);
    is_near(of(&measured, PACKAGES[1]), 1.0);
    is_near(of(&measured, Domain::Memory { socket: 0 }), 1.0);
    assert_eq!(measured.domains.len(), 4, "the cores have no counter: {measured:?}");
}

#[test]
fn registers_of_amd_add_up_the_cores_of_a_socket() {
    let machine = with_topology("AuthenticAMD", 25, 1);
    for cpu in 0..4 {
        register(&machine, cpu, 0xc001_0299, 0x000a_1003); // 2^-16 J
        register(&machine, cpu, 0xc001_029a, 1);
        register(&machine, cpu, 0xc001_029b, 1);
    }
    let measured = machine.measure(|machine| {
        for cpu in 0..4 {
            register(machine, cpu, 0xc001_029a, 1 + (1 << 15));
            register(machine, cpu, 0xc001_029b, 1 + (3 << 16));
        }
    });
    is_near(of(&measured, PACKAGES[0]), 3.0);
    is_near(of(&measured, Domain::Cores { socket: 1 }), 1.0);
    assert!((measured.joules().unwrap() - 6.0).abs() < 1e-9);
}

#[test]
fn files_of_any_content_are_survived() {
    for content in ["", "x", "-1", "99999999999999999999999", "\u{0}\u{ff}"] {
        let machine = two_sockets();
        machine.file("sys/class/powercap/intel-rapl:0/max_energy_range_uj", content);
        let measured = machine.measure(|machine| {
            machine.moved("intel-rapl:0", 0);
        });
        assert_eq!(of(&measured, PACKAGES[0]), Err(Fault::Jumped), "{content:?}");
        machine.file("sys/class/powercap/intel-rapl:0/name", content);
        machine.file("sys/class/powercap/intel-rapl:1/energy_uj", content);
        let _ = find(&machine);
    }
}

#[test]
fn a_model_goes_through_its_points() {
    let at = |cores, watts| Point { cores, watts };
    let exact = fit(&[at(0, 60.0), at(1, 64.0), at(4, 76.0)]).unwrap();
    assert!((exact.model.idle_watts - 60.0).abs() < 1e-9 && (exact.model.core_watts - 4.0).abs() < 1e-9);
    assert!(exact.worst < 1e-12);
    // 2 s with 3 s of CPU time: 60 W * 2 s + 4 W * 3 s.
    assert!((exact.model.joules(2.0, 3.0) - 132.0).abs() < 1e-9);
    let rough = fit(&[at(0, 50.0), at(1, 70.0), at(2, 66.0)]).unwrap();
    assert!((rough.model.core_watts - 8.0).abs() < 1e-9 && rough.worst > 0.07);
    for none in [
        &[][..],
        &[at(1, 60.0)],
        &[at(2, 60.0), at(2, 61.0)],
        &[at(0, 60.0), at(4, 20.0)],
        &[at(0, f64::NAN), at(1, 2.0)],
    ] {
        assert_eq!(fit(none), None, "{none:?}");
    }
}

#[test]
fn a_calibration_of_counters_that_do_not_move_is_refused() {
    let machine = two_sockets();
    let meter = find(&machine).unwrap();
    let topology = crate::Topology {
        cpus: vec![crate::LogicalCpu { id: 0, socket: 0, core: 0, siblings: vec![0] }],
        allowed: vec![0],
        ..crate::Topology::default()
    };
    let stop = std::sync::atomic::AtomicBool::new(true);
    let stopped = calibrate(&meter, &topology, &stop, &mut |_| ()).unwrap_err();
    assert_eq!(stopped, CalibrateError::Cancelled);
}
