//! Measures [`Costs`] on the machine at hand.
//!
//! Each cost is a slope: the same work with few and with many of the thing, so that what both have drops out. Of
//! repeated times the shortest counts, since others only ever add to it. Data is in the first cache, except where bytes
//! are what is measured.

use super::costs::{Costs, TypeCosts};
use super::dispatch::Element;
use super::element::Number;
use super::interleaved;
use super::matrix::SparseMatrix;
use super::sell::Sell;
use super::tiles::{DENSE, FIRST_BITS, Head, Line, Tiles, WIDEST, WIDTHS};
use super::windows::{Shape, Windows};
use crate::isa::Isa;
use std::hint::black_box;
use std::time::Instant;

/// Costs below this are noise: nothing takes less than a tenth of a cycle.
const LEAST: f64 = 0.02;

/// Measures every level that can run here; what cannot keeps its default. Takes about a second.
pub fn measure() -> Costs {
    let mut costs = Costs::default();
    for isa in Isa::available() {
        *costs.of_mut(isa, f32::KIND) = types::<f32>(isa);
        *costs.of_mut(isa, f64::KIND) = types::<f64>(isa);
        *costs.of_mut(isa, i16::KIND) = types::<i16>(isa);
    }
    // The middle of each cache's range, and well beyond the last.
    let caches = costs.cache_bytes;
    let sizes = [caches[0] / 2, caches[1] / 2, caches[2] / 2, 4 * caches[2]];
    costs.byte = sizes.map(|size| byte(size as usize));
    // What is farther cannot be cheaper.
    for level in 1..4 {
        costs.byte[level] = costs.byte[level].max(costs.byte[level - 1]);
    }
    costs
}

/// Nanoseconds that `work` takes at least.
fn shortest(mut work: impl FnMut()) -> f64 {
    const SAMPLES: usize = 9;
    const SAMPLE: f64 = 20e3;
    let mut time = |repeats: u32| {
        let begin = Instant::now();
        (0..repeats).for_each(|_| work());
        begin.elapsed().as_secs_f64() * 1e9
    };
    let mut repeats = 1;
    while time(repeats) < SAMPLE && repeats < 1 << 20 {
        repeats *= 2;
    }
    (0..SAMPLES).map(|_| time(repeats)).fold(f64::INFINITY, f64::min) / f64::from(repeats)
}

/// Columns of the matrices that are measured: `x` stays in the first cache.
const COLS: usize = 1024;

