"""Checksums: known answers, pieces, every level, refusals."""

import pytest

from loopwright import kernels

DATA = bytes(range(256)) * 16

ZFS = [
    (kernels.fletcher4, kernels.Fletcher4, 4, 4),
    (kernels.fletcher2, kernels.Fletcher2, 16, 8),
]
MODULAR = [
    (kernels.fletcher16, kernels.Fletcher16, 1),
    (kernels.fletcher32, kernels.Fletcher32, 2),
    (kernels.fletcher64, kernels.Fletcher64, 4),
]


def fletcher4_by_definition(data, order="little"):
    a = b = c = d = 0
    for begin in range(0, len(data), 4):
        a += int.from_bytes(data[begin : begin + 4], order)
        b += a
        c += b
        d += c
    return tuple(x % 2**64 for x in (a, b, c, d))


def fletcher2_by_definition(data, order="little"):
    a, b = [0, 0], [0, 0]
    for begin in range(0, len(data), 8):
        stream = begin // 8 % 2
        a[stream] += int.from_bytes(data[begin : begin + 8], order)
        b[stream] += a[stream]
    return tuple(x % 2**64 for x in (*a, *b))


def modular_by_definition(data, word):
    modulus = 2 ** (8 * word) - 1
    a = b = 0
    for begin in range(0, len(data), word):
        a = (a + int.from_bytes(data[begin : begin + word], "little")) % modulus
        b = (b + a) % modulus
    return b << (8 * word) | a


def test_known_answers():
    assert kernels.fletcher16(b"abcdefgh") == 0x0627
    assert kernels.fletcher32(b"abcdefgh") == 0xEBE19591
    assert kernels.fletcher64(b"abcdefgh") == 0x312E2B28CCCAC8C6


@pytest.mark.parametrize("isa", [None, *kernels.isa_available()])
def test_every_level_computes_the_definition(isa):
    for length in (0, 16, 256, 1024, 4096):
        data = DATA[:length]
        for order, swapped in (("little", False), ("big", True)):
            found = kernels.fletcher4(data, swapped=swapped, isa=isa)
            assert found == fletcher4_by_definition(data, order)
            found = kernels.fletcher2(data, swapped=swapped, isa=isa)
            assert found == fletcher2_by_definition(data, order)
        for function, _, word in MODULAR:
            assert function(data, isa=isa) == modular_by_definition(data, word)


@pytest.mark.parametrize("function, kind, word, _", ZFS)
def test_pieces_are_the_whole(function, kind, word, _):
    for swapped in (False, True):
        whole = kind()
        for begin in range(0, len(DATA), 1008):
            whole.update(DATA[begin : begin + 1008], swapped=swapped)
        assert whole.words == function(DATA, swapped=swapped)
        first, second = kind(), kind()
        first.update(DATA[:512], swapped=swapped)
        second.update(DATA[512:], swapped=swapped)
        assert first.combine(second, len(DATA) - 512).words == whole.words
        resumed = kind(first.words)
        resumed.update(DATA[512:], swapped=swapped)
        assert resumed.words == whole.words


@pytest.mark.parametrize("function, kind, word", MODULAR)
def test_pieces_of_modular_ones_are_the_whole(function, kind, word):
    first, second = kind(), kind()
    first.update(DATA[:1000])
    second.update(DATA[1000:])
    whole = function(DATA)
    assert first.combine(second, len(DATA) - 1000).value == whole
    resumed = kind(first.value)
    resumed.update(DATA[1000:])
    assert resumed.value == whole


@pytest.mark.parametrize("function, kind, word, _", ZFS)
def test_lengths_that_are_refused(function, kind, word, _):
    text = f"17 bytes are not a multiple of {word}, "
    with pytest.raises(ValueError, match=text):
        function(bytes(17))
    sums = kind()
    sums.update(DATA)
    before = sums.words
    with pytest.raises(ValueError, match=text):
        sums.update(bytes(17))
    with pytest.raises(ValueError, match=text):
        sums.combine(sums, 17)
    assert sums.words == before


def test_values_that_are_refused():
    with pytest.raises(ValueError, match="0xff is no checksum"):
        kernels.Fletcher16(0xFF)
    with pytest.raises(OverflowError):
        kernels.Fletcher16(1 << 16)
