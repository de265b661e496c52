//! Fletcher checksums: compared with OpenZFS where it is installed, and with plain loops as the compiler compiles them.

mod plain;

use super::{Operation, RunOnce, Subject, every_level};
use crate::bounds;
use crate::buffers::Buffer;
use crate::case::{Case, Clock, Extent, Role, Variant, Work, size_text};
use crate::peers::zfs::{self, Kind};
use loopwright_kernels::fletcher::{self, FletcherError};
use loopwright_kernels::{Isa, IsaError};
use std::hint::black_box;
use std::rc::Rc;

pub struct Fletcher;

/// One measured checksum. All return words, so that they can be in one table.
struct Checksum {
    operation: &'static str,
    automatic: fn(&[u8]) -> Result<[u64; 4], FletcherError>,
    with: fn(Isa, &[u8]) -> Result<[u64; 4], FletcherError>,
    plain: fn(&[u8]) -> [u64; 4],
    zfs: Option<Kind>,
    /// Least additions of 64-bit lanes per byte.
    additions_per_byte: f64,
}

const CHECKSUMS: [Checksum; 7] = [
    Checksum {
        operation: "fletcher4",
        automatic: |b| fletcher::fletcher4(b).map(|c| c.words),
        with: |isa, b| fletcher::fletcher4_with(isa, b).map(|c| c.words),
        plain: plain::fletcher4::<false>,
        zfs: Some(Kind::Four),
        additions_per_byte: 1.0,
    },
    Checksum {
        operation: "fletcher4_swapped",
        automatic: |b| fletcher::fletcher4_swapped(b).map(|c| c.words),
        with: |isa, b| fletcher::fletcher4_swapped_with(isa, b).map(|c| c.words),
        plain: plain::fletcher4::<true>,
        zfs: Some(Kind::FourSwapped),
        additions_per_byte: 1.0,
    },
    Checksum {
        operation: "fletcher2",
        automatic: |b| fletcher::fletcher2(b).map(|c| c.words),
        with: |isa, b| fletcher::fletcher2_with(isa, b).map(|c| c.words),
        plain: plain::fletcher2::<false>,
        zfs: Some(Kind::Two),
        additions_per_byte: 0.25,
    },
    Checksum {
        operation: "fletcher2_swapped",
        automatic: |b| fletcher::fletcher2_swapped(b).map(|c| c.words),
        with: |isa, b| fletcher::fletcher2_swapped_with(isa, b).map(|c| c.words),
        plain: plain::fletcher2::<true>,
        zfs: Some(Kind::TwoSwapped),
        additions_per_byte: 0.25,
    },
    Checksum {
        operation: "fletcher16",
        automatic: |b| Ok([fletcher::fletcher16(b).into(), 0, 0, 0]),
        with: |isa, b| Ok([fletcher::fletcher16_with(isa, b)?.into(), 0, 0, 0]),
        plain: |b| [plain::modular::<1>(b), 0, 0, 0],
        zfs: None,
        additions_per_byte: 0.0,
    },
    Checksum {
        operation: "fletcher32",
        automatic: |b| Ok([fletcher::fletcher32(b).into(), 0, 0, 0]),
        with: |isa, b| Ok([fletcher::fletcher32_with(isa, b)?.into(), 0, 0, 0]),
        plain: |b| [plain::modular::<2>(b), 0, 0, 0],
        zfs: None,
        // Two sums of 32-bit lanes per two bytes.
        additions_per_byte: 0.5,
    },
    Checksum {
        operation: "fletcher64",
        automatic: |b| Ok([fletcher::fletcher64(b), 0, 0, 0]),
        with: |isa, b| Ok([fletcher::fletcher64_with(isa, b)?, 0, 0, 0]),
        plain: |b| [plain::modular::<4>(b), 0, 0, 0],
        zfs: None,
        additions_per_byte: 0.5,
    },
];

