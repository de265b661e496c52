//! PKCS#7 padding: n bytes of value n, 1 to 16 of them (RFC 5652, section 6.3).

use subtle::{Choice, ConstantTimeEq, ConstantTimeGreater};

/// Appends padding to the next multiple of 16 bytes.
pub fn pad(data: &mut Vec<u8>) {
    let count = 16 - data.len() % 16;
    data.resize(data.len() + count, count as u8);
}

/// The number of bytes before the padding, or `None` where it is none. What the bytes are changes no step but the last.
pub fn unpadded(data: &[u8]) -> Option<usize> {
    let last = data.last_chunk::<16>()?;
    let count = last[15];
    let mut right = !count.ct_eq(&0) & !count.ct_gt(&16);
    for (index, byte) in last.iter().enumerate() {
        // The byte belongs to the padding where fewer than `count` bytes follow it.
        let padding = count.ct_gt(&(15 - index as u8));
        right &= !padding | byte.ct_eq(&count);
    }
    let _: Choice = right;
    bool::from(right).then(|| data.len() - usize::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_goes_there_and_back() {
        for len in 0..50 {
            let mut data = vec![0x10; len];
            pad(&mut data);
            assert!(data.len() > len && data.len() <= len + 16 && data.len() % 16 == 0);
            assert_eq!(unpadded(&data), Some(len));
        }
    }

    #[test]
    fn what_is_no_padding_is_refused() {
        let with = |bytes: &[u8]| {
            let mut block = [7; 16];
            block[16 - bytes.len()..].copy_from_slice(bytes);
            unpadded(&block)
        };
        assert_eq!(unpadded(&[]), None);
        assert_eq!(with(&[0]), None);
        assert_eq!(with(&[17]), None);
        assert_eq!(with(&[0xff]), None);
        assert_eq!(with(&[2]), None);
        assert_eq!(with(&[2, 3, 3]), None);
        assert_eq!(with(&[1, 3, 2, 3]), None);
        assert_eq!(with(&[1]), Some(15));
        assert_eq!(with(&[2, 2]), Some(14));
        assert_eq!(with(&[16; 16]), Some(0));
        let mut almost = [16; 16];
        almost[0] = 15;
        assert_eq!(unpadded(&almost), None);
    }
}
