//! From the sums of stripes to the sums of the whole, for any number of stripes.
//!
//! Counted from the end (the last word is `p = 1`), a word enters the sums `a`, `b`, `c`, `d` with the weights 1, `p`,
//! `C(p+1, 2)`, `C(p+2, 3)` (`C`: binomial coefficient). With `L` stripes of equal length, word `q` from the end of
//! stripe `j` has `p = L q - j`. Each weight is a polynomial in `p`, so it is one in `q`, and a combination of the
//! stripe's own weights 1, `q`, `C(q+1, 2)`, `C(q+2, 3)`. These vanish in turn at `q = 0, -1, -2`, so that the
//! coefficients follow from the polynomial's values there; the derivation is in docs/kernels/fletcher.md:
//!
//! ```text
//! A = sum a_j
//! B = sum L b_j - j a_j
//! C = sum L^2 c_j + (C(j, 2) - C(L+j, 2)) b_j + C(j, 2) a_j
//! D = sum L^3 d_j + (2 C(L+j, 3) - C(2L+j, 3) - C(j, 3)) c_j + (C(L+j, 3) - C(j, 3)) b_j - C(j, 3) a_j
//! ```

/// `C(n, 2)`.
const fn choose2(n: u64) -> u64 {
    n * n.wrapping_sub(1) / 2
}

/// `C(n, 3)` for small `n`.
const fn choose3(n: u64) -> u64 {
    if n < 3 { 0 } else { n * (n - 1) * (n - 2) / 6 }
}

/// What stripe `j` contributes to b, c and d: the factors of its a, b, c and d, row by row.
#[derive(Clone, Copy)]
struct Weights {
    b: [u64; 2],
    c: [u64; 3],
    d: [u64; 4],
}

const fn weights(stripes: u64, j: u64) -> Weights {
    let l = stripes;
    let (g0, g1) = (choose2(j), choose2(l + j));
    let (f0, f1, f2) = (choose3(j), choose3(l + j), choose3(2 * l + j));
    Weights {
        b: [j.wrapping_neg(), l],
        c: [g0, g0.wrapping_sub(g1), l * l],
        d: [f0.wrapping_neg(), f1.wrapping_sub(f0), (2 * f1).wrapping_sub(f2).wrapping_sub(f0), l * l * l],
    }
}

/// The factors of every stripe, computed by the compiler.
struct Table<const L: usize>;

impl<const L: usize> Table<L> {
    const WEIGHTS: [Weights; L] = {
        let mut table = [Weights { b: [0; 2], c: [0; 3], d: [0; 4] }; L];
        let mut j = 0;
        while j < L {
            table[j] = weights(L as u64, j as u64);
            j += 1;
        }
        table
    };
}

/// The sums of the whole from those of its `L` stripes, modulo 2^64. The stripes are of equal length.
#[inline(always)]
pub fn four<const L: usize>(stripes: &[[u64; 4]; L]) -> [u64; 4] {
    let mut sums = [0u64; 4];
    for (&[a, b, c, d], w) in stripes.iter().zip(&Table::<L>::WEIGHTS) {
        let add = |sum: &mut u64, factor: u64, term: u64| *sum = sum.wrapping_add(factor.wrapping_mul(term));
        add(&mut sums[0], 1, a);
        add(&mut sums[1], w.b[0], a);
        add(&mut sums[1], w.b[1], b);
        add(&mut sums[2], w.c[0], a);
        add(&mut sums[2], w.c[1], b);
        add(&mut sums[2], w.c[2], c);
        add(&mut sums[3], w.d[0], a);
        add(&mut sums[3], w.d[1], b);
        add(&mut sums[3], w.d[2], c);
        add(&mut sums[3], w.d[3], d);
    }
    sums
}

/// `C(n+1, 2)` and `C(n+2, 3)` modulo 2^64, for any `n`: the divisions are done before anything can overflow.
fn rising(n: u64) -> (u64, u64) {
    let mut factors = [n, n.wrapping_add(1), n.wrapping_add(2)];
    // u128 keeps n + 1 and n + 2 exact where they exceed 64 bits.
    let exact = [u128::from(n), u128::from(n) + 1, u128::from(n) + 2];
    let triangle = (exact[0] * exact[1] / 2) as u64;
    let even = if n % 2 == 0 { 0 } else { 1 };
    // One of three neighbours is a multiple of 3; when it is the halved one, it is one of 6.
    let third = exact.iter().position(|factor| factor % 3 == 0).unwrap_or(0);
    for (index, factor) in factors.iter_mut().enumerate() {
        let divisor = if index == even { 2 } else { 1 } * if index == third { 3 } else { 1 };
        *factor = (exact[index] / divisor) as u64;
    }
    (triangle, factors[0].wrapping_mul(factors[1]).wrapping_mul(factors[2]))
}

