//! The part of the machine's description that the joined results and the rules need. What was measured on the machine wins
//! over the table of its core.

use crate::model::{BandwidthCeiling, Ceilings, FlopCeiling, MachineFacts};
use loopwright_binary::facts::{ElementType, Isa};
use loopwright_costs::estimates::{DRAM_NANOSECONDS, USUAL_GHZ};
use loopwright_costs::{Core, Microarchitecture};
use loopwright_experiment::MachineRecord;
use loopwright_vocabulary::{MemoryLevel, VectorWidth};

/// Converts the stored record.
pub(crate) fn machine_facts(record: &MachineRecord) -> MachineFacts {
    let summary = record.machine.summary();
    let processor = &record.machine.processor;
    let numbers = processor.family.zip(processor.model);
    MachineFacts {
        name: summary.name,
        cpus: summary.cpus,
        // The two crates know nothing of each other; both write instruction sets as the manuals do.
        isa: summary.isa.and_then(|name| serde_json::from_value::<Isa>(name.into()).ok()),
        core: numbers.and_then(|(family, model)| Microarchitecture::of(&processor.vendor, family, model)),
        fma: summary.fma,
        vector_bits: summary.vector_bits,
        cache_bytes: summary.cache_bytes,
        line_bytes: summary.line_bytes,
        ceilings: record.ceilings.as_ref().map(ceilings),
    }
}

fn ceilings(measured: &loopwright_machine::Ceilings) -> Ceilings {
    Ceilings {
        flops: measured
            .flops
            .iter()
            .map(|ceiling| FlopCeiling {
                level: ceiling.level,
                element: ceiling.element.into(),
                fma: ceiling.fma,
                cores: ceiling.cores,
                gflops: ceiling.gflops,
            })
            .collect(),
        bandwidths: measured
            .bandwidths
            .iter()
            .map(|ceiling| BandwidthCeiling {
                level: ceiling.level,
                kernel: ceiling.kernel.clone(),
                cores: ceiling.cores,
                gbytes: ceiling.gbytes,
            })
            .collect(),
        disturbed: measured.disturbed(),
    }
}

impl MachineFacts {
    /// The figures of its core.
    pub fn core(&self) -> &'static Core {
        Core::of(self.core)
    }

    /// Highest measured one-core peak at a register width (0: scalar), GFLOP/s.
    pub fn peak(&self, bits: u32, element: ElementType) -> Option<f64> {
        self.best_flops(|c| c.level == VectorWidth::from_bits(bits) && c.element == element)
    }

    /// The same with fused multiply-adds, or without.
    pub fn peak_of(&self, bits: u32, element: ElementType, fused: bool) -> Option<f64> {
        self.best_flops(|c| c.level == VectorWidth::from_bits(bits) && c.element == element && c.fma == fused)
    }

    fn best_flops(&self, of: impl Fn(&FlopCeiling) -> bool) -> Option<f64> {
        let measured = self.ceilings.as_ref()?.flops.iter().filter(|c| c.cores == 1 && of(c));
        measured.map(|c| c.gflops).filter(|g| *g > 0.0).reduce(f64::max)
    }

    /// The clock in GHz while the scalar peak was measured.
    pub fn clock_ghz(&self) -> Option<f64> {
        let clock = |fma: bool| {
            let peak = self.best_flops(|c| c.level == VectorWidth::Scalar && c.fma == fma)?;
            Some(peak / self.core().flop_per_cycle(fma))
        };
        clock(true).or_else(|| clock(false))
    }

    /// Highest measured one-core bandwidth of a level, GB/s.
    pub fn bandwidth(&self, level: MemoryLevel) -> Option<f64> {
        let ceilings = self.ceilings.as_ref()?;
        let of_level = ceilings.bandwidths.iter().filter(|c| c.cores == 1 && c.level == level);
        of_level.map(|c| c.gbytes).filter(|g| *g > 0.0).reduce(f64::max)
    }

    /// Lanes that a register width is worth: what its measured peak is above the scalar one, no more than fit; without peaks
    /// what the core's units are.
    pub fn lanes(&self, bits: u32, element: ElementType) -> f64 {
        match self.peak(0, element).zip(self.peak(bits, element)) {
            Some((scalar, vector)) => {
                f64::from((bits / element.bits()).max(1)).min((vector / scalar).max(1.0))
            }
            None => self.core().lanes(bits, element),
        }
    }

    /// Nanoseconds from a load's address to its value in a level, main memory for what is no cache.
    pub fn latency_nanoseconds(&self, level: MemoryLevel) -> f64 {
        let cycles = self.core().load_latency(level);
        cycles.map_or(DRAM_NANOSECONDS, |cycles| cycles / self.clock_ghz().unwrap_or(USUAL_GHZ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_machine::Machine;

    #[test]
    fn the_instruction_set_of_this_machine_is_understood() {
        let machine = Machine::detect();
        let named = machine.summary().isa;
        let facts = machine_facts(&MachineRecord { machine, ceilings: None, network: None });
        assert_eq!(facts.isa.is_some(), named.is_some(), "{named:?}");
        assert!(facts.ceilings.is_none());
    }
    #[test]
    fn a_nameless_processor_is_known_by_its_numbers_and_measured_figures_win() {
        let mut machine = Machine::detect();
        machine.processor.vendor = "AuthenticAMD".into();
        (machine.processor.name, machine.processor.family, machine.processor.model) =
            ("AMD EPYC".into(), Some(25), Some(17));
        let mut facts = machine_facts(&MachineRecord { machine, ceilings: None, network: None });
        assert_eq!(facts.core, Some(Microarchitecture::Zen4));
        assert_eq!(facts.lanes(512, ElementType::F64), 4.0, "two halves");
        assert_eq!(facts.latency_nanoseconds(MemoryLevel::L2), 14.0 / USUAL_GHZ);
        let flop =
            |level, gflops| FlopCeiling { level, element: ElementType::F64, fma: true, cores: 1, gflops };
        let flops = vec![flop(VectorWidth::Scalar, 14.0), flop(VectorWidth::Bits512, 70.0)];
        facts.ceilings = Some(Ceilings { flops, bandwidths: vec![], disturbed: None });
        assert_eq!((facts.clock_ghz(), facts.lanes(512, ElementType::F64)), (Some(3.5), 5.0));
        assert_eq!(facts.latency_nanoseconds(MemoryLevel::L2), 4.0);
    }
}
