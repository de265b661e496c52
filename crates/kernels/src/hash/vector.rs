//! Vector types as [`Lanes`](super::lanes::Lanes): one macro for every level and width.

/// Gives a vector type the operations of [`Lanes`](super::lanes::Lanes).
///
/// Part `p` of 128 bits of a vector holds `16 / size_of::<Word>()` lanes, which are transposed within it. `logic` is one
/// instruction for any function of three bits (`ternary`), or several.
macro_rules! vector {
    (
        $name:ident($vector:ty) of $word:ty as $signed:ty, lanes $lanes:literal, keep $keep:path,
        splat $splat:ident, load $load:ident, store $store:ident, add $add:ident, xor $xor:ident,
        shift $shr:ident, bytes $shuffle:ident, zero $zero:ident,
        rotate $rotate:ident($($rotation:ident),+), logic $logic:ident($($operation:ident),+),
        first $first:ident, insert [$($piece:literal $insert:ident),*],
        unpack [$low32:ident $high32:ident $low64:ident $high64:ident], order $order:path
    ) => {
        #[derive(Clone, Copy)]
        pub struct $name($vector);

        // The methods' caller has the level: `Lanes` demands it.
        impl $crate::hash::lanes::Lanes for $name {
            type Word = $word;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(word: $word) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $splat(word as $signed) })
            }
            #[inline(always)]
            unsafe fn load(from: *const $word) -> Self {
                // SAFETY: the caller has the level and as many words there.
                $name(unsafe { $load(from.cast()) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $word) {
                // SAFETY: the caller has the level and as many words there.
                unsafe { $store(to.cast(), self.0) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn ror<const N: i32>(self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $crate::hash::vector::rotate!($rotate, $word, self.0, N, $($rotation),+) })
            }
            #[inline(always)]
            unsafe fn shr<const N: i32>(self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $shr(self.0, _mm_cvtsi32_si128(N)) })
            }
            #[inline(always)]
            unsafe fn xor(self, other: Self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $xor(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn xor3(a: Self, b: Self, c: Self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $crate::hash::vector::logic!(xor3, $logic, a.0, b.0, c.0, $($operation),+) })
            }
            #[inline(always)]
            unsafe fn choose(mask: Self, yes: Self, no: Self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe {
                    $crate::hash::vector::logic!(choose, $logic, mask.0, yes.0, no.0, $($operation),+)
                })
            }
            #[inline(always)]
            unsafe fn add_chosen(self, mask: Self, yes: Self, no: Self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe {
                    $crate::hash::vector::logic!(
                        add_chosen, $logic, self.0, mask.0, yes.0, no.0, $add, $keep, $($operation),+
                    )
                })
            }
            #[inline(always)]
            unsafe fn majority(a: Self, b: Self, c: Self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $crate::hash::vector::logic!(majority, $logic, a.0, b.0, c.0, $($operation),+) })
            }
            #[inline(always)]
            unsafe fn odd_one(b: Self, c: Self, d: Self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $crate::hash::vector::logic!(odd_one, $logic, b.0, c.0, d.0, $($operation),+) })
            }
            #[inline(always)]
            unsafe fn keep(self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $keep(self.0) })
            }
            #[inline(always)]
            unsafe fn stage(staged: *mut u8, lane: usize, row: *const u8) {
                /// Lanes within 128 bits.
                const ACROSS: usize = 16 / size_of::<$word>();
                // SAFETY: the caller has the level and a block at `row`; the lane's pieces lie within the stage.
                unsafe {
                    let to = staged.add((lane % ACROSS * $lanes + lane / ACROSS * ACROSS) * size_of::<$word>());
                    for quad in 0..16 / ACROSS {
                        let piece = _mm_loadu_si128(row.add(16 * quad).cast());
                        _mm_store_si128(to.add(quad * ACROSS * size_of::<$vector>()).cast(), piece);
                    }
                }
            }
            #[inline(always)]
            unsafe fn words<const BIG: bool, const STAGED: bool>(
                words: *mut Self,
                staged: *const u8,
                rows: *const *const u8,
                part: usize,
            ) {
                /// Lanes within 128 bits.
                const ACROSS: usize = 16 / size_of::<$word>();
                // SAFETY: the caller has the level, the blocks of every lane, staged or not, and room for 16 words.
                unsafe {
                    // No closures here, nor in the compression functions: one that is not inlined lacks the level's
                    // instructions, and then every operation is a call.
                    let words = words.add(ACROSS * part);
                    // Part p of 128 bits of column i belongs to lane `ACROSS p + i`.
                    let mut columns = [$zero(); ACROSS];
                    for (i, column) in columns.iter_mut().enumerate() {
                        let v = if STAGED {
                            $load(staged.cast::<$vector>().add(part * ACROSS + i).cast())
                        } else {
                            let v = $first(_mm_loadu_si128((*rows.add(i)).add(16 * part).cast()));
                            $(
                                let piece = (*rows.add(ACROSS * $piece + i)).add(16 * part);
                                let v = $insert::<$piece>(v, _mm_loadu_si128(piece.cast()));
                            )*
                            v
                        };
                        *column = if BIG { $shuffle(v, $order()) } else { v };
                    }
                    let (v0, v1) = (columns[0], columns[1]);
                    if ACROSS == 4 {
                        let (v2, v3) = (columns[ACROSS - 2], columns[ACROSS - 1]);
                        let (a, b) = ($low32(v0, v1), $low32(v2, v3));
                        words.write($name($low64(a, b)));
                        words.add(1).write($name($high64(a, b)));
                        let (a, b) = ($high32(v0, v1), $high32(v2, v3));
                        words.add(2).write($name($low64(a, b)));
                        words.add(3).write($name($high64(a, b)));
                    } else {
                        words.write($name($low64(v0, v1)));
                        words.add(1).write($name($high64(v0, v1)));
                    }
                }
            }
            #[inline(always)]
            unsafe fn word(words: *const Self, _: *const u8, i: usize) -> Self {
                // SAFETY: the caller has 16 words.
                unsafe { words.add(i).read() }
            }
        }
    };
}
pub(super) use vector;

