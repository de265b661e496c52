"""Tuned kernels over any buffer: checksums, hashes, AES-CBC with HMAC, byte order, streams, sparse products.

A buffer is any object with the buffer protocol: bytes, bytearray, memoryview, array.array, NumPy arrays, mmap. Its elements
are contiguous; nothing is copied. Other threads of Python run meanwhile: they must not write to the input of a function.

`isa` names the instruction-set level whose code runs (one of isa_available()); without it the best one runs, or the
one that the environment variable LOOPWRIGHT_ISA names. Results never depend on it.

Exceptions: ValueError for wrong lengths, values and levels; TypeError for objects without a buffer, or with the wrong element
type; BufferError for memory that is not contiguous, read-only where it would be written, or overlapping other memory of the
call; OSError for files; Rejected for sealed messages that were changed. Nothing is written in these cases.

Functions with `parallel` use a pool of threads; a process that is forked after that, by multiprocessing for example, gets
its own pool.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, overload

from . import _native
from ._native import (
    CbcHmac,
    Fletcher2,
    Fletcher4,
    Fletcher16,
    Fletcher32,
    Fletcher64,
    Hash,
    Rejected,
    SemiSparse,
)

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "CbcHmac",
    "Fletcher2",
    "Fletcher4",
    "Fletcher16",
    "Fletcher32",
    "Fletcher64",
    "Hash",
    "Rejected",
    "SemiSparse",
    "add",
    "byteswap",
    "byteswap_file",
    "byteswap_into",
    "copy",
    "fill",
    "fletcher2",
    "fletcher4",
    "fletcher16",
    "fletcher32",
    "fletcher64",
    "hash",
    "hash_many",
    "isa_available",
    "isa_best",
    "isa_override_error",
    "scale",
    "seal_many",
    "self_calibration",
    "semi_sparse",
    "triad",
    "update_many",
]

Isa = Literal["scalar", "sse42", "avx2", "avx512"]
Form = Literal["model", "measure", "tiles", "windows", "sell", "csr", "dense"]
Words = tuple[int, int, int, int]
Algorithm = Literal["md5", "sha1", "sha256", "sha512"]
# Keys, IV, data to be encrypted in place, and associated data.
Message: TypeAlias = "tuple[CbcHmac, Buffer, Buffer] | tuple[CbcHmac, Buffer, Buffer, Buffer | None]"


def isa_best() -> Isa:
    """The highest level that is used by default; a function runs a lower one where that is faster."""
    return _native.isa_best()


def isa_available() -> list[Isa]:
    """The levels that this processor can run, lowest first."""
    return _native.isa_available()


def isa_override_error() -> str | None:
    """Why the value of LOOPWRIGHT_ISA is ignored, if it is."""
    return _native.isa_override_error()


def self_calibration(on: bool) -> None:
    """Whether a choice between ways to do the same work is measured when it is first needed (the default).

    Otherwise figures decide that were measured on other machines. Choices that were made before stay. Results never depend on it.
    """
    _native.self_calibration(on)


def fletcher4(data: Buffer, *, swapped: bool = False, isa: Isa | None = None) -> Words:
    """Fletcher-4 as ZFS computes it: (a, b, c, d) of 32-bit words, most significant byte first if swapped.

    The length is a multiple of 4 bytes.
    """
    return _native.fletcher4(data, swapped=swapped, isa=isa)


def fletcher2(data: Buffer, *, swapped: bool = False, isa: Isa | None = None) -> Words:
    """Fletcher-2 as ZFS computes it: (a0, a1, b0, b1) of pairs of 64-bit words, most significant byte first if swapped.

    The length is a multiple of 16 bytes.
    """
    return _native.fletcher2(data, swapped=swapped, isa=isa)


def fletcher16(data: Buffer, *, isa: Isa | None = None) -> int:
    """Fletcher-16: sums of bytes modulo 255, the sum of sums above the sum."""
    return _native.fletcher16(data, isa=isa)


def fletcher32(data: Buffer, *, isa: Isa | None = None) -> int:
    """Fletcher-32: sums of 16-bit words modulo 65535; a byte missing at the end counts as zero."""
    return _native.fletcher32(data, isa=isa)


def fletcher64(data: Buffer, *, isa: Isa | None = None) -> int:
    """Fletcher-64: sums of 32-bit words modulo 2**32 - 1; bytes missing at the end count as zero."""
    return _native.fletcher64(data, isa=isa)


def hash(algorithm: Algorithm, data: Buffer, *, isa: Isa | None = None) -> bytes:
    """The digest of one message. MD5 and SHA-1 are broken: collisions can be constructed."""
    return _native.hash(algorithm, data, isa=isa)


@overload
def hash_many(
    algorithm: Algorithm, messages: Iterable[Buffer], *, out: None = None, isa: Isa | None = None
) -> list[bytes]: ...
@overload
def hash_many(
    algorithm: Algorithm, messages: Iterable[Buffer], *, out: Buffer, isa: Isa | None = None
) -> None: ...
def hash_many(
    algorithm: Algorithm, messages: Iterable[Buffer], *, out: Buffer | None = None, isa: Isa | None = None
) -> list[bytes] | None:
    """The digests of messages of any lengths, several at a time: a list, or written to out, one after the other.

    messages may be the rows of an array. out has len(messages) x digest size bytes, for example numpy.empty((count, 32), "u1").
    """
    if out is None:
        return _native.hash_many(algorithm, messages, isa=isa)
    return _native.hash_many(algorithm, messages, out=out, isa=isa)


def update_many(hashes: Sequence[Hash], pieces: Iterable[Buffer], *, isa: Isa | None = None) -> None:
    """Hash.update of every hash with its piece, side by side: for messages that arrive in pieces, such as files.

    Hashes may have different algorithms; each hash is passed once.
    """
    _native.update_many(hashes, pieces, isa=isa)


def seal_many(messages: Iterable[Message], *, isa: Isa | None = None) -> list[bytes]:
    """CbcHmac.seal_in_place of messages, side by side: tuples (keys, iv, data) or (keys, iv, data, aad); returns the tags.

    All keys have the same cipher and the same MAC. Either all messages are sealed, or none.
    """
    return _native.seal_many(messages, isa=isa)


def byteswap(data: Buffer, width: int | None = None, *, parallel: bool = False, isa: Isa | None = None) -> None:
    """Reverses the bytes of every word of data, in place.

    width is 2, 4 or 8 bytes; without it the size of data's elements. parallel uses threads above a measured size.
    """
    _native.byteswap(data, width, parallel=parallel, isa=isa)


def byteswap_into(
    source: Buffer,
    destination: Buffer,
    width: int | None = None,
    *,
    parallel: bool = False,
    isa: Isa | None = None,
) -> None:
    """Writes source, the bytes of every word reversed, to destination, which has the same size.

    The two are the same memory or do not overlap.
    """
    _native.byteswap_into(source, destination, width, parallel=parallel, isa=isa)


def byteswap_file(input: str | os.PathLike[str], output: str | os.PathLike[str], width: int) -> int:
    """Writes the words of a file, their bytes reversed, to another one, in constant memory; returns the number of bytes."""
    return _native.byteswap_file(input, output, width)


def copy(a: Buffer, b: Buffer, *, parallel: bool = False, isa: Isa | None = None) -> None:
    """a[i] = b[i], for float32 or float64; parallel uses threads above a measured size, as do the next four functions."""
    _native.stream("copy", a, b, None, 0.0, parallel, isa)


def fill(a: Buffer, s: float, *, parallel: bool = False, isa: Isa | None = None) -> None:
    """a[i] = s"""
    _native.stream("fill", a, None, None, s, parallel, isa)


def scale(a: Buffer, s: float, b: Buffer, *, parallel: bool = False, isa: Isa | None = None) -> None:
    """a[i] = s b[i]"""
    _native.stream("scale", a, b, None, s, parallel, isa)


def add(a: Buffer, b: Buffer, c: Buffer, *, parallel: bool = False, isa: Isa | None = None) -> None:
    """a[i] = b[i] + c[i]"""
    _native.stream("add", a, b, c, 0.0, parallel, isa)


def triad(a: Buffer, b: Buffer, s: float, c: Buffer, *, parallel: bool = False, isa: Isa | None = None) -> None:
    """a[i] = b[i] + s c[i]"""
    _native.stream("triad", a, b, c, s, parallel, isa)


class CompressedRows(Protocol):
    """A matrix in compressed sparse rows, for example scipy.sparse.csr_array."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def indptr(self) -> Buffer: ...
    @property
    def indices(self) -> Buffer: ...
    @property
    def data(self) -> Buffer: ...


def semi_sparse(matrix: CompressedRows, *, form: Form = "model", vectors: int = 1, isa: Isa | None = None) -> SemiSparse:
    """Plans a constant matrix, from scipy.sparse (in CSR, its indices sorted), for many products.

    form "model" takes the form that the cost model expects to be fastest, "measure" the one measured as fastest; the others name
    a form. vectors is the number of vectors per product, because some forms multiply several almost as fast as one; any plan
    multiplies any number. isa is the level of the plan. Planning takes some thousand times as long as a product, and copies the
    matrix.
    """
    # Other formats have arrays of the same names with another meaning.
    form_given = getattr(matrix, "format", "csr")
    if form_given != "csr":
        raise TypeError(f"the matrix is in the format {form_given}; pass it in compressed rows (matrix.tocsr())")
    if not hasattr(matrix, "indptr"):
        raise TypeError("the argument is not a matrix in compressed rows; convert it (scipy.sparse.csr_array(matrix))")
    shape = matrix.shape
    if len(shape) != 2:
        raise ValueError(f"the matrix has {len(shape)} dimensions; pass one of 2")
    return SemiSparse((shape[0], shape[1]), matrix.indptr, matrix.indices, matrix.data, form=form, vectors=vectors, isa=isa)
