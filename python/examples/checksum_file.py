"""Prints the Fletcher-4 checksum of files, as ZFS computes it for a block. A file is mapped, not read into memory.

python3 checksum_file.py [FILE..]     without a file: this one
"""

import mmap
import pathlib
import sys

from loopwright import kernels


def checksum(path: pathlib.Path) -> kernels.Words:
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            return kernels.fletcher4(b"")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            whole = len(data) - len(data) % 4
            sums = kernels.Fletcher4()
            with memoryview(data)[:whole] as words:
                sums.update(words)
            # The last word is padded with zeros.
            if whole < len(data):
                sums.update(data[whole:].ljust(4, b"\0"))
            return sums.words


for name in sys.argv[1:] or [__file__]:
    try:
        words = checksum(pathlib.Path(name))
    except OSError as error:
        sys.exit(f"{name}: {error.strerror}")
    print(":".join(f"{word:x}" for word in words), name)
