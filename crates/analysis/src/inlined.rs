//! Time of functions that were inlined, by the function that holds their code.
//!
//! A sample adds its weight to the self time of the innermost function inlined at its place, and once to the total time of every
//! inlined function on its stack.

use crate::model::InlinedFunction;
use crate::resolve::Entities;
use crate::time::{ContextWeight, Times, seconds};
use loopwright_experiment::Facts;
use std::collections::HashMap;

/// What one function takes within another one.
#[derive(Debug, Default)]
struct Spent {
    self_ns: u64,
    total_ns: u64,
    samples: u64,
    /// The last stack that it was met on.
    stamp: u32,
}

/// Every inlined function of a function that holds code.
#[derive(Debug, Default)]
struct Inlined<'a> {
    /// By holder and name: its place in `spent`.
    numbers: HashMap<(u32, &'a str), usize>,
    spent: Vec<Spent>,
}

impl<'a> Inlined<'a> {
    /// The functions inlined at an address of a holder, innermost first.
    fn at(&mut self, entities: &'a Entities, holder: u32, address: u64) -> Vec<usize> {
        let code = entities.functions[holder as usize].stored.map(|stored| &stored.code.inlined);
        (code.into_iter().flat_map(|code| code.at(address)))
            .map(|inlined| {
                let next = self.spent.len();
                let number = *self.numbers.entry((holder, inlined.function)).or_insert(next);
                if number == next {
                    self.spent.push(Spent::default());
                }
                number
            })
            .collect()
    }
}

/// The inlined functions with time, by their holder; the largest first. `weights` are those of the contexts of each survey.
pub fn inlined(
    facts: &Facts,
    entities: &Entities,
    weights: &[Vec<ContextWeight>],
    times: &Times,
) -> HashMap<u32, Vec<InlinedFunction>> {
    let mut all = Inlined::default();
    let mut stamp = 0;
    for (survey, weights) in weights.iter().enumerate() {
        let recording = &facts.surveys[survey].facts;
        let places = &entities.places[survey];
        let mut of_frames: HashMap<u32, Vec<usize>> = HashMap::new();
        for (stack, weight) in weights.iter().enumerate() {
            let both = weight.user_ns + weight.kernel_ns;
            if both == 0 {
                continue;
            }
            stamp += 1;
            let leaf = recording.stacks[stack].frame;
            let mut at = Some(stack as u32);
            while let Some(node) = at.map(|at| recording.stacks[at as usize]) {
                let numbers = of_frames.entry(node.frame).or_insert_with(|| {
                    let address = recording.frames[node.frame as usize].address;
                    all.at(entities, places[node.frame as usize].function, address)
                });
                for &number in &*numbers {
                    let spent = &mut all.spent[number];
                    if std::mem::replace(&mut spent.stamp, stamp) != stamp {
                        spent.total_ns += both;
                    }
                }
                at = node.parent;
            }
            if let Some(&innermost) = of_frames.get(&leaf).and_then(|numbers| numbers.first()) {
                all.spent[innermost].self_ns += weight.user_ns;
                all.spent[innermost].samples += weight.samples;
            }
        }
    }
    let mut of_holders: HashMap<u32, Vec<InlinedFunction>> = HashMap::new();
    for ((holder, name), number) in all.numbers {
        let spent = &all.spent[number];
        of_holders.entry(holder).or_default().push(InlinedFunction {
            function: name.to_owned(),
            self_seconds: seconds(spent.self_ns),
            self_share: times.share(spent.self_ns),
            total_seconds: seconds(spent.total_ns),
            total_share: times.share(spent.total_ns),
            samples: spent.samples,
        });
    }
    for inlined in of_holders.values_mut() {
        inlined.sort_by(|a, b| {
            // Of a function and the one around it that does nothing else, that one comes first.
            (b.total_seconds.total_cmp(&a.total_seconds))
                .then(a.self_seconds.total_cmp(&b.self_seconds))
                .then_with(|| a.function.cmp(&b.function))
        });
    }
    of_holders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{function, module, recording};
    use loopwright_binary::facts::{Collected, InlineFrame};
    use loopwright_experiment::Run;

    /// `main` at 0x100 holds `step` from 0x110 on, which holds `kick` from 0x120 on; `solve` at 0x200 has a `kick`, too.
    fn found(stacks: &[(&[u64], u32)]) -> Vec<(String, Vec<InlinedFunction>)> {
        let frame = |function: &str| InlineFrame { function: function.into(), call_site: None };
        let mut of_main = Collected::default();
        let step = of_main.chain(&[frame("step")]);
        let kick = of_main.chain(&[frame("kick"), frame("step")]);
        of_main.range((0x110, 0x120), step);
        of_main.range((0x120, 0x130), kick);
        let mut of_solve = Collected::default();
        let kick = of_solve.chain(&[frame("kick")]);
        of_solve.range((0x210, 0x220), kick);
        let mut main = function(1, "main", (0x100, 0x200), vec![], 1);
        main.code.inlined = of_main.finish();
        let mut solve = function(2, "solve", (0x200, 0x300), vec![], 10);
        solve.code.inlined = of_solve.finish();
        let code = module(vec![main, solve]);
        let survey = Run { id: 1, facts: recording(stacks), code: vec![code], ..Run::default() };
        let analysis = crate::analyse(&Facts { surveys: vec![survey], ..Facts::default() });
        analysis.functions.into_iter().map(|each| (each.function, each.inlined)).collect()
    }

    /// Name, self share, total share and samples.
    fn rows(inlined: &[InlinedFunction]) -> Vec<(&str, f64, f64, u64)> {
        inlined
            .iter()
            .map(|each| (each.function.as_str(), each.self_share, each.total_share, each.samples))
            .collect()
    }

    #[test]
    fn time_belongs_to_the_innermost_and_to_all_around_it() {
        let found = found(&[(&[0x105], 1), (&[0x115], 2), (&[0x125], 5)]);
        let [(main, inlined)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(main, "main");
        assert_eq!(rows(inlined), [("step", 0.25, 0.875, 2), ("kick", 0.625, 0.625, 5)]);
    }

    #[test]
    fn what_an_inlined_function_calls_is_in_its_total_time_only() {
        let found = found(&[(&[0x115, 0x205], 3), (&[0x115, 0x215], 1)]);
        let of = |name: &str| &found.iter().find(|(function, _)| function == name).unwrap().1;
        assert_eq!(rows(of("main")), [("step", 0.0, 1.0, 0)]);
        assert_eq!(rows(of("solve")), [("kick", 0.25, 0.25, 1)]);
    }

    #[test]
    fn recursion_counts_once() {
        let found = found(&[(&[0x125, 0x125], 4)]);
        assert_eq!(rows(&found[0].1), [("step", 0.0, 1.0, 0), ("kick", 1.0, 1.0, 4)]);
    }
}
