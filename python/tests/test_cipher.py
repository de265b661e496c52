"""AES-CBC with HMAC: the standard's answer, Python's hmac, every level, many at once; refusals and rejections."""

import hmac
import random

import numpy
import pytest
from cryptography.hazmat.primitives import ciphers

from loopwright import kernels

LEVELS = [None, *kernels.isa_available()]
RANDOM = random.Random(1)
IV = RANDOM.randbytes(16)
TEXT = (
    b"A cipher system must not be required to be secret, and it must be able to fall into the hands of the enemy "
    b"without inconvenience"
)
AAD = b"The second principle of Auguste Kerckhoffs"


def new_keys(mac="sha256", bits=128, tag_bytes=None):
    cipher_key, mac_key = RANDOM.randbytes(bits // 8), RANDOM.randbytes(32)
    return kernels.CbcHmac(cipher_key, mac_key, mac=mac, tag_bytes=tag_bytes), cipher_key, mac_key


@pytest.mark.parametrize("isa", LEVELS)
def test_the_answer_of_rfc_7518(isa):
    key = bytes(range(32))
    keys = kernels.CbcHmac(key[16:], key[:16], tag_bytes=16)
    iv = bytes.fromhex("1af38c2dc2b96ffdd86694092341bc04")
    ciphertext, tag = keys.seal_padded(iv, TEXT, AAD, isa=isa)
    assert ciphertext.hex().startswith("c80edfa32ddf39d5ef00c0b468834279") and len(ciphertext) == 144
    assert tag.hex() == "652c3fa36b0a7c5b3219fab3a30bc1c4"
    assert keys.open_padded(iv, ciphertext, tag, AAD, isa=isa) == TEXT


@pytest.mark.parametrize("isa", LEVELS)
@pytest.mark.parametrize("mac", ["sha1", "sha256"])
@pytest.mark.parametrize("bits", [128, 256])
def test_sealing_and_opening(isa, mac, bits):
    keys, _, mac_key = new_keys(mac, bits)
    assert (keys.cipher, keys.mac, keys.tag_bytes) == (f"aes-{bits}-cbc", mac, {"sha1": 20, "sha256": 32}[mac])
    for length, aad in ((0, b""), (16, b"x"), (160, AAD), (16_000, bytes(300))):
        plain = RANDOM.randbytes(length)
        data = bytearray(plain)
        tag = keys.seal_in_place(IV, data, aad, isa=isa)
        expected = hmac.digest(mac_key, aad + IV + bytes(data) + (8 * len(aad)).to_bytes(8), mac)
        assert tag == expected
        keys.open_in_place(IV, data, tag, aad, isa=isa)
        assert data == plain
        # Of any length: padded.
        sealed, tag = keys.seal_padded(IV, plain + b"12345", aad, isa=isa)
        assert len(sealed) % 16 == 0 and keys.open_padded(IV, sealed, tag, aad, isa=isa) == plain + b"12345"


def test_the_ciphertext_is_anothers():
    for bits in (128, 256):
        keys, cipher_key, _ = new_keys(bits=bits)
        plain = RANDOM.randbytes(4096)
        data = bytearray(plain)
        keys.seal_in_place(IV, data)
        theirs = ciphers.Cipher(ciphers.algorithms.AES(cipher_key), ciphers.modes.CBC(IV)).encryptor()
        assert bytes(data) == theirs.update(plain) + theirs.finalize()


@pytest.mark.parametrize("isa", LEVELS)
@pytest.mark.parametrize("mac", ["sha1", "sha256"])
def test_many_are_sealed_as_one_is(isa, mac):
    pairs = [new_keys(mac)[0] for _ in range(2)]
    for count in (0, 1, 2, 7, 20):
        plain = [RANDOM.randbytes(16 * RANDOM.randrange(60)) for _ in range(count)]
        ivs = [RANDOM.randbytes(16) for _ in range(count)]
        data = [numpy.frombuffer(bytearray(text), dtype="u1") for text in plain]
        whole = [
            (pairs[i % 2], ivs[i], data[i], AAD) if i % 3 else (pairs[i % 2], ivs[i], data[i]) for i in range(count)
        ]
        tags = kernels.seal_many(whole, isa=isa)
        for i in range(count):
            alone = bytearray(plain[i])
            assert tags[i] == pairs[i % 2].seal_in_place(ivs[i], alone, AAD if i % 3 else None)
            assert data[i].tobytes() == alone


def test_what_somebody_changed_is_rejected():
    keys, *_ = new_keys("sha1", tag_bytes=12)
    sealed, tag = keys.seal_padded(IV, TEXT, AAD)
    assert len(tag) == 12

    def changed(data, at):
        return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]

    other, *_ = new_keys("sha1", tag_bytes=12)
    for call in (
        lambda data: keys.open_padded(IV, changed(data, 3), tag, AAD),
        lambda data: keys.open_padded(IV, data, changed(tag, 11), AAD),
        lambda data: keys.open_padded(changed(IV, 0), data, tag, AAD),
        lambda data: keys.open_padded(IV, data, tag, changed(AAD, 1)),
        lambda data: keys.open_padded(IV, data, tag),
        lambda data: keys.open_padded(IV, data[:-16], tag, AAD),
        lambda data: keys.open_padded(IV, data[:-1], tag, AAD),
        lambda data: keys.open_padded(IV, data, tag[:-1], AAD),
        lambda data: keys.open_padded(IV, b"", tag, AAD),
        lambda data: other.open_padded(IV, data, tag, AAD),
    ):
        with pytest.raises(kernels.Rejected, match="the message is rejected: "):
            call(sealed)
    data = bytearray(sealed)
    with pytest.raises(kernels.Rejected):
        keys.open_in_place(IV, data, changed(tag, 0), AAD)
    assert data == sealed
    assert issubclass(kernels.Rejected, ValueError)


