"""Any buffer, no copy, other threads meanwhile; unusable arguments are refused."""

import array
import mmap
import resource
import sys
import threading
import time

import numpy
import pytest

from loopwright import kernels

DATA = bytes(range(256))
LARGE = 256 << 20
KEYS = kernels.CbcHmac(bytes(16), bytes(16))


def test_every_kind_of_buffer_is_taken(tmp_path):
    expected = kernels.fletcher4(DATA)
    path = tmp_path / "data"
    path.write_bytes(DATA)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert kernels.fletcher4(mapped) == expected
    for buffer in (
        bytearray(DATA),
        memoryview(DATA),
        memoryview(b"...." + DATA)[4:],
        array.array("B", DATA),
        array.array("d", DATA),
        numpy.frombuffer(DATA, dtype=numpy.uint8),
        numpy.frombuffer(DATA, dtype=">f8").reshape(4, 8),
        numpy.frombuffer(DATA, dtype=[("a", "i4"), ("b", "f4")]),
    ):
        assert kernels.fletcher4(buffer) == expected, buffer


def test_what_is_written_is_the_callers_memory():
    source = numpy.arange(1000, dtype=numpy.uint32)
    destination = bytearray(4000)
    kernels.byteswap_into(source, destination)
    assert bytes(destination) == source.byteswap().tobytes()
    address = source.ctypes.data
    kernels.byteswap(source)
    assert source.ctypes.data == address and source[1] == 1 << 24


def test_memory_does_not_grow():
    """A copy of a mapping without pages would make memory grow by its size."""

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

    # Read-only: pages that are only read stay the one page of zeros.
    with mmap.mmap(-1, LARGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ) as mapped:
        before = peak()
        assert kernels.fletcher4(mapped) == (0, 0, 0, 0)
        assert kernels.fletcher64(mapped) == 0
        # In pieces: the same zeros, hashed at once and side by side.
        whole = kernels.hash("sha1", mapped)
        view = memoryview(mapped)
        halves = [view[: LARGE // 2], view[LARGE // 2 :]]
        one, two = kernels.hash_many("sha1", halves)
        assert one == two != whole
        for half in halves:
            half.release()
        view.release()
        assert peak() - before < LARGE // 8


@pytest.fixture
def no_forced_switches():
    """Threads switch only where one releases the interpreter by itself."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize(
    "work",
    [
        lambda data: kernels.fletcher4(data, isa="scalar"),
        lambda data: kernels.fletcher16(data, isa="scalar"),
        lambda data: kernels.Fletcher2().update(data, isa="scalar"),
        lambda data: kernels.byteswap(data, 4, isa="scalar"),
        lambda data: kernels.fill(memoryview(data).cast("d"), 0.0),
        lambda data: kernels.hash("md5", data),
        lambda data: kernels.hash_many("sha256", [data, data]),
        lambda data: kernels.Hash("sha512").update(data),
        lambda data: kernels.update_many([kernels.Hash("sha1")], [data]),
        lambda data: KEYS.seal_in_place(bytes(16), data),
        lambda data: KEYS.seal_padded(bytes(16), data),
        lambda data: kernels.seal_many([(KEYS, bytes(16), data)]),
    ],
)
def test_other_threads_run_meanwhile(no_forced_switches, work):
    data = bytearray(32 << 20)
    turns, done = [0], threading.Event()

    def take_turns():
        while not done.is_set():
            turns[0] += 1
            time.sleep(0.0001)

    thread = threading.Thread(target=take_turns)
    thread.start()
    try:
        end = time.monotonic() + 60
        taken = 0
        # The other thread must get a processor, too, during a call; on a busy machine not during each.
        while taken == 0 and time.monotonic() < end:
            before = turns[0]
            work(data)
            taken = turns[0] - before
    finally:
        done.set()
        thread.join()
    assert taken > 0


def test_what_lends_no_memory_is_refused():
    for thing in ("text", 5, None, [1, 2, 3, 4]):
        with pytest.raises(TypeError):
            kernels.fletcher4(thing)


def test_memory_with_gaps_is_refused():
    every_second = numpy.arange(64, dtype=numpy.uint32)[::2]
    for call in (
        lambda: kernels.fletcher4(every_second),
        lambda: kernels.fletcher16(memoryview(DATA)[::2]),
        lambda: kernels.fletcher4(numpy.zeros((4, 4), order="F")),
        lambda: kernels.byteswap(every_second),
    ):
        with pytest.raises(BufferError, match="is not contiguous in memory; pass a contiguous copy"):
            call()


def test_read_only_memory_is_not_written():
    locked = numpy.arange(8.0)
    locked.flags.writeable = False
    before = locked.copy()
    for call in (
        lambda: kernels.byteswap(DATA, 4),
        lambda: kernels.byteswap(locked),
        lambda: kernels.byteswap_into(DATA, bytes(256), 4),
        lambda: kernels.fill(locked, 1.0),
    ):
        with pytest.raises(BufferError, match="is read-only and would be written; pass a bytearray"):
            call()
    assert (locked == before).all()


def test_empty_buffers_are_buffers():
    for nothing in (b"", bytearray(), numpy.zeros(0), numpy.zeros((0, 4))):
        assert kernels.fletcher4(nothing) == (0, 0, 0, 0)
        assert kernels.fletcher32(nothing) == 0


def test_levels_by_name():
    assert kernels.isa_available()[0] == "scalar"
    assert kernels.isa_best() in kernels.isa_available()
    with pytest.raises(ValueError, match='"avx" is no instruction-set level; use one of: scalar'):
        kernels.fletcher4(DATA, isa="avx")
