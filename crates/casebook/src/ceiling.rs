//! The ceiling that applies to a stage: the roofline at its useful intensity (S. Williams, A. Waterman and D.
//! Patterson, Communications of the ACM 52(4), 2009), with the bandwidth of the level that its data fits into.

use crate::record::Share;
use loopwright_machine::{CacheKind, Ceilings, Element, Machine};
use loopwright_vocabulary::MemoryLevel;

/// Useful work of the compared part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Floating-point operations.
    pub flop: Option<f64>,
    /// Bytes that must move.
    pub bytes: Option<f64>,
    /// Bytes that are accessed repeatedly.
    pub working_set: Option<f64>,
    /// What the operations are on.
    pub element: Element,
    /// Threads that do it.
    pub threads: u32,
}

/// The nearer of the peak and the bandwidth, and the share of it that is reached. `None` where the machine
/// was not measured with as many threads, or the program does not state its work.
pub fn share(
    gflops: Option<f64>,
    gbytes: Option<f64>,
    work: &Work,
    machine: &Machine,
    ceilings: &Ceilings,
) -> Option<Share> {
    let peak = gflops.and_then(|rate| Some((rate, peak(work, ceilings)?)));
    let band = gbytes.and_then(|rate| Some((rate, bandwidth(work, machine, ceilings)?)));
    let shares = [
        peak.map(|(rate, (name, peak))| Share {
            name,
            rate: peak,
            unit: "GFLOP/s".into(),
            share: rate / peak,
        }),
        band.map(|(rate, (name, peak))| Share { name, rate: peak, unit: "GB/s".into(), share: rate / peak }),
    ];
    shares.into_iter().flatten().max_by(|a, b| a.share.total_cmp(&b.share))
}

fn peak(work: &Work, ceilings: &Ceilings) -> Option<(String, f64)> {
    let element = work.element;
    let all = ceilings.flops.iter().filter(|f| f.element == element && f.cores == work.threads);
    let best = all.max_by(|a, b| a.gflops.total_cmp(&b.gflops))?;
    let fma = if best.fma { " FMA" } else { "" };
    Some((format!("{} {}{fma}", best.level.name(), element.name()), best.gflops))
}

fn bandwidth(work: &Work, machine: &Machine, ceilings: &Ceilings) -> Option<(String, f64)> {
    let level = memory_level(work, machine)?;
    let all = ceilings.bandwidths.iter().filter(|b| b.level == level && b.cores == work.threads);
    let best = all.max_by(|a, b| a.gbytes.total_cmp(&b.gbytes))?;
    Some((level.to_string(), best.gbytes))
}

/// The smallest cache that holds the working set of one thread, or main memory.
fn memory_level(work: &Work, machine: &Machine) -> Option<MemoryLevel> {
    let per_thread = work.working_set? / f64::from(work.threads.max(1));
    let data = machine.topology.caches.iter().filter(|cache| cache.kind != CacheKind::Instruction);
    let mut sizes: Vec<(u32, u64)> = data.map(|cache| (cache.level, cache.size_bytes)).collect();
    sizes.sort_unstable();
    sizes.dedup_by_key(|(level, _)| *level);
    let fits = sizes.iter().find(|(_, size)| per_thread <= *size as f64);
    Some(fits.map_or(MemoryLevel::Dram, |(level, _)| MemoryLevel::Cache(*level)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_machine::{BandwidthCeiling, Cache, FlopCeiling};
    use loopwright_vocabulary::VectorWidth;

    fn ceilings() -> Ceilings {
        let flop = |level, fma, gflops| FlopCeiling {
            level,
            element: Element::F64,
            fma,
            cores: 1,
            gflops,
            spread: 1.0,
        };
        let band = |level: &str, kernel: &str, gbytes| BandwidthCeiling {
            level: level.parse().unwrap(),
            kernel: kernel.into(),
            cores: 1,
            gbytes,
            working_set_bytes: 0,
            variant: String::new(),
            spread: 1.0,
        };
        Ceilings {
            flops: vec![flop(VectorWidth::Scalar, false, 10.0), flop(VectorWidth::Bits256, true, 50.0)],
            bandwidths: vec![
                band("L1", "load", 200.0),
                band("DRAM", "load", 10.0),
                band("DRAM", "copy", 8.0),
            ],
            ..Ceilings::default()
        }
    }

    /// A machine whose caches are known: virtual machines may report none.
    fn machine() -> Machine {
        let cache = |level, size_bytes| Cache {
            level,
            kind: CacheKind::Data,
            size_bytes,
            line_bytes: 64,
            ways: 0,
            sets: 0,
            cpus: vec![0],
        };
        let mut machine = Machine::detect();
        machine.topology.caches = vec![cache(1, 32 << 10), cache(2, 1 << 20)];
        machine
    }

    fn work(working_set: f64) -> Work {
        Work { working_set: Some(working_set), threads: 1, ..Work::default() }
    }

    #[test]
    fn the_ceiling_is_the_one_that_is_nearer() {
        let machine = machine();
        let of = |gflops, gbytes, set| share(gflops, gbytes, &work(set), &machine, &ceilings());
        let arithmetic = of(Some(25.0), Some(1.0), 1e12).unwrap();
        assert_eq!((arithmetic.name.as_str(), arithmetic.share), ("AVX2 f64 FMA", 0.5));
        let memory = of(Some(1.0), Some(8.0), 1e12).unwrap();
        assert_eq!((memory.name.as_str(), memory.unit.as_str(), memory.share), ("DRAM", "GB/s", 0.8));
        assert_eq!(of(None, Some(50.0), 32768.0).map(|s| s.name), Some("L1".into()));
        assert_eq!(of(None, Some(50.0), 32769.0), None, "the second level was not measured");
    }

    #[test]
    fn what_was_not_measured_or_printed_has_no_ceiling() {
        let machine = machine();
        let two = Work { threads: 2, ..work(1.0) };
        assert_eq!(share(Some(1.0), Some(1.0), &two, &machine, &ceilings()), None);
        assert_eq!(share(None, None, &work(1.0), &machine, &ceilings()), None);
        let unknown = Work { working_set: None, ..work(1.0) };
        assert_eq!(share(None, Some(1.0), &unknown, &machine, &ceilings()), None);
    }
}
