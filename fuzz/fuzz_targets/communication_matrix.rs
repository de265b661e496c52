//! Communication matrices, lists of hosts and present orders: whatever the text, reading it ends, and what is read can be placed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_placement::{Nodes, Order, Placement, csv, hosts, present, propose, scotch};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let _ = (hosts::expand(&text), hosts::lines(&text), hosts::repeated(&text), present::parse(&text, None));
    let Ok(matrix) = csv::parse(bytes) else { return };
    assert_eq!(csv::parse(csv::write(&matrix).as_bytes()).as_ref(), Ok(&matrix));
    // Searches for larger jobs take too long to be repeated.
    if matrix.ranks() > 64 {
        return;
    }
    let Ok(nodes) = Nodes::uniform(matrix.ranks().div_ceil(4), 4) else { return };
    let Ok(block) = Placement::block(matrix.ranks(), &nodes) else { return };
    let _ = scotch::placement(&matrix, &block.occupied(nodes.len()), &text);
    let found = propose(&matrix, nodes.len(), (Order::Block, block), Vec::new());
    if let Some((one, now)) = found.proposed().zip(found.present()) {
        assert!(one.costs.busiest() < now.costs.busiest());
    }
});
