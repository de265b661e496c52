//! Memory of callers that must not overlap, for the crates with bindings to other languages.

/// Where memory of a caller begins, and how many bytes it has.
pub type Extent = (usize, usize);

/// The index of one of `writes` that has a byte in common with another of them, or with one of `reads`.
pub fn shared(writes: &[Extent], reads: &[Extent]) -> Option<usize> {
    let end = |(begin, bytes): Extent| begin.saturating_add(bytes);
    let mut order: Vec<usize> = (0..writes.len()).filter(|&index| writes[index].1 > 0).collect();
    order.sort_unstable_by_key(|&index| writes[index].0);
    if let Some(pair) = order.windows(2).find(|pair| end(writes[pair[0]]) > writes[pair[1]].0) {
        return Some(pair[1]);
    }
    // No two overlap, so they end in the order in which they begin.
    reads.iter().filter(|read| read.1 > 0).find_map(|read| {
        let &index = order.get(order.partition_point(|&index| end(writes[index]) <= read.0))?;
        (writes[index].0 < end(*read)).then_some(index)
    })
}

#[test]
fn memory_that_is_shared_is_found() {
    let writes = [(100, 10), (50, 10), (60, 40), (0, 0), (55, 0)];
    assert_eq!(shared(&writes, &[(0, 50), (110, 5), (105, 0)]), None);
    assert_eq!(shared(&writes, &[(0, 50), (109, 5)]), Some(0));
    assert_eq!(shared(&writes, &[(0, 500)]), Some(1));
    assert_eq!(shared(&writes, &[(61, 1)]), Some(2));
    assert_eq!(shared(&[(100, 10), (50, 51)], &[]), Some(0));
    assert_eq!(shared(&[], &[(0, 1)]), None);
}
