//! Which of several elements change an answer: sets of them that change it together and of which none can be left out.
//!
//! Elements are set one way or the other in one version of the program, and a run says whether its answer differs. Bisection finds the
//! smallest beginning of the list that differs; its last element is a culprit. Where it does not differ alone, what it needs is found in
//! the same way among those before it. Then the search goes on without what was found, until the rest gives the right answer: with one
//! culprit of n elements that takes about log2(n) + 2 runs (the bisection of FLiT, Sawaya et al., IISWC 2017, for sets in place of
//! single elements).

/// Sets of culprits, as far as the search came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found<H> {
    /// Each set changes the answer, in the order in which they were found.
    pub sets: Vec<Vec<usize>>,
    /// Why the search ended before all were found.
    pub halted: Option<H>,
}

/// All sets among `count` elements that differ together; `differs` is asked for numbers of elements, ascending.
pub(crate) fn culprits<H>(count: usize, mut differs: impl FnMut(&[usize]) -> Result<bool, H>) -> Found<H> {
    let mut sets = Vec::new();
    let mut open: Vec<usize> = (0..count).collect();
    let mut same = 0;
    loop {
        match one(&open, same, &mut differs) {
            Ok((set, begins)) => {
                open.retain(|element| !set.contains(element));
                // What comes before a culprit gives the right answer, with or without what it needed.
                same = begins + 1 - set.len();
                sets.push(set);
            }
            Err(halted) => return Found { sets, halted: Some(halted) },
        }
        if open.is_empty() {
            return Found { sets, halted: None };
        }
        match differs(&open) {
            Ok(true) => {}
            Ok(false) => return Found { sets, halted: None },
            Err(halted) => return Found { sets, halted: Some(halted) },
        }
    }
}

/// One set among elements that differ together, and how many elements come before its last one; the first `same` do not differ.
fn one<H>(
    all: &[usize],
    same: usize,
    differs: &mut impl FnMut(&[usize]) -> Result<bool, H>,
) -> Result<(Vec<usize>, usize), H> {
    let end = smallest(all, &[], same, differs)?;
    let mut set = vec![all[end - 1]];
    let mut context = &all[..end - 1];
    while !context.is_empty() && !differs(&set)? {
        let end = smallest(context, &set, 0, differs)?;
        set.push(context[end - 1]);
        set.sort_unstable();
        context = &context[..end - 1];
    }
    Ok((set, end - 1))
}

/// The length of the smallest beginning that differs together with `with`; all of it does, the first `same` do not.
fn smallest<H>(
    all: &[usize],
    with: &[usize],
    same: usize,
    differs: &mut impl FnMut(&[usize]) -> Result<bool, H>,
) -> Result<usize, H> {
    let (mut same, mut other) = (same, all.len());
    while other - same > 1 {
        let middle = same.midpoint(other);
        let mut asked = [&all[..middle], with].concat();
        asked.sort_unstable();
        if differs(&asked)? { other = middle } else { same = middle }
    }
    Ok(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Searches among `count` elements of which each of `sets` changes the answer: what is found, and the number of runs.
    fn search(count: usize, sets: &[Vec<usize>]) -> (Vec<Vec<usize>>, u32) {
        let runs = Cell::new(0);
        let found = culprits::<()>(count, |on| {
            runs.set(runs.get() + 1);
            assert!(on.is_sorted());
            Ok(sets.iter().any(|set| set.iter().all(|one| on.contains(one))))
        });
        assert_eq!(found.halted, None);
        (found.sets, runs.get())
    }

    /// Numbers without a period that the search could follow.
    fn random(state: &mut u64, below: usize) -> usize {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize % below
    }

    #[test]
    fn every_single_culprit_is_found_in_about_log_n_runs() {
        let (mut state, mut runs, mut searches) = (7, 0, 0);
        for _ in 0..300 {
            let files = 1 + random(&mut state, 32);
            let culprit = random(&mut state, files);
            let (found, took) = search(files, &[vec![culprit]]);
            assert_eq!(found, [[culprit]], "of {files}");
            runs += took;
            searches += 1;
        }
        assert!(f64::from(runs) / f64::from(searches) < 7.0, "{runs} runs in {searches} searches");
    }

    #[test]
    fn several_culprits_and_those_that_need_each_other_are_all_found() {
        let mut state = 3;
        for _ in 0..300 {
            let count = 6 + random(&mut state, 30);
            let mut free: Vec<usize> = (0..count).collect();
            let mut sets: Vec<Vec<usize>> = Vec::new();
            for _ in 0..=random(&mut state, 3) {
                let size = 1 + random(&mut state, 2);
                let mut set: Vec<usize> =
                    (0..size).map(|_| free.remove(random(&mut state, free.len()))).collect();
                set.sort_unstable();
                sets.push(set);
            }
            let (mut found, _) = search(count, &sets);
            sets.sort();
            found.sort();
            assert_eq!(found, sets, "of {count}");
        }
    }

    #[test]
    fn what_was_found_is_kept_when_the_search_must_end() {
        let mut left = 8;
        let found = culprits(16, |on| {
            left -= 1;
            if left == 0 { Err("no time") } else { Ok(on.contains(&3) || on.contains(&12)) }
        });
        assert_eq!(found.sets, [[3]]);
        assert_eq!(found.halted, Some("no time"));
    }
}
