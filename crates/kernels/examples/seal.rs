//! Seals messages with AES-128-CBC and HMAC-SHA-256, several at a time, opens them again, and shows what becomes of one
//! that somebody has changed on the way.
//!
//! `cargo run -p loopwright-kernels --example seal`

use loopwright_kernels::cipher::{Aes128, CbcHmac, CipherError, HmacSha256, Message};
use std::error::Error;
use std::fs::File;
use std::io::Read;

/// From the system's random numbers: keys and IVs must be unforeseeable.
fn random<const N: usize>() -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn main() -> Result<(), Box<dyn Error>> {
    let keys = CbcHmac::<Aes128, HmacSha256>::new(&random::<16>()?, &random::<32>()?)?;
    let header = b"a header that everybody may read";
    // Whole blocks of 16 bytes; one of any length is padded by `seal_padded`.
    let mut texts = [b"sixteen letters.".to_vec(), vec![b'x'; 4096], vec![b'y'; 160]];
    let ivs = [random::<16>()?, random()?, random()?];

    let each = texts.iter_mut().zip(&ivs);
    let mut messages: Vec<_> = each.map(|(text, iv)| Message::new(&keys, iv, header, text)).collect();
    CbcHmac::seal_many(&mut messages)?;
    let tags: Vec<_> = messages.iter().filter_map(|message| message.tag().copied()).collect();

    texts[1][100] ^= 1;
    for (index, ((text, iv), tag)) in texts.iter_mut().zip(&ivs).zip(&tags).enumerate() {
        match keys.open_in_place(iv, header, text, tag) {
            Ok(()) => println!("message {index}: {} bytes", text.len()),
            Err(error @ CipherError::Rejected) => println!("message {index}: {error}"),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
