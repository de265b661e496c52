//! Calls of hooked functions in the store: what the binaries say of the places that they come from, and what cannot be.

use loopwright_binary::code::analyze_unlisted;
use loopwright_binary::facts::FunctionCode;
use loopwright_binary::image::{Image, Images};
use loopwright_binary::written::written;
use loopwright_instrument::calls::{Called, Caller, HookedRun};
use std::collections::BTreeMap;
use std::path::Path;

/// Why a run is refused whose times are none.
pub(crate) const NO_TIME: &str = "a time is no number that a run can have";

/// All times of a run, and the others, are numbers that a run can have.
pub(crate) fn are_times<'a>(
    run: &HookedRun,
    calls: impl Iterator<Item = &'a Called>,
    others: impl Iterator<Item = f64>,
) -> bool {
    let own = [run.elapsed_seconds, run.setup_seconds, run.waiting_seconds];
    let times = calls.flat_map(|c| [c.seconds, c.longest_seconds]);
    times.chain(own).chain(others).all(|seconds| seconds.is_finite() && seconds >= 0.0)
}

/// Finds the functions, lines and loops that calls come from.
pub fn locate<'a>(calls: impl IntoIterator<Item = &'a mut Called>, images: &Images) {
    let mut known: BTreeMap<(String, u64), Option<FunctionCode>> = BTreeMap::new();
    for site in calls {
        let Ok(image) = images.open(Path::new(&site.module)) else { continue };
        // The return address is behind the call, and may be the first of another line or function.
        let Some(address) = site.address.checked_sub(1) else { continue };
        let Some(function) = image.function_at(address) else { continue };
        let entry = image.spans(function).next().map_or(address, |span| span.0);
        let code = known
            .entry((site.module.clone(), entry))
            .or_insert_with(|| analyze_unlisted(&image, function).ok());
        site.caller = Some(caller(&image, address, code.as_ref()));
    }
}

fn caller(image: &Image, address: u64, code: Option<&FunctionCode>) -> Caller {
    let place = image.locate(address);
    let loops = code.into_iter().flat_map(|code| &code.loops);
    let around = loops.filter(|l| l.ranges.iter().any(|range| (range.0..range.1).contains(&address)));
    let innermost = around.max_by_key(|l| l.depth);
    let at = place.location.as_ref().map(|own| written(own, &place.inlined));
    let holder = || image.function_at(address).and_then(|f| image.function(f)).map(|f| f.name.clone());
    let function = match at {
        // The function that the inlined ones were inlined into has no frame.
        Some((_, inside)) if inside > 0 => {
            place.inlined.get(inside).map(|frame| frame.function.clone()).or_else(holder)
        }
        _ => place.function.clone(),
    };
    Caller {
        function: function.unwrap_or_default(),
        file: at.map(|(at, _)| at.file.clone()),
        line: at.map_or(0, |(at, _)| at.line),
        header: innermost.map(|l| l.header),
        of_loop: innermost.and_then(|l| {
            let (at, _) = written(l.location.as_ref()?, &l.inlined_from);
            Some((at.file.clone(), at.line))
        }),
    }
}
