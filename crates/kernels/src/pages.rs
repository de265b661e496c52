//! Large pages for what is read again and again.
//!
//! A processor fetches ahead only within a page, and knows the places of some thousand pages by heart. Of arrays of many
//! megabytes small pages take up to a quarter of the time (docs/kernels/semi-sparse.md), and how much differs from one place in
//! memory to another.

/// Below this arrays stay near the processor, where pages matter little.
const LEAST: usize = 4 << 20;

/// Moves the items into large pages where there are many of them and the system has such pages to give. They keep their addresses.
pub fn enlarge<T>(items: &mut [T]) {
    if size_of_val(items) >= LEAST {
        advise(items.as_mut_ptr().cast(), size_of_val(items));
    }
}

#[cfg(target_os = "linux")]
fn advise(begin: *mut u8, length: usize) {
    /// The smallest pages: where they are larger this is refused, and nothing happens.
    const PAGE: usize = 4096;
    /// Collapses small pages at once, from Linux 6.1 on; before, the advice has the kernel do it when it gets to it.
    const MADV_COLLAPSE: libc::c_int = 25;
    let skipped = begin.align_offset(PAGE);
    let whole = length.saturating_sub(skipped) / PAGE * PAGE;
    for advice in [libc::MADV_HUGEPAGE, MADV_COLLAPSE] {
        // SAFETY: the pages are within memory that the caller has; neither advice changes what is in them.
        unsafe { libc::madvise(begin.wrapping_add(skipped).cast(), whole, advice) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_begin: *mut u8, _length: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stay_as_they_are() {
        for count in [0, 1, LEAST / 4 - 1, LEAST / 4, LEAST / 4 + 1, LEAST] {
            let mut items: Vec<u32> = (0..count as u32).collect();
            enlarge(&mut items);
            assert!(items.iter().copied().eq(0..count as u32));
        }
    }
}
