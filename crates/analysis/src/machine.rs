//! The part of the machine's description that the joined results and the rules need.

use crate::model::{BandwidthCeiling, Ceilings, FlopCeiling, MachineFacts};
use loopwright_binary::facts::{ElementType, Isa};
use loopwright_experiment::MachineRecord;
use loopwright_machine::Element;

/// Converts the stored record.
pub(crate) fn machine_facts(record: &MachineRecord) -> MachineFacts {
    let summary = record.machine.summary();
    MachineFacts {
        name: summary.name,
        cpus: summary.cpus,
        // The two crates know nothing of each other; both write instruction sets as the manuals do.
        isa: summary.isa.and_then(|name| serde_json::from_value::<Isa>(name.into()).ok()),
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
                level: ceiling.level.name().to_owned(),
                element: match ceiling.element {
                    Element::F32 => ElementType::F32,
                    Element::F64 => ElementType::F64,
                },
                fma: ceiling.fma,
                cores: ceiling.cores,
                gflops: ceiling.gflops,
            })
            .collect(),
        bandwidths: measured
            .bandwidths
            .iter()
            .map(|ceiling| BandwidthCeiling {
                level: ceiling.level.clone(),
                kernel: ceiling.kernel.clone(),
                cores: ceiling.cores,
                gbytes: ceiling.gbytes,
            })
            .collect(),
        disturbed: measured.disturbed(),
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
        let facts = machine_facts(&MachineRecord { machine, ceilings: None });
        assert_eq!(facts.isa.is_some(), named.is_some(), "{named:?}");
        assert!(facts.ceilings.is_none());
    }
}
