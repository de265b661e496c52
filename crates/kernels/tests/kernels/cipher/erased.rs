//! Keys and states leave nothing behind.

use super::{HASHES, bytes};
use loopwright_kernels::Isa;
use loopwright_kernels::internals::cipher::{Keys, Lanes, MOST, ROUND_KEYS};

/// What is left in a value's place once it is dropped.
fn remains<T>(value: T, of: impl Fn(*const T) -> Vec<u8>) -> Vec<u8> {
    let mut place = Box::new(std::mem::MaybeUninit::new(value));
    // SAFETY: the value is there, is dropped once, and its place lives on.
    unsafe { std::ptr::drop_in_place(place.as_mut_ptr()) };
    of(std::hint::black_box(place.as_ptr()))
}

#[test]
fn keys_and_states_are_erased() {
    for hash in HASHES {
        let keys = Keys::new(Isa::best(), hash, &bytes(32, 1), &bytes(20, 2));
        let left = remains(keys, |keys| {
            // SAFETY: arrays of plain numbers, written when the keys were made and since.
            let (encrypt, decrypt, inner, outer) =
                unsafe { ((*keys).encrypt, (*keys).decrypt, (*keys).inner, (*keys).outer) };
            let states = [inner, outer].concat().into_iter().flat_map(u32::to_le_bytes);
            [encrypt, decrypt].concat().concat().into_iter().chain(states).collect()
        });
        assert!(left.len() > 500 && left.iter().all(|&byte| byte == 0));

        let keys = Keys::new(Isa::best(), hash, &bytes(32, 1), &bytes(20, 2));
        let mut used = Lanes::new(14);
        for lane in 0..MOST {
            used.set_state(lane, &keys.inner);
            // SAFETY: the keys are there.
            unsafe { used.set_keys(lane, &keys.encrypt, true) };
        }
        let left = remains(used, |lanes| {
            // SAFETY: all states and all of the table were written.
            unsafe {
                let table = (*lanes).row(0).cast::<[u8; 16 * MOST * ROUND_KEYS]>().read();
                let states = (*lanes).state.concat().into_iter().flat_map(u32::to_le_bytes);
                table.into_iter().chain(states).collect()
            }
        });
        assert!(left.len() > 4000 && left.iter().all(|&byte| byte == 0));
    }
}