def test_keys_are_not_shown():
    keys, *_ = new_keys()
    assert repr(keys) == "<loopwright.kernels.CbcHmac of aes-128-cbc and sha256>"


def test_refusals():
    keys, *_ = new_keys()
    for arguments, named, text in (
        ((bytes(17), bytes(16)), {}, "cipher_key has 17 bytes; pass 16 for AES-128 or 32 for AES-256"),
        ((bytes(16), bytes(15)), {}, "the MAC key has 15 bytes; pass at least 16"),
        ((bytes(16), bytes(16)), {"mac": "md5"}, '"md5" is not a known MAC; use sha1 or sha256'),
        ((bytes(16), bytes(16)), {"tag_bytes": 15}, "choose between 16 and 32"),
    ):
        with pytest.raises(ValueError, match=text):
            kernels.CbcHmac(*arguments, **named)
    data = bytearray(64)
    with pytest.raises(ValueError, match="iv has 12 bytes; pass 16"):
        keys.seal_in_place(bytes(12), data)
    with pytest.raises(ValueError, match="63 bytes of data are not a multiple of 16"):
        keys.seal_in_place(IV, memoryview(data)[1:])
    with pytest.raises(BufferError, match="data is read-only"):
        keys.seal_in_place(IV, bytes(64))
    with pytest.raises(BufferError, match="data is not contiguous"):
        keys.seal_in_place(IV, memoryview(data)[::2])
    with pytest.raises(BufferError, match="data and aad overlap"):
        keys.seal_in_place(IV, data, memoryview(data)[60:])
    with pytest.raises(BufferError, match="data and tag overlap"):
        keys.open_in_place(IV, data, memoryview(data)[:32])
    with pytest.raises(TypeError):
        keys.seal_padded("text" * 4, data)
    other, *_ = new_keys("sha1")
    view = memoryview(data)
    for kind, messages, text in (
        (ValueError, [(keys, IV, view[:15])], "15 bytes of data"),
        (ValueError, [(keys, IV, data), (other, IV, bytearray(16))], r"keys of messages\[1\] are of another"),
        (ValueError, [(keys, IV)], r"messages\[0\]: a tuple of 2"),
        (ValueError, [(keys, IV, data), (keys, bytes(3), bytearray(16))], r"messages\[1\]: iv has 3 bytes"),
        (TypeError, [(IV, IV, data)], r"messages\[0\]: "),
        (TypeError, [data], r"messages\[0\]: "),
        (BufferError, [(keys, IV, bytes(16))], r"messages\[0\]: data is read-only"),
        (BufferError, [(keys, IV, view[:32]), (keys, IV, view[16:])], r"messages\[1\]: data overlaps"),
        (BufferError, [(keys, IV, data), (keys, IV, bytearray(16), view[60:])], r"messages\[0\]: data overlaps"),
    ):
        with pytest.raises(kind, match=text):
            kernels.seal_many(messages)
    assert data == bytes(64)