impl Subject for Fletcher {
    fn kernel(&self) -> &'static str {
        "fletcher"
    }

    fn about(&self) -> &'static str {
        "Fletcher checksums, those of ZFS and those modulo 2^k - 1"
    }

    fn operations(&self) -> Vec<Operation> {
        /// Long enough for every level's own code.
        const BYTES: usize = (8 << 10) + 64;
        /// The first checksums, which are not modular, need less: each instruction of a run may be observed.
        const FIRST: (usize, usize) = (4, (4 << 10) + 64);
        fn run(checksum: usize, isa: Option<Isa>) -> Result<(), IsaError> {
            let bytes = black_box([0x5a; BYTES]);
            let bytes = &bytes[..if checksum < FIRST.0 { FIRST.1 } else { BYTES }];
            let Checksum { automatic, with, .. } = &CHECKSUMS[checksum];
            let done = isa.map_or_else(|| automatic(bytes), |isa| with(isa, bytes));
            match done {
                Err(FletcherError::Isa(error)) => Err(error),
                // The length is a multiple of every word.
                done => {
                    black_box(done.ok());
                    Ok(())
                }
            }
        }
        const RUNS: [RunOnce; CHECKSUMS.len()] = [
            |isa| run(0, isa),
            |isa| run(1, isa),
            |isa| run(2, isa),
            |isa| run(3, isa),
            |isa| run(4, isa),
            |isa| run(5, isa),
            |isa| run(6, isa),
        ];
        let operation = |(checksum, run): (&Checksum, _)| Operation {
            name: checksum.operation,
            levels: every_level,
            run,
        };
        CHECKSUMS.iter().zip(RUNS).map(operation).collect()
    }

    fn cases(&self, extent: Extent) -> Vec<Case> {
        let sizes: &[usize] = match extent {
            Extent::Smoke => &[1 << 10, 128 << 10],
            Extent::Full => &[1 << 10, 4 << 10, 32 << 10, 128 << 10, 1 << 20, 16 << 20, 256 << 20],
        };
        CHECKSUMS.iter().flat_map(|checksum| sizes.iter().map(|&size| case(checksum, size))).collect()
    }
}

fn case(checksum: &'static Checksum, size: usize) -> Case {
    Case {
        operation: checksum.operation.to_owned(),
        shape: size_text(size as u64),
        work: Work::Bytes(size as u64),
        working_set_bytes: size as u64,
        clock: Clock::Thread,
        prepare: Box::new(move |peers| {
            let buffer = Rc::new(Buffer::random(size, size as u64));
            let expected = (checksum.with)(Isa::Scalar, &buffer);
            let mut variants = vec![Variant::returning("auto", Role::Automatic, expected.clone(), {
                let buffer = buffer.clone();
                move || (checksum.automatic)(&buffer)
            })];
            variants.extend(Isa::available().map(|isa| {
                let buffer = buffer.clone();
                let run = move || (checksum.with)(isa, &buffer);
                Variant::returning(isa.name(), Role::Level(isa), expected.clone(), run)
            }));
            // The plain loop is the definition: variants that agree with it are right.
            variants.push(Variant::returning(
                "plain loop",
                Role::Peer,
                expected.clone().unwrap_or_default(),
                {
                    let buffer = buffer.clone();
                    move || (checksum.plain)(&buffer)
                },
            ));
            for theirs in checksum.zfs.map_or_else(Vec::new, |kind| zfs::implementations(peers, kind)) {
                let buffer = buffer.clone();
                let expected = expected.clone().unwrap_or_default();
                let name = theirs.name();
                variants
                    .push(Variant::returning(name, Role::Peer, expected, move || theirs.checksum(&buffer)));
            }
            variants.push(Variant::bound("reading", {
                let buffer = buffer.clone();
                move || bounds::read(&buffer)
            }));
            let additions = (size as f64 * checksum.additions_per_byte) as u64;
            if additions > 0 {
                variants.push(Variant::bound("additions", move || bounds::additions(additions)));
            }
            variants
        }),
    }
}