/// The sums of two neighbours, the second `words` long, modulo 2^64: what the first one's sums become while `words`
/// zeros follow, plus the second one's.
pub fn append(first: [u64; 4], second: [u64; 4], words: u64) -> [u64; 4] {
    let [a1, b1, c1, d1] = first;
    let [a2, b2, c2, d2] = second;
    let n = words;
    let (triangle, tetrahedron) = rising(n);
    let times = u64::wrapping_mul;
    let sum = |terms: &[u64]| terms.iter().fold(0, |sum: u64, &term| sum.wrapping_add(term));
    [
        sum(&[a1, a2]),
        sum(&[b1, times(n, a1), b2]),
        sum(&[c1, times(n, b1), times(triangle, a1), c2]),
        sum(&[d1, times(n, c1), times(triangle, b1), times(tetrahedron, a1), d2]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(words: &[u64]) -> [u64; 4] {
        words.iter().fold([0; 4], |[a, b, c, d], &x| {
            let a = a.wrapping_add(x);
            let b = b.wrapping_add(a);
            let c = c.wrapping_add(b);
            [a, b, c, d.wrapping_add(c)]
        })
    }

    fn striped<const L: usize>(words: &[u64]) -> [u64; 4] {
        let stripe = |j| plain(&words.iter().copied().skip(j).step_by(L).collect::<Vec<_>>());
        four::<L>(&std::array::from_fn(stripe))
    }

    proptest! {
        #[test]
        fn stripes_of_any_number_make_the_whole(words in proptest::collection::vec(any::<u64>(), 0..300)) {
            fn check<const L: usize>(words: &[u64]) -> Result<(), TestCaseError> {
                let words = &words[..words.len() / L * L];
                prop_assert_eq!(striped::<L>(words), plain(words), "{} stripes", L);
                Ok(())
            }
            check::<1>(&words)?;
            check::<2>(&words)?;
            check::<3>(&words)?;
            check::<4>(&words)?;
            check::<5>(&words)?;
            check::<8>(&words)?;
            check::<16>(&words)?;
            check::<32>(&words)?;
            check::<64>(&words)?;
        }

        #[test]
        fn neighbours_append(words in proptest::collection::vec(any::<u64>(), 0..200), cut in any::<prop::sample::Index>()) {
            let (first, second) = words.split_at(cut.index(words.len() + 1));
            let appended = append(plain(first), plain(second), second.len() as u64);
            prop_assert_eq!(appended, plain(&words));
        }
    }

    #[test]
    fn four_stripes_have_the_factors_of_the_article() {
        // Guilford and Gopal print them for four lanes: columns of lanes 0 to 3.
        let column = |pick: fn(Weights) -> i64| [0, 1, 2, 3].map(|j| pick(weights(4, j)));
        assert_eq!(column(|w| w.b[0] as i64), [0, -1, -2, -3]);
        assert_eq!(column(|w| w.c[0] as i64), [0, 0, 1, 3]);
        assert_eq!(column(|w| w.c[1] as i64), [-6, -10, -14, -18]);
        assert_eq!(column(|w| w.d[0] as i64), [0, 0, 0, -1]);
        assert_eq!(column(|w| w.d[1] as i64), [4, 10, 20, 34]);
        assert_eq!(column(|w| w.d[2] as i64), [-48, -64, -80, -96]);
        assert_eq!(weights(4, 0).d[3], 64);
    }

    #[test]
    fn lengths_beyond_what_products_hold_are_exact() {
        let big = |n: u64| {
            // The definition with remainders of what is divided later: modulo 2 x 3 x 2^64, by repeated addition.
            let modulus = 6u128 << 64;
            let times = |a: u128, b: u64| {
                let (high, low) = (u128::from(b >> 32), u128::from(b & 0xffff_ffff));
                // a < 2^67: a x 2^32 fits, and so does the sum of both parts after a remainder.
                (a * high % modulus * (1 << 32) + a * low) % modulus
            };
            let product = times(times(u128::from(n), n.wrapping_add(1)), n.wrapping_add(2));
            (product / 6) as u64
        };
        for n in
            [0, 1, 2, 3, 4, 5, 1 << 21, (1 << 32) - 1, 1 << 32, (1 << 40) + 7, u64::MAX - 2, u64::MAX - 3]
        {
            assert_eq!(rising(n).1, big(n), "{n}");
            assert_eq!(rising(n).0, (u128::from(n) * (u128::from(n) + 1) / 2) as u64, "{n}");
        }
    }
}
