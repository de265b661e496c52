//! Every engine against the reference: any number of messages of any lengths, between guard pages.

use super::{HASHES, bytes, reference};
use crate::guarded::{At, Guarded};
use loopwright_kernels::internals::cipher::{self, Engine, Engines, Hash, Job, Keys, Work};
use loopwright_kernels::{Extra, Isa};
use proptest::prelude::*;

/// Every set of engines that this processor can run, also those of processors that lack what it has.
fn engines(hash: Hash) -> Vec<(String, &'static [Engine])> {
    let mut all = vec![("scalar".to_owned(), cipher::portable(hash))];
    #[cfg(target_arch = "x86_64")]
    for isa in Isa::available().filter(|&isa| Extra::AesNi.is_available(isa)) {
        for sha in [false, true].into_iter().filter(|&sha| !sha || Extra::ShaNi.is_available(isa)) {
            for vaes in [false, true].into_iter().filter(|&vaes| !vaes || Extra::Vaes.is_available(isa)) {
                let name = format!("{isa}, sha {sha}, vaes {vaes}");
                all.push((name, cipher::table(isa, hash, sha, vaes)));
            }
        }
    }
    all
}

/// One message for the engines and what the reference makes of it.
struct Sample {
    keys: Keys,
    iv: [u8; 16],
    aad: Vec<u8>,
    data: Vec<u8>,
    sealed: (Vec<u8>, Vec<u8>),
}

fn sample(hash: Hash, key_bytes: usize, aad: usize, blocks: usize, seed: u32) -> Sample {
    let cipher_key = bytes(key_bytes, seed);
    let mac_key = bytes(16 + seed as usize % 70, seed + 1);
    let iv: [u8; 16] = bytes(16, seed + 2).try_into().unwrap();
    let (aad, data) = (bytes(aad, seed + 3), bytes(16 * blocks, seed + 4));
    let sealed = reference::seal(hash, [&cipher_key, &mac_key], &iv, &aad, &data);
    Sample { keys: Keys::new(Isa::best(), hash, &cipher_key, &mac_key), iv, aad, data, sealed }
}

/// Seals all samples together, in buffers that end at guard pages, and verifies them together.
fn check(name: &str, engines: &[Engine], samples: &[Sample], at: At) {
    let engines = &Engines::shipped(engines);
    let mut works = vec![Work::NONE; samples.len()];
    let mut data: Vec<Guarded> = samples.iter().map(|sample| Guarded::of(&sample.data, at)).collect();
    let aad: Vec<Guarded> = samples.iter().map(|sample| Guarded::of(&sample.aad, at)).collect();
    let tags = |jobs: &[Job]| jobs.iter().map(|job| job.tag()).collect::<Vec<_>>();
    let mut jobs: Vec<Job> = samples
        .iter()
        .zip(&mut data)
        .zip(&aad)
        .map(|((sample, data), aad)| Job::seal(&sample.keys, &sample.iv, aad, data))
        .collect();
    cipher::finish(engines, &mut jobs, &mut works);
    let sealed = tags(&jobs);
    drop(jobs);
    let mut jobs: Vec<Job> = samples
        .iter()
        .zip(&data)
        .zip(&aad)
        .map(|((sample, data), aad)| Job::verify(&sample.keys, &sample.iv, aad, data))
        .collect();
    cipher::finish(engines, &mut jobs, &mut works);
    let verified = tags(&jobs);
    drop(jobs);
    assert!(works.iter().all(|work| work.state == [0; 8]), "states of the hash are left");
    for (index, sample) in samples.iter().enumerate() {
        let note = || {
            let (aad, data) = (sample.aad.len(), sample.data.len());
            format!("{name}, message {index} of {}, aad {aad}, data {data}, {at:?}", samples.len())
        };
        assert!(*data[index] == *sample.sealed.0, "ciphertext: {}", note());
        assert_eq!(data[index].strays(), 0, "{}", note());
        let wanted = &sample.sealed.1[..];
        assert_eq!(&sealed[index][..wanted.len()], wanted, "sealing: {}", note());
        assert_eq!(&verified[index][..wanted.len()], wanted, "verifying: {}", note());
    }
}

