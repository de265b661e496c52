//! The functions against their standards, the reference and other implementations: every level, every length around
//! blocks, every way to submit, ends of memory.

use crate::guarded::{At, Guarded};
use loopwright_kernels::Isa;
use loopwright_kernels::hash::*;
use loopwright_kernels::internals::hash::{Plan, hash_by};
use proptest::prelude::*;

/// Bytes without a pattern.
fn bytes(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    (0..len)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        })
        .collect()
}

/// What a function's digest should be: by the reference, and by the RustCrypto crate.
trait Oracle: Algorithm {
    fn reference(message: &[u8]) -> Self::Digest;
    fn other(message: &[u8]) -> Vec<u8>;
}

macro_rules! oracle {
    ($name:ident, $reference:ident, $other:path) => {
        impl Oracle for $name {
            fn reference(message: &[u8]) -> Self::Digest {
                reference::$reference(message)
            }
            fn other(message: &[u8]) -> Vec<u8> {
                <$other as sha2::Digest>::digest(message).to_vec()
            }
        }
    };
}
oracle!(Md5, md5, md5::Md5);
oracle!(Sha1, sha1, ::sha1::Sha1);
oracle!(Sha256, sha256, sha2::Sha256);
oracle!(Sha512, sha512, sha2::Sha512);

/// Runs a test for each function.
macro_rules! each {
    ($test:ident $(, $argument:expr)*) => {
        $test::<Md5>($($argument),*);
        $test::<Sha1>($($argument),*);
        $test::<Sha256>($($argument),*);
        $test::<Sha512>($($argument),*);
    };
}

