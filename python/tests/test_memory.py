"""Byte swapping and streaming, against NumPy."""

import numpy
import pytest

from loopwright import kernels

LEVELS = [None, *kernels.isa_available()]


@pytest.mark.parametrize("isa", LEVELS)
@pytest.mark.parametrize("dtype", ["u2", "u4", "u8", "f8"])
@pytest.mark.parametrize("parallel", [False, True])
def test_swapping_is_numpys(isa, dtype, parallel):
    for count in (0, 1, 7, 100, 100_003):
        words = numpy.arange(count).astype(dtype)
        swapped = words.copy()
        kernels.byteswap(swapped, parallel=parallel, isa=isa)
        assert swapped.tobytes() == words.byteswap().tobytes()
        into = numpy.empty_like(words)
        kernels.byteswap_into(words, into, parallel=parallel, isa=isa)
        assert into.tobytes() == swapped.tobytes()


def test_swapping_refuses():
    words = numpy.arange(8, dtype="u4")
    before = words.copy()
    with pytest.raises(ValueError, match="words of 3 bytes cannot be swapped; use 2, 4 or 8"):
        kernels.byteswap(words, 3)
    with pytest.raises(ValueError, match="17 bytes are not a multiple of 2"):
        kernels.byteswap(bytearray(17), 2)
    with pytest.raises(ValueError, match="differ in length"):
        kernels.byteswap_into(words, bytearray(28))
    with pytest.raises(ValueError, match="overlap 4 bytes apart"):
        kernels.byteswap_into(words[:7], words[1:])
    assert (words == before).all()


def test_files_are_swapped(tmp_path):
    words = numpy.arange(100_000, dtype="u4")
    words.tofile(tmp_path / "in")
    assert kernels.byteswap_file(tmp_path / "in", str(tmp_path / "out"), 4) == 400_000
    assert (numpy.fromfile(tmp_path / "out", dtype="u4") == words.byteswap()).all()
    with pytest.raises(FileNotFoundError, match="none: cannot be read"):
        kernels.byteswap_file(tmp_path / "none", tmp_path / "out", 4)
    with pytest.raises(ValueError, match="are the same file"):
        kernels.byteswap_file(tmp_path / "in", tmp_path / "in", 4)


@pytest.mark.parametrize("isa", LEVELS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("parallel", [False, True])
def test_streams_are_numpys(isa, dtype, parallel):
    random = numpy.random.default_rng(1)
    for count in (0, 1, 9, 1000, 300_001):
        b, c = (random.standard_normal(count).astype(dtype) for _ in range(2))
        s = b.dtype.type(0.5)
        how = {"parallel": parallel, "isa": isa}
        for run, expected in (
            (lambda a: kernels.copy(a, b, **how), b),
            (lambda a: kernels.fill(a, s, **how), numpy.full_like(b, s)),
            (lambda a: kernels.scale(a, s, b, **how), s * b),
            (lambda a: kernels.add(a, b, c, **how), b + c),
            (lambda a: kernels.triad(a, b, s, c, **how), b + s * c),
        ):
            a = numpy.full_like(b, numpy.nan)
            run(a)
            assert (a == expected).all()


def test_streams_refuse():
    a, b = numpy.zeros(8), numpy.ones(8)
    with pytest.raises(ValueError, match="b has 7 elements where the destination has 8"):
        kernels.copy(a, b[:7])
    with pytest.raises(ValueError, match="b and the destination overlap 8 bytes apart"):
        kernels.copy(a[1:], a[:7])
    with pytest.raises(TypeError, match="b does not consist of aligned float64 "):
        kernels.copy(a, b.astype("f4"))
    with pytest.raises(TypeError, match="a does not consist of aligned float32 or float64"):
        kernels.fill(numpy.zeros(8, dtype="i4"), 1)
    assert (a == 0).all()
    kernels.add(a, a, b)
    assert (a == 1).all()
