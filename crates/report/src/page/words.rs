//! Sentences for the contract's names that occur in the document, as the text views write them.

use crate::vocabulary::{chain, contract_name, idiom, role_sentence, trait_sentence};
use loopwright_analysis::model::LoopFacts;
use std::collections::BTreeMap;

/// By kind and name: `trait:gather`, `role:body`, `chain:in-order-sum`, `idiom:memset`.
pub(super) fn words(loops: &[LoopFacts]) -> BTreeMap<String, &'static str> {
    let mut words = BTreeMap::new();
    for each in loops {
        for which in &each.traits {
            words.insert(format!("trait:{}", contract_name(which)), trait_sentence(*which));
        }
        for carried in &each.chains {
            words.insert(format!("chain:{}", contract_name(&carried.kind)), chain(carried.kind));
        }
        words.insert(format!("role:{}", contract_name(&each.role)), role_sentence(each.role));
        if let Some(which) = each.idiom {
            words.insert(format!("idiom:{}", contract_name(&which)), idiom(which));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::words;
    use crate::fixture;

    #[test]
    fn every_name_that_occurs_has_a_sentence() {
        let analysis = fixture::analysis();
        let words = words(&analysis.loops);
        assert!(words.values().all(|sentence| !sentence.is_empty()));
        for each in &analysis.loops {
            assert!(words.contains_key(&format!("role:{}", crate::vocabulary::contract_name(&each.role))));
            for which in &each.traits {
                let name = crate::vocabulary::contract_name(which);
                assert_eq!(words[&format!("trait:{name}")], crate::vocabulary::trait_sentence(*which));
            }
        }
    }
}