#[test]
fn answers_of_the_standards() {
    // RFC 1321, A.5; FIPS 180-4's examples (one block, two blocks, a million times "a").
    fn holds<A: Algorithm<Digest = Digest<N>>, const N: usize>(message: &[u8], expected: &str) {
        for isa in Isa::available() {
            assert_eq!(hash_with::<A>(isa, message).unwrap().to_string(), expected, "{}, {isa}", A::NAME);
            let mut digests = [Digest([0; N]); 40];
            hash_many_with::<A>(isa, &[message; 40], &mut digests).unwrap();
            assert!(digests.iter().all(|digest| digest.to_string() == expected), "{}, {isa}", A::NAME);
        }
    }
    holds::<Md5, 16>(b"", "d41d8cd98f00b204e9800998ecf8427e");
    holds::<Md5, 16>(b"a", "0cc175b9c0f1b6a831c399e269772661");
    holds::<Md5, 16>(b"abc", "900150983cd24fb0d6963f7d28e17f72");
    holds::<Md5, 16>(b"message digest", "f96b697d7cb7938d525a2f31aaf161d0");
    holds::<Md5, 16>(b"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b");
    holds::<Md5, 16>(
        b"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "57edf4a22be3c955ac49da2e2107b67a",
    );
    let two = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    let long = b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
    let million = vec![b'a'; 1_000_000];
    holds::<Sha1, 20>(b"", "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    holds::<Sha1, 20>(b"abc", "a9993e364706816aba3e25717850c26c9cd0d89d");
    holds::<Sha1, 20>(two, "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    holds::<Sha1, 20>(&million, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    holds::<Sha256, 32>(b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    holds::<Sha256, 32>(b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    holds::<Sha256, 32>(two, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    holds::<Sha256, 32>(&million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    holds::<Sha512, 64>(
        b"abc",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    );
    holds::<Sha512, 64>(
        long,
        "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909",
    );
    holds::<Sha512, 64>(
        &million,
        "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b",
    );
}

/// Every length from nothing to several blocks and beyond what a tail holds.
fn lengths<A: Oracle>() {
    let input = bytes(600, 1);
    for len in 0..=input.len() {
        let message = &input[..len];
        let expected = A::reference(message);
        assert_eq!(expected.as_ref(), A::other(message), "{}, {len} bytes", A::NAME);
        for isa in Isa::available() {
            assert_eq!(hash_with::<A>(isa, message).unwrap(), expected, "{}, {isa}, {len} bytes", A::NAME);
        }
    }
}

#[test]
fn every_length_of_a_single_message() {
    each!(lengths);
}

/// `count` messages of different lengths, at every level.
fn counts<A: Oracle>(longest: usize) {
    for count in (0..=70).chain([100, 129, 300]) {
        let messages: Vec<Vec<u8>> = (0..count)
            .map(|i| bytes((i * 7919 + count * 31) % (longest + 1), (i + count * 1000) as u64))
            .collect();
        let expected: Vec<A::Digest> = messages.iter().map(|message| A::reference(message)).collect();
        for isa in Isa::available() {
            let mut digests = vec![A::Digest::default(); count];
            hash_many_with::<A>(isa, &messages, &mut digests).unwrap();
            assert_eq!(digests, expected, "{}, {isa}, {count} messages", A::NAME);
        }
    }
}

#[test]
fn every_number_of_messages_of_mixed_lengths() {
    each!(counts, 700);
}

/// Long enough that the number in work is chosen by lengths.
fn mixed<A: Oracle>() {
    for count in [2, 3, 5, 9, 17, 32, 40] {
        let messages: Vec<Vec<u8>> =
            (0..count).map(|i| bytes(if i == 1 { 700_000 } else { 20_000 * i / 3 + i }, i as u64)).collect();
        let expected: Vec<A::Digest> = messages.iter().map(|message| A::reference(message)).collect();
        for isa in Isa::available() {
            let mut digests = vec![A::Digest::default(); count];
            hash_many_with::<A>(isa, &messages, &mut digests).unwrap();
            assert_eq!(digests, expected, "{}, {isa}, {count} messages", A::NAME);
        }
    }
}

#[test]
fn one_long_message_among_others() {
    each!(mixed);
}

/// Every engine of every level, whatever plans prefer: alone in a plan with the one for a single message.
fn engines<A: Oracle>() {
    // The last ones are long enough for blocks in groups, whole and not.
    let blocks = |i: usize| if i < 20 { 3 } else { 21 };
    let messages: Vec<Vec<u8>> = (0..40).map(|i| bytes(blocks(i) * A::BLOCK + 11 * i, i as u64)).collect();
    let expected: Vec<A::Digest> = messages.iter().map(|message| A::reference(message)).collect();
    for isa in Isa::available() {
        for mut engine in A::engines(isa) {
            let mut single = A::engines(isa)[0];
            assert_eq!(single.lanes, 1);
            // A price that the single one cannot beat.
            (single.cost, engine.cost) = (1_000_000, 1);
            let plan = Plan::new(vec![single, engine]);
            let mut digests = vec![A::Digest::default(); messages.len()];
            hash_by::<A>(&plan, &messages, &mut digests);
            assert_eq!(digests, expected, "{}, {isa}, {}", A::NAME, engine.name);
        }
    }
}

#[test]
fn every_engine() {
    each!(engines);
}

/// Messages that end where memory ends, and begin where it begins.
fn guarded<A: Oracle>() {
    for at in [At::Start(0), At::End(0), At::Start(1), At::Start(33)] {
        for base in [0, 1, 55, 64, 119, 128, 200, 1000] {
            let messages: Vec<Guarded> =
                (0..33).map(|i| Guarded::of(&bytes(base + i % 5, i as u64), at)).collect();
            let slices: Vec<&[u8]> = messages.iter().map(|message| &**message).collect();
            let expected: Vec<A::Digest> = slices.iter().map(|message| A::reference(message)).collect();
            for isa in Isa::available() {
                let mut digests = vec![A::Digest::default(); slices.len()];
                hash_many_with::<A>(isa, &slices, &mut digests).unwrap();
                assert_eq!(digests, expected, "{}, {isa}, {base} bytes at {at:?}", A::NAME);
                assert_eq!(hash_with::<A>(isa, slices[0]).unwrap(), expected[0]);
            }
        }
    }
}

#[test]
fn nothing_is_read_beyond_a_message() {
    each!(guarded);
}

#[test]
fn bad_input_is_refused() {
    let mut digests = [Digest::default(); 2];
    let refused = hash_many::<Sha256>(&[b"abc"; 3], &mut digests).unwrap_err();
    assert_eq!(refused, HashError::Count { messages: 3, digests: 2 });
    assert_eq!(refused.to_string(), "3 messages need as many digests, not 2; pass slices of one length");
    assert_eq!(digests, [Digest::default(); 2]);
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.is_available()) {
        assert!(matches!(hash_with::<Md5>(isa, b""), Err(HashError::Isa(_))));
        assert!(hash_many_with::<Md5>(isa, &[b""; 2], &mut [Digest::default(); 2]).is_err());
        assert!(Context::<Sha1>::new_with(isa).is_err());
        assert!(Scheduler::<Sha1, ()>::new_with(isa).is_err());
    }
}

#[test]
fn a_message_is_not_shown() {
    let mut context = Context::<Sha256>::new();
    context.update(b"secret");
    assert_eq!(format!("{context:?}"), "SHA-256 of 6 bytes so far");
}

