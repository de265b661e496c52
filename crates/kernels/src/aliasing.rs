//! The relative position of two ranges of memory.

/// What a destination and a source have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aliasing {
    /// No byte.
    Disjoint,
    /// Every byte: element `i` of one is element `i` of the other.
    Same,
    /// Some bytes, or all of them shifted: a write would change elements that are still to be read.
    Partial,
}

/// The aliasing of two ranges of `bytes` that begin at `a` and at `b`.
pub(crate) fn aliasing<A, B>(a: *const A, b: *const B, bytes: usize) -> Aliasing {
    let (a, b) = (a.addr(), b.addr());
    if bytes == 0 || a.abs_diff(b) >= bytes {
        Aliasing::Disjoint
    } else if a == b {
        Aliasing::Same
    } else {
        Aliasing::Partial
    }
}

#[test]
fn shifted_ranges_overlap() {
    let bytes = [0u8; 16];
    let p = bytes.as_ptr();
    assert_eq!(aliasing(p, p, 8), Aliasing::Same);
    assert_eq!(aliasing(p, p, 0), Aliasing::Disjoint);
    assert_eq!(aliasing(p, p.wrapping_add(8), 8), Aliasing::Disjoint);
    assert_eq!(aliasing(p.wrapping_add(8), p, 8), Aliasing::Disjoint);
    assert_eq!(aliasing(p, p.wrapping_add(7), 8), Aliasing::Partial);
    assert_eq!(aliasing(p.wrapping_add(1), p, 8), Aliasing::Partial);
}
