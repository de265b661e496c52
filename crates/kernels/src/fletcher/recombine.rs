//! From the sums of stripes to the sums of the whole, for any number of stripes.
//!
//! Counted from the end (the last word is `p = 1`), a word enters the sums `a`, `b`, `c`, `d` with the weights 1, `p`,
//! `C(p+1, 2)`, `C(p+2, 3)` (`C`: binomial coefficient). With `L` stripes of equal length, word `q` from the end of
//! stripe `j` has `p = L q - j`. Each weight is a polynomial in `p`, so it is one in `q`, and a combination of the
//! stripe's own weights 1, `q`, `C(q+1, 2)`, `C(q+2, 3)`. The factors turn out to be polynomials in `j`
//! (docs/kernels/fletcher.md derives them), so that only the stripes' moments are needed:
//!
//! ```text
//! A = sum a_j
//! B = L sum b_j - sum j a_j
//! C = L^2 sum c_j - (C(L, 2) sum b_j + L sum j b_j) + sum C(j, 2) a_j
//! D = L^3 sum d_j - L^2 ((L - 1) sum c_j + sum j c_j)
//!     + (C(L, 3) sum b_j + C(L, 2) sum j b_j + L sum C(j, 2) b_j) - sum C(j, 3) a_j
//! ```

/// Sums of sums, from the last stripe to the first: of values `x_j` the moments `sum x_j`, `sum j x_j`,
/// `sum C(j, 2) x_j` .., by additions alone.
#[inline(always)]
fn take<const M: usize>(moments: &mut [u64; M], x: u64) {
    for m in (1..M).rev() {
        moments[m] = moments[m].wrapping_add(moments[m - 1]);
    }
    moments[0] = moments[0].wrapping_add(x);
}

/// The sums of the whole from those of its `L` stripes, modulo 2^64. The stripes are of equal length.
#[inline(always)]
pub fn four<const L: usize>(stripes: &[[u64; 4]; L]) -> [u64; 4] {
    let (mut a, mut b, mut c, mut d) = ([0u64; 4], [0u64; 3], [0u64; 2], [0u64; 1]);
    for stripe in stripes.iter().rev() {
        take(&mut a, stripe[0]);
        take(&mut b, stripe[1]);
        take(&mut c, stripe[2]);
        take(&mut d, stripe[3]);
    }
    let l = L as u64;
    let (choose2, choose3) = (l * (l - 1) / 2, l * (l - 1) * (l.max(2) - 2) / 6);
    let times = u64::wrapping_mul;
    let sum = |terms: &[u64]| terms.iter().fold(0, |sum: u64, &term| sum.wrapping_add(term));
    let minus = u64::wrapping_neg;
    [
        a[0],
        sum(&[times(l, b[0]), minus(a[1])]),
        sum(&[times(l * l, c[0]), minus(times(choose2, b[0])), minus(times(l, b[1])), a[2]]),
        sum(&[
            times(l * l * l, d[0]),
            minus(times(l * l * (l - 1), c[0])),
            minus(times(l * l, c[1])),
            times(choose3, b[0]),
            times(choose2, b[1]),
            times(l, b[2]),
            minus(a[3]),
        ]),
    ]
}

/// `C(n+1, 2)` and `C(n+2, 3)` modulo 2^64, for any `n`: the divisions are done before anything can overflow.
fn rising(n: u64) -> (u64, u64) {
    let mut factors = [n, n.wrapping_add(1), n.wrapping_add(2)];
    // u128 keeps n + 1 and n + 2 exact where they exceed 64 bits.
    let exact = [u128::from(n), u128::from(n) + 1, u128::from(n) + 2];
    let triangle = (exact[0] * exact[1] / 2) as u64;
    let even = (n % 2) as usize;
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
        // Guilford and Gopal print them for four lanes: what lane j's sum adds to (A, B, C, D).
        let factors = |sum: usize, j: usize| {
            let mut stripes = [[0; 4]; 4];
            stripes[j][sum] = 1;
            four(&stripes).map(|word| word as i64)
        };
        assert_eq!(
            [0, 1, 2, 3].map(|j| factors(0, j)),
            [[1, 0, 0, 0], [1, -1, 0, 0], [1, -2, 1, 0], [1, -3, 3, -1]]
        );
        assert_eq!(
            [0, 1, 2, 3].map(|j| factors(1, j)),
            [[0, 4, -6, 4], [0, 4, -10, 10], [0, 4, -14, 20], [0, 4, -18, 34]]
        );
        assert_eq!(
            [0, 1, 2, 3].map(|j| factors(2, j)),
            [[0, 0, 16, -48], [0, 0, 16, -64], [0, 0, 16, -80], [0, 0, 16, -96]]
        );
        assert_eq!([0, 1, 2, 3].map(|j| factors(3, j)), [[0, 0, 0, 64]; 4]);
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