fn types<T: Element>(isa: Isa) -> TypeCosts {
    let x = vec![T::from_number(1.0).unwrap_or_default(); COLS];
    let product = |tiles: &Tiles<T>| {
        let mut y = vec![T::Sum::default(); tiles.rows];
        shortest(|| T::tiles(isa, tiles, &x, black_box(&mut y), false))
    };
    // Tiles of all columns, with the slots that `slots` gives each.
    let row = |bits: u8, count: usize, slots: &dyn Fn(usize) -> u16| {
        let mut tiles = Tiles::<T>::new(T::ROWS, COLS);
        for tile in 0..count {
            let column = (tile * 64 % COLS) as u32;
            tiles.push(Head { column, slots: slots(tile), bits }, &[]);
        }
        tiles.end_strip();
        product(&tiles)
    };
    const TILES: usize = 12;
    let slope = |few: f64, many: f64, between: usize| ((many - few) / between as f64).max(LEAST);

    let dense = |lines: u16| row(DENSE, TILES, &|_| lines);
    let line = slope(dense(8), dense(32), 24 * TILES);
    let mut slot = [0.0; 4];
    let mut tile = f64::INFINITY;
    for (width, slot) in slot.iter_mut().enumerate() {
        let bits = width as u8 + FIRST_BITS;
        // As many as the narrowest tile can need, so that all widths are measured alike.
        let most = (WIDTHS[0] / T::PER_ROW) as u16;
        let (few, many) = (row(bits, TILES, &|_| 1), row(bits, TILES, &|_| most));
        *slot = slope(few, many, usize::from(most - 1) * TILES);
        tile = tile.min(few / TILES as f64 - *slot);
    }
    // Jumps that repeat in no period that a processor learns, against ones that do.
    const MANY: usize = 2048;
    let pattern = |tile: usize| (tile as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40 & 1;
    let same = row(5, MANY, &|_| 2);
    let varied = row(5, MANY, &|tile| 1 + 2 * pattern(tile) as u16);
    let switch = slope(same, varied, MANY / 2);

    let sell = |length: usize| {
        let matrix = even::<T>(4 * T::ROWS, length);
        let sell = Sell::pack(&matrix, 1);
        let mut y = vec![T::Sum::default(); matrix.rows()];
        shortest(|| T::sell(isa, &sell, &x, black_box(&mut y), false))
    };
    let (few, many) = (sell(8), sell(40));
    let sell_line = slope(few, many, 4 * 32);
    let sell_chunk = (few / 4.0 - 8.0 * sell_line).max(LEAST);
    let csr = |length: usize| {
        let matrix = even::<T>(32, length);
        let mut y = vec![T::Sum::default(); matrix.rows()];
        shortest(|| T::csr(isa, &matrix, &x, black_box(&mut y), false))
    };
    let (short, long) = (csr(16), csr(112));
    let csr_element = slope(short, long, 32 * 96);
    let block = |length: usize| {
        let matrix = even::<T>(32, length);
        let (count, one) = (interleaved::lanes::<T>(), T::from_number(1.0).unwrap_or_default());
        let x = vec![one; count * COLS];
        let mut y = vec![T::Sum::default(); count * matrix.rows()];
        shortest(|| T::interleaved(isa, &matrix, count, &x, black_box(&mut y), false))
    };
    let (few, many) = (block(16), block(112));
    let block_element = slope(few, many, 32 * 96);
    let turned = (interleaved::lanes::<T>() * (32 + COLS)) as f64;
    let block_turn = ((few - 32.0 * 16.0 * block_element) / turned).max(LEAST);
    let window = windows::<T>(isa, &x, &mut slot);
    TypeCosts {
        slot,
        line,
        tile: tile.max(LEAST),
        window,
        switch,
        sell_line,
        sell_chunk,
        csr_element,
        csr_row: (short / 32.0 - 16.0 * csr_element).max(LEAST),
        block_element,
        block_turn,
    }
}

/// Nanoseconds that a window takes beside its slots, by width; widths that the level has no shapes of are like the next
/// narrower one. Slots that take less in windows than `slot` says are put right.
fn windows<T: Element>(isa: Isa, x: &[T], slot: &mut [f64; 4]) -> [f64; 4] {
    const BLOCKS: usize = 12;
    let time = |shape: Shape, blocks: usize| {
        let windows = blocks * shape.windows::<T>();
        // Windows advance by less than their width, and begin anywhere.
        let columns = (0..windows).map(|window| (window * 11 % (COLS - WIDEST)) as u32).collect();
        let lines = vec![Line::ZERO; blocks * shape.lines::<T>()];
        let matrix = Windows::from_parts(T::ROWS, COLS, shape, vec![0, blocks as u32], columns, lines);
        let mut y = vec![T::Sum::default(); T::ROWS];
        let once = |matrix| shortest(|| T::windows(isa, &matrix, x, black_box(&mut y), false));
        matrix.map_or(f64::INFINITY, once)
    };
    let each = |shape: Shape| {
        (time(shape, 3 * BLOCKS) - time(shape, BLOCKS)) / (2 * BLOCKS * shape.windows::<T>()) as f64
    };
    let mut last = LEAST;
    std::array::from_fn(|width| {
        let mut shapes: Vec<Shape> =
            T::shapes(isa).iter().copied().filter(|s| usize::from(s.bits - FIRST_BITS) == width).collect();
        shapes.sort_by_key(|shape| shape.slots);
        let [few, rest @ ..] = shapes.as_slice() else { return last };
        let of_few = each(*few);
        if let Some(many) = rest.last() {
            let slope = (each(*many) - of_few) / f64::from(many.slots - few.slots);
            slot[width] = slot[width].min(slope.max(LEAST));
        }
        last = (of_few - f64::from(few.slots) * slot[width]).max(LEAST);
        last
    })
}

/// A matrix with `length` elements in each row, scattered.
fn even<T: Element>(rows: usize, length: usize) -> SparseMatrix<T> {
    let one = T::from_number(1.0).unwrap_or_default();
    let elements: Vec<(u32, u32, T)> = (0..rows * length)
        .map(|place| {
            let (row, number) = (place / length, place % length);
            // An odd step meets every column once.
            ((row) as u32, ((row * 37 + number * 389) % COLS) as u32, one)
        })
        .collect();
    // The places differ and are within the matrix: nothing is refused.
    SparseMatrix::from_triplets(rows, COLS, &elements).unwrap_or_else(|_| SparseMatrix::empty(rows, COLS))
}

/// Nanoseconds per byte of values that are read in order from `size` bytes.
fn byte(size: usize) -> f64 {
    let isa = Isa::best();
    let strips = (size / 64 / COLS).max(1);
    let mut tiles = Tiles::<f32>::new(strips * f32::ROWS, COLS);
    for _ in 0..strips {
        for column in (0..COLS as u32).step_by(64) {
            tiles.push(Head { column, slots: 64, bits: DENSE }, &[]);
        }
        tiles.end_strip();
    }
    let x = vec![1.0; COLS];
    let mut y = vec![0.0; tiles.rows];
    <f32 as super::dispatch::Kernels>::tiles(isa, &tiles, &x, &mut y, false);
    let time =
        shortest(|| <f32 as super::dispatch::Kernels>::tiles(isa, &tiles, &x, black_box(&mut y), false));
    time / (64 * tiles.lines.len()) as f64
}
