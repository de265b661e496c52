"""Functions that use threads work in processes forked after a first use: the parent's pool has no threads there."""

import multiprocessing
import os
import threading
import warnings

import numpy
import pytest

from loopwright import kernels

# Above the size from which threads are used, with any calibration.
WORDS = 32 << 20


def swap(seed):
    """Whether a parallel call has the correct result."""
    words = numpy.full(WORDS, seed, dtype="u4")
    expected = numpy.uint32(seed).byteswap()
    kernels.byteswap(words, parallel=True)
    swapped = bool((words == expected).all())
    kernels.fill(words.view("f4"), 0.0, parallel=True)
    return swapped and not words.any()


@pytest.fixture(autouse=True)
def no_warnings():
    """Newer Pythons warn of forks of processes with threads, which this tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def test_forked_pools_of_processes():
    assert swap(1)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(swap, range(2, 6)).get(timeout=120) == [True] * 4
    assert swap(6)


def test_forked_while_another_thread_works():
    stop = threading.Event()

    def work():
        while not stop.is_set():
            swap(7)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for seed in range(3):
            process = multiprocessing.get_context("fork").Process(target=lambda: os._exit(0 if swap(seed) else 1))
            process.start()
            process.join(120)
            code = process.exitcode
            process.kill()
            assert code == 0, "no answer" if code is None else code
    finally:
        stop.set()
        thread.join()


def test_started_anew():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map_async(swap, [1]).get(timeout=120) == [True]
