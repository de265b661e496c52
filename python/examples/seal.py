"""Seals messages with AES-128-CBC and HMAC-SHA-256, several at a time, opens them again, and shows that a changed message is
rejected."""

import secrets

from loopwright import kernels

# From the system's random numbers: keys and IVs must be unpredictable.
keys = kernels.CbcHmac(secrets.token_bytes(16), secrets.token_bytes(32))
header = b"a header that everybody may read"
# Whole blocks of 16 bytes, in place; `keys.seal_padded` pads messages of any length.
texts = [bytearray(b"sixteen letters."), bytearray(b"x" * 4096), bytearray(b"y" * 160)]
ivs = [secrets.token_bytes(16) for _ in texts]
tags = kernels.seal_many([(keys, iv, text, header) for iv, text in zip(ivs, texts)])

texts[1][100] ^= 1
for index, (iv, text, tag) in enumerate(zip(ivs, texts, tags)):
    try:
        keys.open_in_place(iv, text, tag, header)
        print(f"message {index}: {len(text)} bytes")
    except kernels.Rejected as error:
        print(f"message {index}: {error}")
assert texts[0] == b"sixteen letters."