/// A rotation: one instruction of AVX-512, or two shifts.
macro_rules! rotate {
    (one, $word:ty, $v:expr, $n:ident, $ror:ident) => {
        $ror::<$n>($v)
    };
    (shifts, $word:ty, $v:expr, $n:ident, $shr:ident, $shl:ident, $or:ident) => {
        // Counts in registers become immediate ones, for the optimiser sees that they are constant; a generic
        // constant cannot be subtracted from another.
        $or($shr($v, _mm_cvtsi32_si128($n)), $shl($v, _mm_cvtsi32_si128(<$word>::BITS as i32 - $n)))
    };
}
pub(super) use rotate;

/// A function of three bits: one instruction of AVX-512 with the function's table, or several.
macro_rules! logic {
    (xor3, ternary, $a:expr, $b:expr, $c:expr, $ternary:ident) => {
        $ternary::<0x96>($a, $b, $c)
    };
    (choose, ternary, $a:expr, $b:expr, $c:expr, $ternary:ident) => {
        $ternary::<0xca>($a, $b, $c)
    };
    (
        add_chosen, ternary, $sum:expr, $mask:expr, $yes:expr, $no:expr, $add:ident, $keep:path, $ternary:ident
    ) => {
        $add($keep($sum), $ternary::<0xca>($mask, $yes, $no))
    };
    (
        add_chosen, several, $sum:expr, $mask:expr, $yes:expr, $no:expr, $add:ident, $keep:path,
        $and:ident, $andnot:ident, $or:ident, $xor:ident, $ones:ident
    ) => {
        // No bit is in both parts: their sum is their union.
        $add($keep($add($sum, $andnot($mask, $no))), $and($mask, $yes))
    };
    (majority, ternary, $a:expr, $b:expr, $c:expr, $ternary:ident) => {
        $ternary::<0xe8>($a, $b, $c)
    };
    (odd_one, ternary, $a:expr, $b:expr, $c:expr, $ternary:ident) => {
        $ternary::<0x39>($a, $b, $c)
    };
    (xor3, several, $a:expr, $b:expr, $c:expr, $and:ident, $andnot:ident, $or:ident, $xor:ident, $ones:ident) => {
        $xor($xor($a, $b), $c)
    };
    (choose, several, $a:expr, $b:expr, $c:expr, $and:ident, $andnot:ident, $or:ident, $xor:ident, $ones:ident) => {
        $xor($c, $and($a, $xor($b, $c)))
    };
    (majority, several, $a:expr, $b:expr, $c:expr, $and:ident, $andnot:ident, $or:ident, $xor:ident, $ones:ident) => {
        $or($and($a, $b), $and($c, $or($a, $b)))
    };
    (odd_one, several, $b:expr, $c:expr, $d:expr, $and:ident, $andnot:ident, $or:ident, $xor:ident, $ones:ident) => {
        $xor($c, $or($b, $xor($d, $ones(-1))))
    };
}
pub(super) use logic;