#[test]
fn every_length_of_one_message() {
    for hash in HASHES {
        for (name, engines) in engines(hash) {
            for (aad, blocks) in
                (0..=24).flat_map(|blocks| [0, 5, 16, 47, 48, 49, 130].map(|aad| (aad, blocks)))
            {
                let samples = [sample(hash, 16 + 16 * (blocks % 2), aad, blocks, 7)];
                check(&name, engines, &samples, if aad % 2 == 0 { At::End(0) } else { At::Start(0) });
            }
        }
    }
}

#[test]
fn every_alignment_of_many_messages() {
    for hash in HASHES {
        let samples: Vec<Sample> = (0..17).map(|n| sample(hash, 16, n, 13 + n, n as u32)).collect();
        for (name, engines) in engines(hash) {
            At::all().step_by(3).for_each(|at| check(&name, engines, &samples, at));
        }
    }
}

/// Where associated data and IV fill whole blocks, wide engines hash the ciphertext in vector registers: with each distance
/// between what is encrypted and what is hashed, of one length and of several, and where one lane's differs.
#[test]
fn ciphertext_that_is_hashed_by_rows() {
    for hash in HASHES {
        for (name, engines) in engines(hash) {
            let Some(widest) = engines.last().filter(|engine| engine.lanes >= 8) else { continue };
            for (aad, blocks) in (0..=5).flat_map(|blocks| [9, 14, 19, 40].map(|more| (16 * blocks, more))) {
                let count = widest.lanes - blocks % 2;
                let mut samples: Vec<Sample> = (0..count)
                    .map(|n| sample(hash, 16 + 16 * (blocks % 2), aad, blocks, 3 * n as u32))
                    .collect();
                check(&name, engines, &samples, At::End(0));
                samples[1] = sample(hash, 16 + 16 * (blocks % 2), aad, blocks + 5, 1);
                check(&name, engines, &samples, At::Start(1));
                samples[2] = sample(hash, 16 + 16 * (blocks % 2), aad + 16, blocks, 2);
                check(&name, engines, &samples, At::Start(0));
            }
        }
    }
}

#[test]
fn any_number_of_messages() {
    for hash in HASHES {
        for (name, engines) in engines(hash) {
            for count in 0..=35 {
                // Equal ones, and ones that end at different times and leave lanes to each other.
                let equal: Vec<Sample> = (0..count).map(|n| sample(hash, 32, 13, 20, n)).collect();
                check(&name, engines, &equal, At::End(0));
                let different: Vec<Sample> = (0..count)
                    .map(|n| sample(hash, 16, n as usize * 7, (n * n * 5 % 61) as usize, n))
                    .collect();
                check(&name, engines, &different, At::Start(0));
            }
        }
    }
}

/// What is measured may choose any engine for any number of messages: most lanes are spare then.
#[test]
fn every_engine_alone() {
    for hash in HASHES {
        for (name, engine) in
            engines(hash).iter().flat_map(|(name, all)| all.iter().map(move |one| (name, one)))
        {
            for count in 1..=18 {
                let equal: Vec<Sample> = (0..count).map(|n| sample(hash, 16, 16, 21, n)).collect();
                let name = format!("{name}, {}", engine.name);
                check(&name, std::slice::from_ref(engine), &equal, At::End(0));
                let different: Vec<Sample> = (0..count)
                    .map(|n| sample(hash, 32, 5 * n as usize, (n * n * 7 % 53) as usize, n))
                    .collect();
                check(&name, std::slice::from_ref(engine), &different, At::Start(0));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn messages_of_any_shape(shapes in prop::collection::vec((0usize..200, 0usize..100, any::<u16>()), 0..40)) {
        for hash in HASHES {
            let samples: Vec<Sample> = shapes
                .iter()
                .map(|&(aad, blocks, seed)| sample(hash, 32, aad, blocks, seed.into()))
                .collect();
            for (name, engines) in engines(hash) {
                check(&name, engines, &samples, At::End(0));
            }
        }
    }
}
