"""Prints the SHA-256 of files, as sha256sum does. Files are read in pieces; those of all files are hashed side by side.

python3 hash_files.py [FILE..]     without a file: the examples
"""

import contextlib
import pathlib
import sys

from loopwright import kernels

PIECE = 1 << 20

names = sys.argv[1:] or sorted(map(str, pathlib.Path(__file__).parent.glob("*.py")))
hashes = [kernels.Hash("sha256") for _ in names]
with contextlib.ExitStack() as stack:
    try:
        files = [stack.enter_context(open(name, "rb")) for name in names]
        # Each file with its hash, until its end.
        left = list(zip(files, hashes))
        while left:
            pieces = [file.read(PIECE) for file, _ in left]
            kernels.update_many([hash for _, hash in left], pieces)
            left = [both for both, piece in zip(left, pieces) if len(piece) == PIECE]
    except OSError as error:
        sys.exit(f"hash_files: {error}")
for name, hash in zip(names, hashes):
    print(hash.hexdigest(), "", name)
