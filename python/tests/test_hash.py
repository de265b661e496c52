"""Hashes: hashlib's, at every level, of any lengths, in pieces, by many threads; refusals."""

import hashlib
import random
import threading

import numpy
import pytest

from loopwright import kernels

ALGORITHMS = ["md5", "sha1", "sha256", "sha512"]
DATA = random.Random(1).randbytes(300_000)
LENGTHS = [0, 1, 3, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 1000, 4096, 100_000]


def messages(count):
    """Of unequal lengths, at all alignments."""
    generator = random.Random(count)
    lengths = [generator.choice(LENGTHS) + generator.randrange(3) for _ in range(count)]
    view = memoryview(DATA)
    return [view[i : i + length] for i, length in enumerate(lengths)]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("isa", [None, *kernels.isa_available()])
def test_digests_are_hashlibs(algorithm, isa):
    for length in LENGTHS:
        expected = hashlib.new(algorithm, DATA[:length]).digest()
        assert kernels.hash(algorithm, DATA[:length], isa=isa) == expected
        assert kernels.Hash(algorithm, DATA[:length], isa=isa).digest() == expected
    for count in (0, 1, 2, 5, 17, 70):
        expected = [hashlib.new(algorithm, m).digest() for m in messages(count)]
        assert kernels.hash_many(algorithm, messages(count), isa=isa) == expected
        out = numpy.zeros((count, hashlib.new(algorithm).digest_size), dtype="u1")
        assert kernels.hash_many(algorithm, iter(messages(count)), out=out, isa=isa) is None
        assert [row.tobytes() for row in out] == expected


def test_rows_of_an_array_are_messages():
    rows = numpy.frombuffer(DATA[:24_000], dtype="f4").reshape(10, 600)
    assert kernels.hash_many("sha256", rows) == [hashlib.sha256(row.tobytes()).digest() for row in rows]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_class_has_hashlibs_shape(algorithm):
    ours, theirs = kernels.Hash(algorithm), hashlib.new(algorithm)
    for name in ("name", "digest_size", "block_size"):
        assert getattr(ours, name) == getattr(theirs, name)
    for begin in range(0, len(DATA), 7777):
        ours.update(DATA[begin : begin + 7777])
        theirs.update(DATA[begin : begin + 7777])
        # digest() does not end the message.
        assert ours.digest() == theirs.digest()
    other = ours.copy()
    other.update(b"more")
    assert ours.hexdigest() == theirs.hexdigest()
    theirs.update(b"more")
    assert other.hexdigest() == theirs.hexdigest()
    assert algorithm in repr(ours)


def test_pieces_of_many_messages_side_by_side():
    count = 37
    whole = messages(count)
    ours = [kernels.Hash(ALGORITHMS[i % 4]) for i in range(count)]
    generator = random.Random(2)
    at = [0] * count
    while any(a < len(m) for a, m in zip(at, whole)):
        steps = [generator.choice([0, 1, 64, 1000, 50_000]) for _ in range(count)]
        kernels.update_many(ours, [m[a : a + step] for m, a, step in zip(whole, at, steps)])
        at = [a + step for a, step in zip(at, steps)]
    for hash, message in zip(ours, whole):
        assert hash.digest() == hashlib.new(hash.name, message).digest()


def test_threads_share_a_message():
    """Each piece is hashed once and whole, in whatever order."""
    shared = kernels.Hash("sha256")
    threads = [threading.Thread(target=lambda: shared.update(bytes(100_000))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shared.digest() == hashlib.sha256(bytes(800_000)).digest()


def test_refusals():
    with pytest.raises(ValueError, match='"sha3" is not a known hash function; use one of: md5, sha1, sha256'):
        kernels.hash("sha3", b"")
    with pytest.raises(ValueError, match="is not a known hash function"):
        kernels.Hash("SHA-256")
    with pytest.raises(ValueError, match="is not a known hash function"):
        kernels.hash_many("", [])
    with pytest.raises(ValueError, match="is no instruction-set level"):
        kernels.hash("md5", b"", isa="avx")
    with pytest.raises(TypeError):
        kernels.hash("md5", "text")
    with pytest.raises(TypeError):
        kernels.hash_many("md5", 5)
    with pytest.raises(TypeError, match=r"messages\[1\]: "):
        kernels.hash_many("md5", [b"", "text"])
    # One message instead of many: its elements are numbers.
    with pytest.raises(TypeError, match=r"messages\[0\]: "):
        kernels.hash_many("md5", b"text")
    with pytest.raises(BufferError, match=r"messages\[2\]: the buffer is not contiguous"):
        kernels.hash_many("md5", [b"", b"", memoryview(DATA)[::2]])
    out = bytearray(32)
    with pytest.raises(ValueError, match="out has 32 bytes; pass 3 x 16"):
        kernels.hash_many("md5", [b"", b"", b""], out=out)
    with pytest.raises(BufferError, match="out is read-only"):
        kernels.hash_many("md5", [b"", b""], out=bytes(32))
    with pytest.raises(BufferError, match="out and a message overlap"):
        kernels.hash_many("md5", [b"", memoryview(out)[31:]], out=out)
    assert out == bytes(32)
    one, two = kernels.Hash("md5"), kernels.Hash("md5")
    with pytest.raises(ValueError, match="2 hashes take as many pieces, not 1"):
        kernels.update_many([one, two], [b"text"])
    with pytest.raises(ValueError, match=r"hashes\[1\] is given twice"):
        kernels.update_many([one, one], [b"text", b"text"])
    with pytest.raises(TypeError):
        kernels.update_many([one, hashlib.md5()], [b"", b""])
    # They are unchanged.
    kernels.update_many([one, two], [b"text", b""])
    assert (one.digest(), two.digest()) == (hashlib.md5(b"text").digest(), hashlib.md5().digest())
