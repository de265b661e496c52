//! Records as the kernel writes them (recorded below by a real survey's layout), and mutations of them.

use super::*;

const FORMATS: [RecordFormat; 3] = [
    RecordFormat { stack_bytes: 64, callchain: false },
    RecordFormat { stack_bytes: 0, callchain: true },
    RecordFormat { stack_bytes: 0, callchain: false },
];

fn record(kind: u32, misc: u16, body: &[u8]) -> Vec<u8> {
    let mut bytes = kind.to_le_bytes().to_vec();
    bytes.extend(misc.to_le_bytes());
    bytes.extend(((body.len() + HEADER) as u16).to_le_bytes());
    bytes.extend(body);
    bytes
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// `pid` and `tid` in one word.
fn ids(pid: u32, tid: u32) -> u64 {
    u64::from(pid) | u64::from(tid) << 32
}

/// `struct sample_id`: tid, time, cpu.
fn sample_id(time: u64) -> Vec<u8> {
    words(&[ids(7, 8), time, 1])
}

fn sample(format: RecordFormat) -> Vec<u8> {
    let mut body = words(&[0x401000, ids(7, 8), 1234, 3, 1_003_009]);
    if format.callchain {
        body.extend(words(&[
            5,
            (-128_i64) as u64,
            0xffff_ffff_8100_0000,
            constants::PERF_CONTEXT_USER,
            0x401000,
            0x402005,
        ]));
    }
    // abi, then bp, sp, ip in the order of their numbers.
    body.extend(words(&[2, 0xb0, 0x7ff0, 0x401000]));
    if format.stack_bytes > 0 {
        body.extend(words(&[u64::from(format.stack_bytes)]));
        body.extend((0..format.stack_bytes).map(|byte| byte as u8));
        body.extend(words(&[40]));
    }
    record(constants::PERF_RECORD_SAMPLE, 2, &body)
}

fn mmap2(misc: u16, id: &[u8; 24]) -> Vec<u8> {
    let mut body = words(&[ids(7, 8), 0x40_0000, 0x1000, 0x2000]);
    body.extend(id);
    body.extend(words(&[5]));
    body.extend(b"/bin/program\0\0\0\0");
    body.extend(sample_id(99));
    record(constants::PERF_RECORD_MMAP2, misc, &body)
}

/// A buffer with one record of every kind.
fn buffer(format: RecordFormat) -> Vec<u8> {
    let mut build_id = [0_u8; 24];
    build_id[0] = 20;
    build_id[4..].fill(0xab);
    let mut comm = words(&[ids(7, 8)]);
    comm.extend(b"name\0\0\0\0");
    comm.extend(sample_id(100));
    let mut fork = words(&[ids(9, 7), ids(10, 8), 55]);
    fork.extend(sample_id(101));
    let mut lost = words(&[1, 17]);
    lost.extend(sample_id(102));
    let mut throttle = words(&[5, 1, 1]);
    throttle.extend(sample_id(103));
    [
        sample(format),
        mmap2(2, &[0; 24]),
        mmap2(2 | constants::PERF_RECORD_MISC_MMAP_BUILD_ID, &build_id),
        record(constants::PERF_RECORD_COMM, constants::PERF_RECORD_MISC_COMM_EXEC, &comm),
        record(constants::PERF_RECORD_FORK, 0, &fork),
        record(constants::PERF_RECORD_EXIT, 0, &fork),
        record(constants::PERF_RECORD_LOST, 0, &lost),
        record(constants::PERF_RECORD_THROTTLE, 0, &throttle),
    ]
    .concat()
}

#[test]
fn every_kind_of_record() {
    for format in FORMATS {
        let bytes = buffer(format);
        let raws: Vec<Raw> = split(&bytes).collect();
        assert_eq!(
            raws.iter().map(|raw| raw.time()).collect::<Vec<_>>(),
            [1234, 99, 99, 100, 101, 101, 102, 103]
        );
        let records: Vec<Record> = raws.iter().map(|raw| raw.decode(format).unwrap()).collect();
        let Record::Sample(sample) = &records[0] else { panic!("{:?}", records[0]) };
        assert_eq!((sample.pid, sample.tid, sample.cpu, sample.period), (7, 8, 3, 1_003_009));
        assert_eq!(sample.registers, Some(Registers { ip: 0x401000, sp: 0x7ff0, bp: 0xb0 }));
        assert!(!sample.kernel);
        // Only what the kernel could copy counts, and only user addresses after the sampled one.
        assert_eq!(sample.stack.len(), if format.stack_bytes > 0 { 40 } else { 0 });
        assert_eq!(sample.callers, if format.callchain { vec![0x402005] } else { vec![] });
        let Record::Map(map) = &records[1] else { panic!("{:?}", records[1]) };
        assert_eq!(
            (map.start, map.length, map.offset, map.path.as_str()),
            (0x40_0000, 0x1000, 0x2000, "/bin/program")
        );
        assert_eq!(map.build_id, None);
        let Record::Map(map) = &records[2] else { panic!("{:?}", records[2]) };
        assert_eq!(map.build_id, Some("ab".repeat(20)));
        assert_eq!(records[3], Record::Name { pid: 7, tid: 8, name: "name".to_owned(), exec: true });
        assert_eq!(records[4], Record::Fork { pid: 9, parent: 7, tid: 10 });
        assert_eq!(records[5], Record::Exit { pid: 9, tid: 10 });
        assert_eq!(records[6], Record::Lost(17));
        assert_eq!(records[7], Record::Throttle);
    }
}

#[test]
fn a_sample_of_a_task_without_user_registers() {
    let format = FORMATS[2];
    let mut body = words(&[0xffff_ffff_8100_0000, ids(7, 8), 1234, 3, 1]);
    body.extend(words(&[0]));
    let bytes = record(constants::PERF_RECORD_SAMPLE, 1, &body);
    let Some(Record::Sample(sample)) = split(&bytes).next().unwrap().decode(format) else { panic!() };
    assert!(sample.kernel && sample.registers.is_none());
}

#[test]
fn lengths_that_the_reader_would_trust_are_refused() {
    let mut id = [0; 24];
    id[0] = 21;
    let bytes = mmap2(constants::PERF_RECORD_MISC_MMAP_BUILD_ID, &id);
    assert_eq!(split(&bytes).next().unwrap().decode(FORMATS[0]), None);
    for count in [1 << 61, u64::MAX, 1 << 32] {
        let mut body = words(&[0, 0, 0, 0, 0, count]);
        body.extend([0; 64]);
        let bytes = record(constants::PERF_RECORD_SAMPLE, 2, &body);
        assert_eq!(split(&bytes).next().unwrap().decode(FORMATS[1]), None);
    }
}

#[test]
fn a_length_below_the_header_ends_the_walk() {
    assert_eq!(split(&[9, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]).count(), 0);
    assert_eq!(split(&[]).count(), 0);
    assert_eq!(split(&record(9, 0, &[0; 8])[..12]).count(), 0);
}

/// Any change of the bytes is decoded to something or skipped, without a panic.
#[test]
fn mutated_records_never_panic() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for format in FORMATS {
        let original = buffer(format);
        let mut decoded = 0_u64;
        for _ in 0..20_000 {
            let mut bytes = original.clone();
            for _ in 0..1 + random() % 6 {
                let at = random() as usize % bytes.len();
                match random() % 4 {
                    0 => bytes[at] = random() as u8,
                    1 => bytes[at] ^= 1 << (random() % 8),
                    2 => bytes[at] = 0xff,
                    _ => bytes.truncate(at.max(1)),
                }
            }
            for reader in FORMATS {
                for raw in split(&bytes) {
                    let _ = raw.time();
                    decoded += u64::from(raw.decode(reader).is_some());
                }
            }
        }
        assert!(decoded > 100_000, "most records must survive: {decoded}");
    }
}