/// Messages cut into pieces and submitted in turns, with flushes in between.
fn submitted<A: Oracle>(
    isa: Isa,
    messages: &[Vec<u8>],
    turns: &[(u16, u16, bool)],
) -> Result<(), TestCaseError> {
    let mut scheduler = Scheduler::<A, usize>::new_with(isa).unwrap();
    let mut contexts: Vec<Option<Context<A>>> =
        messages.iter().map(|_| Some(Context::new_with(isa).unwrap())).collect();
    let mut at = vec![0; messages.len()];
    let mut digests: Vec<Option<A::Digest>> = vec![None; messages.len()];
    let mut ended = vec![false; messages.len()];

    fn collect<A: Algorithm>(
        scheduler: &mut Scheduler<'_, A, usize>,
        contexts: &mut [Option<Context<A>>],
        digests: &mut [Option<A::Digest>],
    ) {
        while let Some(Done { tag, outcome }) = scheduler.completed() {
            match outcome {
                Outcome::Hashed(context) => contexts[tag] = Some(context),
                Outcome::Finished(digest) => assert!(digests[tag].replace(digest).is_none()),
            }
        }
    }

    for &(which, amount, flush) in turns {
        let index = usize::from(which) % messages.len();
        if !ended[index] {
            if contexts[index].is_none() {
                scheduler.flush();
                collect(&mut scheduler, &mut contexts, &mut digests);
            }
            let context = contexts[index].take().unwrap();
            let (from, to) = (at[index], (at[index] + usize::from(amount)).min(messages[index].len()));
            at[index] = to;
            let piece = &messages[index][from..to];
            if to == messages[index].len() {
                ended[index] = true;
                scheduler.finish(index, context, piece);
            } else {
                scheduler.update(index, context, piece);
            }
        }
        if flush {
            scheduler.flush();
            prop_assert_eq!(scheduler.pending(), 0);
        }
        collect(&mut scheduler, &mut contexts, &mut digests);
    }
    scheduler.flush();
    collect(&mut scheduler, &mut contexts, &mut digests);
    for (index, context) in contexts.into_iter().enumerate() {
        if let Some(context) = context {
            prop_assert_eq!(context.total_bytes(), at[index] as u64);
            scheduler.finish(index, context, &messages[index][at[index]..]);
        }
    }
    scheduler.flush();
    prop_assert_eq!(scheduler.pending(), 0);
    while let Some(Done { tag, outcome }) = scheduler.completed() {
        let Outcome::Finished(digest) = outcome else { panic!("a finished message is {outcome:?}") };
        digests[tag] = Some(digest);
    }
    for (message, digest) in messages.iter().zip(digests) {
        prop_assert_eq!(digest, Some(A::reference(message)), "{}, {}, {} bytes", A::NAME, isa, message.len());
    }
    Ok(())
}

/// Lengths around the ends of blocks, and others.
fn length() -> impl Strategy<Value = usize> {
    prop_oneof![
        0usize..400,
        (0usize..8, 0usize..20).prop_map(|(blocks, more)| (64 * blocks + more).saturating_sub(10)),
        (0usize..8, 0usize..36).prop_map(|(blocks, more)| (128 * blocks + more).saturating_sub(18)),
        0usize..5000,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_order_of_submitting(
        lengths in prop::collection::vec(length(), 1..80),
        turns in prop::collection::vec((any::<u16>(), 0u16..600, prop::bool::weighted(0.03)), 0..400),
        level in any::<prop::sample::Index>(),
    ) {
        let levels: Vec<Isa> = Isa::available().collect();
        let isa = levels[level.index(levels.len())];
        let messages: Vec<Vec<u8>> =
            lengths.iter().enumerate().map(|(i, &length)| bytes(length, i as u64)).collect();
        submitted::<Md5>(isa, &messages, &turns)?;
        submitted::<Sha1>(isa, &messages, &turns)?;
        submitted::<Sha256>(isa, &messages, &turns)?;
        submitted::<Sha512>(isa, &messages, &turns)?;
    }

    #[test]
    fn any_lengths_at_once(lengths in prop::collection::vec(length(), 0..200), level in any::<prop::sample::Index>()) {
        let levels: Vec<Isa> = Isa::available().collect();
        let isa = levels[level.index(levels.len())];
        let messages: Vec<Vec<u8>> =
            lengths.iter().enumerate().map(|(i, &length)| bytes(length, i as u64)).collect();
        fn holds<A: Oracle>(isa: Isa, messages: &[Vec<u8>]) -> Result<(), TestCaseError> {
            let mut digests = vec![A::Digest::default(); messages.len()];
            hash_many_with::<A>(isa, messages, &mut digests).unwrap();
            for (message, digest) in messages.iter().zip(digests) {
                prop_assert_eq!(digest.as_ref(), A::other(message), "{}, {} bytes", A::NAME, message.len());
            }
            Ok(())
        }
        each_holds(isa, &messages, [holds::<Md5>, holds::<Sha1>, holds::<Sha256>, holds::<Sha512>])?;
    }
}

type Holds = fn(Isa, &[Vec<u8>]) -> Result<(), TestCaseError>;

fn each_holds(isa: Isa, messages: &[Vec<u8>], functions: [Holds; 4]) -> Result<(), TestCaseError> {
    functions.into_iter().try_for_each(|holds| holds(isa, messages))
}
